import { appendEvents } from './append-events.ts';
import type { ChangeResult } from './change-result.ts';
import type { Pass, PassKey } from './pass.ts';
import { MAX_TIMESTAMP } from './vocabulary.ts';

/** A partner's wish for a pass. */
export interface IssueRequest {
  readonly key: PassKey;
  /**
   * Used when the pass is new: its id (UUIDv7), the signer object that will serve it, and the database for its row. The
   * signer also where a pass is tried again whose own signer takes nothing new.
   */
  readonly id: string;
  readonly signer: string;
  readonly shard?: string | undefined;
  /** Seconds a pass of this partner lives; undefined: it does not expire. */
  readonly lifetime?: number | undefined;
}

/**
 * What becomes of a pass that is asked for, whether it is there or not. Repeating the request is no error and changes
 * nothing, except that a rejected pass is tried again and an expired one renewed. `now` in Unix seconds.
 * @param acceptsNewPasses Whether a signer is given new passes.
 */
export function requestIssuance(
  pass: Pass | undefined,
  request: IssueRequest,
  now: number,
  acceptsNewPasses: (signer: string) => boolean = () => true,
): ChangeResult {
  const expiry = request.lifetime === undefined ? undefined : Math.min(now + request.lifetime, MAX_TIMESTAMP);
  if (pass === undefined) return { pass: newPass(request, expiry, now), changed: true };
  if (pass.wanted.state === 'FROZEN') return { refused: 'pass_frozen' };
  if (pass.wanted.state === 'REVOKED') return { refused: 'pass_revoked' };
  if (pass.rejected) {
    // It is on no chain: but for what may still leave one, its signer has nothing of it.
    const keeps = acceptsNewPasses(pass.signer) || (pass.past ?? []).length > 0;
    const signer = keeps ? pass.signer : request.signer;
    const wanted = { state: 'ACTIVE', expiry } as const;
    const again = { ...pass, signer, rejected: false, wanted, askedExpiry: expiry };
    return { pass: appendEvents(again, now, { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now }), changed: true };
  }
  // The contract counts the second of the expiry as valid.
  const expired = pass.wanted.expiry !== undefined && now > pass.wanted.expiry;
  if (!expired) return { pass, changed: false };
  if (expiry === undefined) return { refused: 'pass_expired' };
  return {
    pass: appendEvents({ ...pass, wanted: { state: 'ACTIVE', expiry }, askedExpiry: expiry }, now),
    changed: true,
  };
}

function newPass({ id, key, signer, shard }: IssueRequest, expiry: number | undefined, now: number): Pass {
  return {
    id,
    key,
    signer,
    shard,
    version: 1,
    wanted: { state: 'ACTIVE', expiry },
    askedExpiry: expiry,
    onChain: { state: 'NONE' },
    rejected: false,
    steps: 0,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now }],
  };
}
