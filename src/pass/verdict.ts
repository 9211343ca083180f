import type { UnixSeconds } from '../lib/units.ts';
import type { OnChainState, PassState } from './vocabulary.ts';

/** The rule by which dApps accept a wallet. The console loads this file as a module of its own, so it imports only types. */

/** Why dApps refuse a wallet. Several reasons may hold at once. */
type RefusalReason = 'not_on_chain' | 'rejected' | 'revoked' | 'frozen' | 'expired';

export type Verdict =
  /** `until`: the last valid second; undefined: the token never expires; `unknown`: a change of the expiry is under way. */
  | { readonly isAccepted: true; readonly until: UnixSeconds | 'unknown' | undefined }
  /** `expiredAt`: the last valid second, with the reason `expired` if it is known. */
  | { readonly isAccepted: false; readonly reasons: readonly RefusalReason[]; readonly expiredAt?: UnixSeconds };

/** The known facts about a wallet's gateway token. */
export interface Holding {
  /** The wanted state. It only says why a token is missing. */
  readonly state: PassState;
  readonly onChainState: OnChainState;
  /** The expiry on chain. `unknown`: it may differ from the wanted one. `passed`: the chain has an expiry in the past. */
  readonly expiry?: UnixSeconds | 'unknown' | 'passed' | undefined;
}

/**
 * Whether the token has expired. Both chains count the second of the expiry as valid: the contract compares
 * `block.timestamp <= expiration`, and the Solana library `clock.unix_timestamp > expire_time`.
 */
export function isExpired({ expiry }: { readonly expiry?: UnixSeconds | undefined }, now: UnixSeconds): boolean {
  return expiry !== undefined && now > expiry;
}

/** Returns whether dApps accept the wallet at `now` (Unix seconds), until when, or why not. Pure. */
export function verdictOf(holding: Holding, now: UnixSeconds): Verdict {
  const { expiry } = holding;
  const hasExpired = expiry === 'passed' || (expiry !== 'unknown' && isExpired({ expiry }, now));
  const reasons = reasonsOf(holding, hasExpired);
  if (reasons.length === 0 && expiry !== 'passed') return { isAccepted: true, until: expiry };
  const isKnown = typeof expiry === 'number' && reasons.includes('expired');
  return { isAccepted: false, reasons, ...(isKnown && { expiredAt: expiry }) };
}

function reasonsOf({ state, onChainState }: Holding, hasExpired: boolean): RefusalReason[] {
  const expired: RefusalReason[] = hasExpired ? ['expired'] : [];
  switch (onChainState) {
    case 'ACTIVE':
      return expired;
    case 'FROZEN':
      return ['frozen', ...expired];
    case 'REVOKED':
      return ['revoked'];
    default:
      if (state === 'REJECTED') return ['rejected'];
      // It was revoked before it was issued, or its token was burned.
      if (state === 'REVOKED') return ['revoked'];
      return ['not_on_chain', ...(state === 'FROZEN' ? (['frozen'] as const) : []), ...expired];
  }
}

/** The facts that decide whether a pass is valid. */
export interface Standing extends Pick<Holding, 'state' | 'onChainState'> {
  /** The last second in which it may be valid (Unix); null: it never expires. */
  readonly until: UnixSeconds | null;
  /** Whether others have taken access away, and no final block shows it yet. */
  readonly isPending: boolean;
  /** Whether the contract may count its token as void. */
  readonly isVoid?: boolean;
}

/**
 * Returns whether a pass is valid at `now` (Unix seconds). A pass that is to be frozen or revoked is not, although dApps accept its token
 * until the chain has the change. Pure.
 */
export function isValid({ state, onChainState, until, isPending, isVoid }: Standing, now: UnixSeconds): boolean {
  const isWanted = state === 'ACTIVE' && !isPending && !isVoid;
  return isWanted && verdictOf({ state, onChainState, expiry: until ?? undefined }, now).isAccepted;
}

/** The fields of a pass record that decide. */
export interface VerdictRecord extends Pick<Holding, 'state' | 'onChainState'> {
  /** The wanted expiry. */
  readonly expiryTimestamp?: UnixSeconds | undefined;
  readonly events: readonly { readonly eventType: string }[];
}

/** Returns the verdict on the wallet of a record, which shows the wanted expiry and not that of the chain. Pure. */
export function verdictOfRecord(record: VerdictRecord, now: UnixSeconds): Verdict {
  const { state, onChainState, expiryTimestamp, events } = record;
  return verdictOf({ state, onChainState, expiry: chainExpiryOf(expiryTimestamp, events, now) }, now);
}

/** The events tell whether the chain has the wanted expiry. */
function chainExpiryOf(
  wanted: UnixSeconds | undefined,
  events: VerdictRecord['events'],
  now: UnixSeconds,
): Holding['expiry'] {
  const types = events.map(({ eventType }) => eventType);
  const ofExpiry = types.filter((type) => /^TOKEN_(EXPIRED|ISSUED|EXPIRY_CHANGED(_REORGED)?)$/.test(type));
  // After a reorg, the chain has the earlier expiry again.
  const onChain = ofExpiry.filter((type, index) => !isReorged(type) && !isReorged(ofExpiry[index + 1]));
  // A confirmed issuance or expiry is newer than the token that expired.
  const newest = onChain.at(-1);
  if (newest === 'TOKEN_EXPIRED') return isExpired({ expiry: wanted }, now) ? wanted : 'passed';
  const change = types.findLast((type) => type.startsWith('TOKEN_EXPIRY_CHANGED')) ?? '';
  return /_(INITIATED|REORGED)$/.test(change) ? 'unknown' : wanted;
}

const isReorged = (type: string | undefined) => type?.endsWith('_REORGED') === true;
