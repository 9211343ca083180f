import type { FieldError, Pass, ProblemCode } from './pass.ts';
import { retryAfterMs } from './retry-after.ts';

/** What the client throws, beside the reason of a signal that aborted. */
export class GatepassError extends Error {
  override name = 'GatepassError';
}

/** The service refused: a problem document (RFC 9457), or what somebody in front of it answered. */
export class GatepassProblem extends GatepassError {
  override name = 'GatepassProblem';
  readonly status: number;
  /** Stable; more may come. `unexpected_answer`: it was not the service's. */
  readonly code: ProblemCode | 'unexpected_answer';
  readonly detail: string;
  /** Names the request to who runs the service. */
  readonly requestId: string | undefined;
  /** Which fields are wrong, where some are. */
  readonly errors: readonly FieldError[];
  /** Milliseconds after which it may be asked again, where the service says so. */
  readonly retryAfterMs: number | undefined;

  /** @param body What came with the answer, parsed where it was JSON. */
  constructor(response: Response, body: unknown) {
    const { code, detail, errors } = isProblem(body) ? body : FOREIGN_PROBLEM;
    const fields = errors?.map((each) => ` (${each.pointer} ${each.detail})`).join('') ?? '';
    super(`${response.status} ${code}: ${detail}${fields}`);
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.errors = errors ?? [];
    this.retryAfterMs = retryAfterMs(response.headers);
  }
}

type Problem = Pick<GatepassProblem, 'code' | 'detail'> & { readonly errors?: readonly FieldError[] };

const FOREIGN_PROBLEM: Problem = { code: 'unexpected_answer', detail: 'this is no answer of the service' };

/** Others have words of the same names. */
function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null || !('requestId' in body)) return false;
  const { code, detail, errors = [] } = body as Partial<Record<string, unknown>>;
  const areFields = Array.isArray(errors) && errors.every((each) => typeof each?.pointer === 'string');
  return typeof code === 'string' && typeof detail === 'string' && areFields;
}

/** No access token was to be had. The message has what the authorization server says, and nothing of the secret. */
export class GatepassTokenError extends GatepassError {
  override name = 'GatepassTokenError';
}

/** Nobody answered, or not to the end; `cause` says what happened last. */
export class GatepassUnreachable extends GatepassError {
  override name = 'GatepassUnreachable';

  constructor(url: string, cause: unknown) {
    super(`no answer from ${new URL(url).host}`, { cause });
  }
}

/** The pass has settled, but not as it was wished. */
export class PassFailed extends GatepassError {
  override name = 'PassFailed';
  readonly pass: Pass;
  /** Of the last event, where that is a failure: older ones tell of older wishes. */
  readonly reason: string | undefined;

  constructor(pass: Pass) {
    const { walletAddress, state, onChainState, events } = pass;
    const reason = events.at(-1)?.reason;
    super(`the pass of ${walletAddress} is ${state}, on chain ${onChainState}${reason ? `: ${reason}` : ''}`);
    this.pass = pass;
    this.reason = reason;
  }
}

/** The time was over before the pass had settled. What was asked for goes on: ask again, or look at it later. */
export class PassNotSettled extends GatepassError {
  override name = 'PassNotSettled';
  /** As it was last seen; undefined when no answer came at all. */
  readonly pass: Pass | undefined;

  constructor(pass: Pass | undefined) {
    super(pass ? `the pass of ${pass.walletAddress} has not settled yet: ${pass.state}` : 'no answer in time');
    this.pass = pass;
  }
}
