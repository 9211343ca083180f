import type { Ledger } from '../chain/ledger.ts';
import type { Faults } from './faults.ts';

/** The node that the methods of the API read and change. */
export interface SolanaNode {
  readonly ledger: Ledger;
  /** The hash of the network that the node simulates. */
  readonly genesisHash: string;
  readonly faults: Faults;
  readonly requests: RequestCounts;
  /** Makes a block each time that many milliseconds are over; 0: only `localnet_advance` makes blocks. */
  readonly setSlotMs: (ms: number) => void;
}

/** Number of calls to the node, without the `localnet_` methods. */
export interface RequestCounts {
  http: number;
  calls: Record<string, number>;
}

/** A method of the API: returns its result, or throws RpcError. */
export type Method = (node: SolanaNode, params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;
