import { type FaultProxy, type Outcome, type ProxiedRequest, startFaultProxy } from './fault-proxy.ts';

/** A fault proxy whose outcomes a test can set at any time. By default it forwards every request. */
export class ScriptedProxy {
  /** The received requests in order. */
  readonly requests: ProxiedRequest[] = [];
  /** The outcomes of the next requests, one for each. */
  nextOutcomes: Outcome[] = [];
  /** Returns the outcome of each later request. With undefined, the proxy forwards the request. */
  outcomeOf = (_request: ProxiedRequest): Outcome | undefined => undefined;
  /** Returns the body to send instead of the body of a forwarded answer. */
  alterBody = (body: string) => body;
  /** Returns whether the answer to a forwarded request waits until the end of the test. */
  holdsAnswerTo = (_request: ProxiedRequest) => false;
  #released = Promise.withResolvers<void>();
  readonly #target: string;
  #proxy: FaultProxy | undefined;

  /** @param target The origin of the server behind the proxy. */
  constructor(target: string) {
    this.#target = target;
  }

  /** Starts the proxy. Resolves to its origin. */
  async start(): Promise<string> {
    this.#proxy = await startFaultProxy(this.#target, async (request, forwarding) => {
      this.requests.push(request);
      const outcome = this.nextOutcomes.shift() ?? this.outcomeOf(request);
      if (outcome !== undefined) return outcome;
      const released = this.#released.promise;
      const answer = await forwarding.forward(request);
      if (this.holdsAnswerTo(request)) await released;
      return { ...answer, body: this.alterBody(answer.body ?? '') };
    });
    return this.#proxy.url;
  }

  /** Forgets the received requests and the outcomes. */
  reset(): void {
    this.requests.length = 0;
    this.nextOutcomes = [];
    this.outcomeOf = () => undefined;
    this.alterBody = (body) => body;
    this.holdsAnswerTo = () => false;
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  stop(): void {
    this.#released.resolve();
    this.#proxy?.stop();
  }
}
