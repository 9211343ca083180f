import type { Ledger } from '../chain/ledger.ts';
import { accountMethods } from './account-methods.ts';
import { blockMethods } from './block-methods.ts';
import type { Faults } from './faults.ts';
import { historyMethods } from './history-methods.ts';
import { localnetMethods } from './localnet-methods.ts';
import { transactionMethods } from './transaction-methods.ts';

/** What the methods work on. */
export interface SolanaNode {
  readonly ledger: Ledger;
  readonly faults: Faults;
  readonly requests: Requests;
}

/** What has been asked of the node, `localnet_` methods aside. */
export interface Requests {
  http: number;
  calls: Record<string, number>;
}

/** A method of the API: answers with its result, or throws RpcError. */
type Method = (node: SolanaNode, params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...accountMethods, ...blockMethods, ...transactionMethods, ...historyMethods, ...localnetMethods }),
);
