import type { Hex } from 'viem';
import { execute, type Gateway, gasOf, type Log, Revert } from './gateway-contract.ts';
import type { Transaction } from './transaction.ts';

/** Blocks, and what a transaction changes. Addresses are in lower case. */

/** The state after a block. */
export interface State {
  readonly gateways: ReadonlyMap<Hex, Gateway>;
  /** The next nonce of each account that has used one. */
  readonly nonces: ReadonlyMap<Hex, number>;
  /** The wei that each account has paid. */
  readonly spent: ReadonlyMap<Hex, bigint>;
}

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly time: number;
  /** Wei per gas. */
  readonly baseFee: bigint;
  /** By the hash of the transaction, in their order. */
  readonly receipts: ReadonlyMap<Hex, Receipt>;
  readonly state: State;
}

/** A transaction in a block. */
export interface Receipt {
  readonly transaction: Transaction;
  readonly succeeded: boolean;
  readonly logs: readonly PlacedLog[];
  readonly gasUsed: bigint;
  /** Wei per gas. */
  readonly price: bigint;
}

export interface PlacedLog extends Log {
  readonly address: Hex;
}

export const TRANSFER_GAS = 21_000n;
const REVERTED_GAS = 40_000n;

/** Returns the state after a transaction in a block with that base fee, and its receipt. */
export function apply(state: State, transaction: Transaction, baseFee: bigint): [State, Receipt] {
  const { from, to: address, gas, fee } = transaction;
  const outcome = outcomeOf(state, transaction);
  const gasUsed = outcome?.gasUsed ?? (gas < REVERTED_GAS ? gas : REVERTED_GAS);
  const price = fee === 0n ? 0n : baseFee + tipOver(baseFee, transaction);
  const logs = (outcome?.logs ?? []).map((log) => ({ ...log, address }));
  const after = {
    gateways: outcome?.gateway ? new Map(state.gateways).set(address, outcome.gateway) : state.gateways,
    nonces: new Map(state.nonces).set(from, nonceIn(state, from) + 1),
    spent: new Map(state.spent).set(from, (state.spent.get(from) ?? 0n) + gasUsed * price),
  };
  return [after, { transaction, succeeded: outcome !== undefined, logs, gasUsed, price }];
}

/** Returns undefined for a call that reverts or takes more than its gas. */
function outcomeOf(state: State, { from, to, data, gas }: Transaction) {
  const gateway = state.gateways.get(to);
  if (gateway === undefined) return { gasUsed: TRANSFER_GAS, logs: [], gateway };
  if (gas < gasOf(data)) return undefined;
  try {
    return { ...execute(gateway, from, data), gasUsed: gasOf(data) };
  } catch (fault) {
    if (fault instanceof Revert) return undefined;
    throw fault;
  }
}

export const nonceIn = ({ nonces }: State, account: Hex): number => nonces.get(account) ?? 0;

/** Returns the tip that a transaction pays beside that base fee, in wei per gas. */
export const tipOver = (baseFee: bigint, { fee, tip }: Transaction): bigint =>
  tip < fee - baseFee ? tip : fee - baseFee;
