import { changed } from './change.ts';
import type { Pass, PassKey } from './pass.ts';
import { MAX_TIMESTAMP } from './vocabulary.ts';
import type { Wish } from './wish.ts';

/** A partner's wish for a pass. */
export interface IssueRequest {
  readonly key: PassKey;
  /** Used when the pass is new: its id (UUIDv7) and the signer object that will serve it. */
  readonly id: string;
  readonly signer: string;
  /** Seconds a pass of this partner lives; undefined: it does not expire. */
  readonly lifetime?: number | undefined;
}

/**
 * What becomes of a pass that is asked for, whether it is there or not. Repeating the request is no error and changes
 * nothing, except that a rejected pass is tried again and an expired one renewed. `now` in Unix seconds.
 */
export function requestIssuance(pass: Pass | undefined, request: IssueRequest, now: number): Wish {
  const expiry = request.lifetime === undefined ? undefined : Math.min(now + request.lifetime, MAX_TIMESTAMP);
  if (pass === undefined) return { pass: newPass(request, expiry, now), changed: true };
  if (pass.wanted.state === 'FROZEN') return { refused: 'pass_frozen' };
  if (pass.wanted.state === 'REVOKED') return { refused: 'pass_revoked' };
  if (pass.rejected) {
    const again = { ...pass, rejected: false, wanted: { state: 'ACTIVE', expiry }, askedExpiry: expiry } as const;
    return { pass: changed(again, now, { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now }), changed: true };
  }
  // The contract counts the second of the expiry as valid.
  const expired = pass.wanted.expiry !== undefined && now > pass.wanted.expiry;
  if (!expired) return { pass, changed: false };
  if (expiry === undefined) return { refused: 'pass_expired' };
  return { pass: changed({ ...pass, wanted: { state: 'ACTIVE', expiry }, askedExpiry: expiry }, now), changed: true };
}

function newPass({ id, key, signer }: IssueRequest, expiry: number | undefined, now: number): Pass {
  return {
    id,
    key,
    signer,
    version: 1,
    wanted: { state: 'ACTIVE', expiry },
    askedExpiry: expiry,
    onChain: { state: 'NONE' },
    rejected: false,
    steps: 0,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now }],
  };
}
