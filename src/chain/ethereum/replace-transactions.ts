import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import { type Pairs, pairAll } from '../pairs.ts';
import { mayBeBehind } from '../plan-step.ts';
import { type Signed, SigningRefused } from '../port.ts';
import type { Ethereum } from './context.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import { type Price, replacementPrice } from './price.ts';
import * as calls from './rpc.ts';
import { signTransaction, type UnsignedTransaction } from './sign.ts';

/**
 * Signs the same calls again at the same nonces, at a price that is an eighth higher or at the current price. It signs nothing
 * while the node shows no new blocks, because a higher price would not help. It also signs no replacement that the gatekeeper
 * cannot pay in addition to the ones before it.
 */
export async function replaceTransactions<T extends { readonly signed: Signed }>(
  { rpc, network, gatekeeper }: Ethereum,
  transactions: readonly T[],
): Promise<Pairs<T, Signed | undefined>> {
  const { address } = gatekeeper;
  const [balance, ...answers] = await rpc([calls.balance(address), ...conditionCalls(address, network)]);
  const { price, time } = readConditions(answers, network);
  if (mayBeBehind(time, Date.now())) return pairAll(transactions, undefined);
  let funds = calls.quantityOf(balance);
  /** The code up to the first `await` runs for one transaction after another, so `funds` covers them in their order. */
  async function replace({ signed: { bytes } }: T): Promise<Signed | undefined> {
    const old = parseSigned(bytes);
    // Bytes of an earlier configuration may call another contract. Sign nothing new for that contract.
    if (old?.unsigned.to.toLowerCase() !== network.gateway.toLowerCase()) return undefined;
    const raised = replacementPrice(old.price, price, network);
    funds -= old.unsigned.gas * (raised ?? old.price).fee;
    if (raised === undefined || funds < 0n) return undefined;
    return signTransaction(gatekeeper, network, old.unsigned, raised).catch(keepOnRefusal);
  }
  return Promise.all(transactions.map(async (transaction) => [transaction, await replace(transaction)] as const));
}

/** Bytes of an earlier release may do what the policy no longer allows. They must not stop the other replacements. */
function keepOnRefusal(fault: unknown): undefined {
  if (!(fault instanceof SigningRefused)) throw fault;
}

/** Returns the transaction and the price in signed bytes; undefined for bytes that `signTransaction` cannot produce. */
function parseSigned(bytes: string): { unsigned: UnsignedTransaction; price: Pick<Price, 'fee' | 'tip'> } | undefined {
  const { to, data, gas, nonce = 0, value, gasPrice, ...rest } = parseTransaction(bytes as Hex);
  const { maxFeePerGas: fee = gasPrice, maxPriorityFeePerGas: tip = gasPrice ?? 0n } = rest;
  if (!to || gas === undefined || fee === undefined || value) return undefined;
  return { unsigned: { to, data, gas, nonce }, price: { fee, tip } };
}
