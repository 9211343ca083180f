import { type Answer, Front, type Instead, type Seen } from './front.ts';

/**
 * Refuses whatever comes first to a path, lets nobody wait, and shows a pass for a while as it was when it was accepted: a
 * service in trouble, which does not know `Prefer`.
 */
export class MoodyFront extends Front {
  readonly #retryAfter: number;
  #accepted = '';

  /** @param retryAfter Seconds after which the refusal, a 503, says to come again. */
  constructor(target: string, retryAfter: number) {
    super(target);
    this.#retryAfter = retryAfter;
  }

  /** The requests of a method to a path, in order. */
  to(method: string, path: string): Seen[] {
    return this.seen.filter((each) => each.method === method && each.path === path);
  }

  protected override insteadOf({ method, path }: Seen): Instead | undefined {
    const times = this.to(method, path).length;
    if (times === 1)
      return { status: 503, headers: { ...PROBLEM, 'retry-after': `${this.#retryAfter}` }, body: REFUSAL };
    return times === 2 && method === 'GET' ? { status: 200, body: this.#accepted } : undefined;
  }

  protected override async passOn({ headers: { prefer: _, ...headers }, ...request }: Seen): Promise<Answer> {
    const answer = await super.passOn({ ...request, headers });
    if (answer.status === 202) this.#accepted = answer.body ?? '';
    return answer;
  }
}

const PROBLEM = { 'content-type': 'application/problem+json' };
const REFUSAL = JSON.stringify({ code: 'temporarily_unavailable', detail: 'Not now.', requestId: 'r-1' });
