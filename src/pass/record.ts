import type { UnixSeconds } from '../lib/units.ts';
import { type Pass, type PassEvent, stateOf } from './pass.ts';
import { verdictOfRecord } from './verdict.ts';
import type { OnChainState, PassState } from './vocabulary.ts';
import { ENDS, type EndCode } from './wait-reasons.ts';

/** Maximum number of events in a record: the first one and the newest ones. The others stay in the pass object. */
export const RECORD_MAX_EVENTS = 100;

/** The pass as the API returns it. */
export interface PassRecord {
  readonly id: string;
  readonly chain: { readonly type: string; readonly network: string };
  readonly gatekeeperNetwork: string;
  readonly walletAddress: string;
  readonly events: readonly PassEvent[];
  readonly onChainState: OnChainState;
  readonly state: PassState;
  /** Address of the contract, or on Solana of the program, that has its gateway token. */
  readonly contract: string;
  /** Unix seconds; present when the pass expires. */
  readonly expiryTimestamp?: number;
  /** The partner's own name for the pass. */
  readonly reference?: string;
  /** The partner's own name for the person who has the wallet. */
  readonly subject?: string;
}

export function recordOf(pass: Pass): PassRecord {
  const { reference, subject } = pass;
  const { gatekeeperNetwork, chain, network, wallet } = pass.key;
  const { expiry } = pass.wanted;
  return {
    id: pass.id,
    chain: { type: chain, network },
    gatekeeperNetwork,
    walletAddress: wallet,
    events: splitEvents(pass.events).recent,
    onChainState: pass.onChain.state,
    state: stateOf(pass),
    contract: pass.contract,
    ...(expiry === undefined ? {} : { expiryTimestamp: expiry }),
    ...(reference === undefined ? {} : { reference }),
    ...(subject === undefined ? {} : { subject }),
  };
}

/** Splits a long history into the events of the record and the older events that the pass object stores apart, in order. */
export function splitEvents(events: readonly PassEvent[]): {
  recent: readonly PassEvent[];
  older: readonly PassEvent[];
} {
  const excess = events.length - RECORD_MAX_EVENTS;
  if (excess <= 0) return { recent: events, older: [] };
  return { recent: [...events.slice(0, 1), ...events.slice(1 + excess)], older: events.slice(1, 1 + excess) };
}

/** Returns the earlier one of the expiry on chain and the wanted one; null: never. They differ while a change is under way. */
export function endOf({ onChain, wanted }: Pass): UnixSeconds | null {
  const expiries = [onChain.expiry, wanted.expiry].filter((expiry) => expiry !== undefined);
  return expiries.length === 0 ? null : Math.min(...expiries);
}

/** A pass with nothing left to do on chain, as its object and the read model know it. */
export interface EndedPass {
  readonly record: PassRecord;
  /** Whether others have taken access away, and no final block shows it yet. */
  readonly isPending: boolean;
  /** Whether the contract may count its token as void. */
  readonly isVoid: boolean;
  /** Whether the read model has its newest version; undefined: unknown. */
  readonly isPublished: boolean | undefined;
}

/** Returns why dApps accept or refuse the wallet of the pass at `now`, as a code and a sentence for the operator. Pure. */
export function endOfPass(pass: EndedPass, now: UnixSeconds): { readonly code: EndCode; readonly text: string } {
  const code = endCode(pass, now);
  const text = ENDS[code];
  const detail = code === 'rejected' ? pass.record.events.findLast(({ reason }) => reason)?.reason : undefined;
  return { code, text: detail === undefined ? text : `${text}: ${detail}` };
}

function endCode({ record, isPending, isVoid, isPublished }: EndedPass, now: UnixSeconds): EndCode {
  const verdict = verdictOfRecord(record, now);
  if (!verdict.isAccepted) {
    const [reason = 'not_on_chain'] = verdict.reasons;
    // A settled pass that is not on chain was rejected or revoked, which the verdict says first.
    return reason === 'not_on_chain' ? 'rejected' : reason;
  }
  if (isPending) return 'loss-pending';
  if (isVoid) return 'gatekeeper-removed';
  return isPublished === false ? 'unpublished' : 'active';
}
