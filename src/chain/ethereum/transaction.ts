import type { Hex, TransactionSerializable } from 'viem';
import { keccak256, parseTransaction } from 'viem/utils';
import type { EnabledEthereum } from '../../config/signers.ts';
import { errorKindOf } from '../error-kind.ts';
import { askEach } from '../json-rpc.ts';
import { type Pairs, pairAll } from '../pairs.ts';
import { mayBeBehind } from '../plan-step.ts';
import { type BroadcastResult, type Signed, SigningRefused } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import type { Ethereum } from './context.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import { type Price, replacementPrice } from './price.ts';
import * as calls from './rpc.ts';
import { findPolicyViolation } from './signing-policy.ts';

/** A call of the configured contract. */
interface ContractCall {
  readonly data: Hex;
  /** Gas limit. */
  readonly gas: bigint;
}

/** Signs a call of the configured contract. Throws SigningRefused if the signing policy does not allow it. */
export async function signCall(
  { gatekeeper, network }: Pick<Ethereum, 'gatekeeper' | 'network'>,
  { data, gas }: ContractCall,
  price: Price,
  nonce: number | undefined,
): Promise<Signed> {
  if (nonce === undefined) throw new Error('an Ethereum transaction needs a nonce');
  return signTransaction(gatekeeper, network, { to: network.gateway, data, gas, nonce }, price);
}

/** A transaction without its price. */
export interface UnsignedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
}

/** Signs a transaction that moves no value. Throws SigningRefused if the signing policy does not allow it. */
export async function signTransaction(
  gatekeeper: Ethereum['gatekeeper'],
  network: EnabledEthereum['network'],
  unsigned: UnsignedTransaction,
  { fee, tip, l1Fee = 0n }: Price,
): Promise<Signed> {
  const { chainId, fees } = network;
  const transaction: TransactionSerializable =
    fees === 'legacy'
      ? { ...unsigned, chainId, type: 'legacy', gasPrice: fee }
      : { ...unsigned, chainId, type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: tip };
  const violation = findPolicyViolation(transaction, network, gatekeeper.address);
  if (violation !== undefined) throw new SigningRefused(violation);
  const bytes = await gatekeeper.signTransaction(transaction);
  return { identifier: keccak256(bytes), bytes, maxCost: nanoCoinsOfWei(unsigned.gas * fee + l1Fee) };
}

/** Hands the bytes to the nodes. */
export async function broadcast<T extends { readonly signed: Omit<Signed, 'maxCost'> }>(
  { rpc }: Pick<Ethereum, 'rpc'>,
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const answered = await askEach(rpc, transactions, ({ signed }) => calls.sendRaw(signed.bytes));
  return answered.map(([transaction, answer]) => [transaction, broadcastResultOf(answer)]);
}

/** The receipt decides whether the transaction lives, not this answer. */
function broadcastResultOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const kind = errorKindOf(answer.error);
  if (kind === 'known') return { type: 'accepted' };
  return kind === 'no-funds' ? notNow('no-funds') : notNow('broadcast-refused', answer.error.message);
}

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
