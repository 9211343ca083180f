import { accountMethods } from './account-methods.ts';
import { blockMethods } from './block-methods.ts';
import { historyMethods } from './history-methods.ts';
import { localnetMethods } from './localnet-methods.ts';
import type { Method } from './solana-node.ts';
import { transactionMethods } from './transaction-methods.ts';

/** All methods of the node, by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...accountMethods, ...blockMethods, ...transactionMethods, ...historyMethods, ...localnetMethods }),
);
