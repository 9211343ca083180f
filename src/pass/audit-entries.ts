import type { Actor, AuditEntry } from '../audit/entry.ts';
import type { Milliseconds } from '../lib/units.ts';
import type { Pass } from './pass.ts';
import type { WantedState } from './vocabulary.ts';

/** The actor that requests a change of a pass, and the reason. */
export interface Requester {
  readonly actor: Actor;
  /** Undefined: an instance of the release before sent the request. */
  readonly requestId?: string | undefined;
  /** The reason that the actor gave. */
  readonly reason?: string | undefined;
}

/** The requests that may change a pass. */
export type RequestType = 'issue' | 'update' | 'sync';

/** A request that may change the pass. */
export interface Requested {
  readonly type: RequestType;
  readonly client: string;
  readonly by?: Requester | undefined;
}

/** Returns entry number `n` of a pass. Its entries are in the trail of its gatekeeper network. */
export function entryOfChange(
  { type, client, by: { actor, requestId, reason } = { actor: { client } } }: Requested,
  before: Pass | undefined,
  after: Pass,
  n: number,
  now: Milliseconds,
): AuditEntry {
  const { id, key } = after;
  const { chain, network, wallet: walletAddress } = key;
  return {
    key: `${id}/${n}`,
    at: new Date(now).toISOString(),
    action: `pass.${type === 'sync' ? type : changeBetween(before, after, type)}`,
    actor,
    requestId,
    target: { pass: id, chain: { type: chain, network }, walletAddress },
    before: before && stateIn(before, type),
    after: {
      ...stateIn(after, type),
      ...(before?.reference !== after.reference && { referenceChanged: true }),
      ...(before?.subject !== after.subject && { subjectChanged: true }),
    },
    reason,
    outcome: { type: 'done' },
  };
}

const CHANGE_TO: Readonly<Record<WantedState, string>> = { ACTIVE: 'unfreeze', FROZEN: 'freeze', REVOKED: 'revoke' };

/** Returns the name of the change. `repeat`: only the client that answers for the unfinished change is another one. */
function changeBetween(before: Pass | undefined, after: Pass, type: RequestType): string {
  if (before === undefined || (before.rejected && !after.rejected))
    return after.wanted.state === 'REVOKED' ? 'revoke' : 'issue';
  if (before.wanted.state !== after.wanted.state) return CHANGE_TO[after.wanted.state];
  if (before.revokedBy !== after.revokedBy) return 'revoke';
  const hasNewExpiry = before.wanted.expiry !== after.wanted.expiry || before.requested !== after.requested;
  if (hasNewExpiry) return type === 'issue' ? 'renew' : 'set_expiry';
  if (before.reference !== after.reference) return 'set_reference';
  return before.subject === after.subject ? 'repeat' : 'set_subject';
}

function stateIn({ wanted: { state, expiry: expiryTimestamp }, onChain, client }: Pass, type: RequestType): object {
  return type === 'sync' ? { state, expiryTimestamp, onChainState: onChain.state } : { state, expiryTimestamp, client };
}
