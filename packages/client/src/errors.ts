import { type FieldError, lastChangeOf, type Pass, type ProblemCode, type ReachedRule } from './pass.ts';
import { retryAfterMs } from './retry-after.ts';

/** The errors of the client. A call also throws the reason of an aborted signal. */
export class GatepassError extends Error {
  override name = 'GatepassError';
}

/** The service refused the request with a problem document (RFC 9457), or a gateway in front of it answered. */
export class GatepassProblem extends GatepassError {
  override name = 'GatepassProblem';
  readonly status: number;
  /** Stable. Later releases may add codes. `unexpected_answer`: the answer is not the service's. */
  readonly code: ProblemCode | 'unexpected_answer';
  readonly detail: string;
  /** The id of the request. Send it to the operator when you ask for help. */
  readonly requestId: string | undefined;
  /** The invalid fields, if any. */
  readonly errors: readonly FieldError[];
  /** Milliseconds after which a retry is allowed, if the service names them. */
  readonly retryAfterMs: number | undefined;
  /** Only with `cursor_expired`: the oldest sequence that the feed has, or will have. */
  readonly oldest: number | undefined;
  /** Only with `subject_limit_reached`: the rule, and the first passes that count for it. */
  readonly rule: ReachedRule | undefined;

  /** @param body The body of the answer, parsed if it is JSON. */
  constructor(response: Pick<Response, 'status' | 'headers'>, body: unknown) {
    const { code, detail, errors, oldest, rule } = isProblem(body) ? body : FOREIGN_PROBLEM;
    const fields = errors?.map((each) => ` (${each.pointer} ${each.detail})`).join('') ?? '';
    super(`${response.status} ${code}: ${detail}${fields}`);
    this.status = response.status;
    this.code = code;
    this.detail = detail;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.errors = errors ?? [];
    this.retryAfterMs = retryAfterMs(response.headers);
    this.oldest = typeof oldest === 'number' ? oldest : undefined;
    this.rule = rule;
  }
}

type Problem = Pick<GatepassProblem, 'code' | 'detail'> & {
  readonly errors?: readonly FieldError[];
  readonly oldest?: unknown;
  readonly rule?: ReachedRule;
};

const FOREIGN_PROBLEM: Problem = { code: 'unexpected_answer', detail: 'this is no answer of the service' };

/** Other objects may have members of the same names. */
function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null || !('requestId' in body)) return false;
  const { code, detail, errors = [] } = body as Partial<Record<string, unknown>>;
  const areFields = Array.isArray(errors) && errors.every((each) => typeof each?.pointer === 'string');
  return typeof code === 'string' && typeof detail === 'string' && areFields;
}

/** No access token is available. The message has the authorization server's text and no part of the secret. */
export class GatepassTokenError extends GatepassError {
  override name = 'GatepassTokenError';
}

/** There was no answer, or no complete one. `cause` is the last fault. */
export class GatepassUnreachable extends GatepassError {
  override name = 'GatepassUnreachable';

  constructor(url: string, cause: unknown) {
    super(`no answer from ${new URL(url).host}`, { cause });
  }
}

/** An answer is too large to be one of the service. A retry would read it again, so there is none. */
export class AnswerTooLarge extends GatepassError {
  override name = 'AnswerTooLarge';

  constructor(url: string, maxBytes: number) {
    super(`the answer of ${new URL(url).host} has more than ${maxBytes / 1024 / 1024} MiB, so it is not the service's`);
  }
}

/**
 * An answer is not the page after the cursor, for example because a cache between client and service ignores the query. A reader
 * that continues would read the same entries without end.
 */
export class PageRepeated extends GatepassError {
  override name = 'PageRepeated';

  constructor(after: number | string | undefined) {
    const page = after === undefined ? 'the first page' : `the page after ${after}`;
    super(`${page} has nothing new: does a cache between this client and the service ignore the query?`);
  }
}

/** The pass is settled, but not as requested. */
export class PassFailed extends GatepassError {
  override name = 'PassFailed';
  readonly pass: Pass;
  /** The reason of the last event, if that is a failure. Older events belong to older requests. */
  readonly reason: string | undefined;

  constructor(pass: Pass) {
    const { walletAddress, state, onChainState, events } = pass;
    const reason = lastChangeOf(events)?.reason;
    super(`the pass of ${walletAddress} is ${state}, on chain ${onChainState}${reason ? `: ${reason}` : ''}`);
    this.pass = pass;
    this.reason = reason;
  }
}

/** The time was over before the pass was settled. The service continues its work: repeat the call, or fetch the pass later. */
export class PassNotSettled extends GatepassError {
  override name = 'PassNotSettled';
  /** The pass as it was last seen; undefined if there was no answer. */
  readonly pass: Pass | undefined;

  constructor(pass: Pass | undefined) {
    const reason = pass?.waitsFor === undefined ? '' : ` (${pass.waitsFor.detail})`;
    super(pass ? `the pass of ${pass.walletAddress} has not settled yet: ${pass.state}${reason}` : 'no answer in time');
    this.pass = pass;
  }
}

const DELIVERY_FAULTS = {
  headers_missing: 'it lacks webhook-id, webhook-timestamp or webhook-signature',
  timestamp_invalid: 'webhook-timestamp is not a time in Unix seconds',
  too_old: 'webhook-timestamp is too old; check the clock of the receiver',
  too_new: 'webhook-timestamp is in the future; check the clock of the receiver',
  signature_invalid: 'no signature matches the id, the time and the unchanged body; check the secret',
  body_invalid: 'its body is not the event that webhook-id names',
};

/** Why a delivery is not verified. Later releases may add values. */
export type DeliveryFault = keyof typeof DELIVERY_FAULTS | (string & {});

/** A delivery is not from the webhook, is too old, or was changed on the way. */
export class DeliveryNotVerified extends GatepassError {
  override name = 'DeliveryNotVerified';
  readonly reason: DeliveryFault;

  constructor(reason: keyof typeof DELIVERY_FAULTS) {
    super(`the delivery is not verified: ${DELIVERY_FAULTS[reason]}`);
    this.reason = reason;
  }
}
