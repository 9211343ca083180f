import { type FaultProxy, type Outcome, type ProxiedRequest, startFaultProxy } from './fault-proxy.ts';

/** A fault proxy whose outcomes a test sets while it runs. Without any, it forwards every request. */
export class ScriptedProxy {
  /** The requests it received, in order. */
  readonly requests: ProxiedRequest[] = [];
  /** The outcomes of the next requests, one each. */
  nextOutcomes: Outcome[] = [];
  /** The outcome of each request after those; undefined forwards the request. */
  outcomeOf = (_request: ProxiedRequest): Outcome | undefined => undefined;
  /** Changes the bodies of the answers that it forwards. */
  alterBody = (body: string) => body;
  readonly #target: string;
  #proxy: FaultProxy | undefined;

  /** @param target Origin of the server behind it. */
  constructor(target: string) {
    this.#target = target;
  }

  /** Resolves to its origin. */
  async start(): Promise<string> {
    this.#proxy = await startFaultProxy(this.#target, async (request, forwarding) => {
      this.requests.push(request);
      const outcome = this.nextOutcomes.shift() ?? this.outcomeOf(request);
      if (outcome !== undefined) return outcome;
      const answer = await forwarding.forward(request);
      return { ...answer, body: this.alterBody(answer.body ?? '') };
    });
    return this.#proxy.url;
  }

  /** Forgets its requests and its script. */
  reset(): void {
    this.requests.length = 0;
    this.nextOutcomes = [];
    this.outcomeOf = () => undefined;
    this.alterBody = (body) => body;
  }

  stop(): void {
    this.#proxy?.stop();
  }
}
