import type { UnixSeconds } from '../lib/brand.ts';
import type { Pass, PassEvent } from './pass.ts';
import { stateOf } from './pass.ts';
import type { OnChainState, PassState } from './vocabulary.ts';

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
}

export function recordOf(pass: Pass): PassRecord {
  const { reference } = pass;
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
