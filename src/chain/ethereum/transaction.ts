import type { EnabledEthereum } from '../../config/signers.ts';
import { bytesToHex, type Hex, keccak256 } from '../../lib/bytes.ts';
import type { Step } from '../../pass/step.ts';
import { mayBeBehind } from '../block-age.ts';
import { askEach } from '../json-rpc.ts';
import { type BroadcastResult, KmsFault, type Pairs, pairAll, type Signed, SigningRefused } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import { conditionCalls, type Price, readConditions, replacementPrice } from './network-conditions.ts';
import { errorKindOf } from './node-answers.ts';
import type { Ethereum } from './rpc.ts';
import * as calls from './rpc.ts';
import { findPolicyViolation } from './signing-policy.ts';
import { type EthereumTransaction, parseSigned, signBytes, type UnsignedTransaction } from './transaction-bytes.ts';

/** A call of the step's contract. */
interface ContractCall {
  readonly data: Hex;
  readonly gas: bigint;
}

/** Signs the call of a step. Throws SigningRefused if the signing policy does not allow it, and KmsFault if a KMS does not sign. */
export async function signCall(
  { gatekeeper, network }: Pick<Ethereum, 'gatekeeper' | 'network'>,
  { contract }: Pick<Step, 'contract'>,
  call: ContractCall,
  price: Price,
  nonce: number | undefined,
): Promise<Signed> {
  return signTransaction(gatekeeper, network, contract, unsignedOf(contract, call, nonce), price);
}

/** Returns why the signing policy forbids the call of a step; undefined if it allows it. */
export function findCallViolation(
  { gatekeeper, network }: Pick<Ethereum, 'gatekeeper' | 'network'>,
  { contract }: Pick<Step, 'contract'>,
  call: ContractCall,
  price: Price,
  nonce: number | undefined,
): string | undefined {
  const transaction = priced(unsignedOf(contract, call, nonce), network, price);
  return findPolicyViolation(transaction, network, gatekeeper.address, contract);
}

function unsignedOf(contract: string, { data, gas }: ContractCall, nonce: number | undefined): UnsignedTransaction {
  if (nonce === undefined) throw new Error('an Ethereum transaction needs a nonce');
  return { to: contract as Hex, data, gas, nonce };
}

/**
 * Signs a transaction that moves no value. Throws SigningRefused if the signing policy does not allow it.
 * @param contract The contract of the step; undefined: the transaction is for no step, but fills a gap.
 */
export async function signTransaction(
  gatekeeper: Ethereum['gatekeeper'],
  network: EnabledEthereum['network'],
  contract: string | undefined,
  unsigned: UnsignedTransaction,
  price: Price,
): Promise<Signed> {
  const transaction = priced(unsigned, network, price);
  const violation = findPolicyViolation(transaction, network, gatekeeper.address, contract);
  if (violation !== undefined) throw new SigningRefused(violation);
  const bytes = await signBytes(gatekeeper, transaction);
  const { fee, l1Fee = 0n } = price;
  return { identifier: bytesToHex(keccak256(bytes)), bytes, maxCost: nanoCoinsOfWei(unsigned.gas * fee + l1Fee) };
}

function priced(
  unsigned: UnsignedTransaction,
  { chainId, fees }: EnabledEthereum['network'],
  { fee, tip }: Price,
): EthereumTransaction {
  return fees === 'legacy'
    ? { ...unsigned, chainId, type: 'legacy', gasPrice: fee }
    : { ...unsigned, chainId, type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: tip };
}

/** Added to the estimate, because the gas of a call differs slightly between wallets. */
const GAS_MARGIN_PERCENT = 25n;

export function addGasMargin(gas: bigint): bigint {
  return (gas * (100n + GAS_MARGIN_PERCENT)) / 100n;
}

/** Gas of a transfer. Chains that pay for their data on another chain need more. */
const TRANSFER_GAS = 21_000n;
/** A transfer may use at most `maxGas` divided by this number. */
const TRANSFER_MAX_PART = 10;

/**
 * Signs an empty transfer to the own address at each of these nonces. The nodes' answers to the broadcast do not matter: if the
 * node already has such a transaction, or the nonce is used, the gap is closed too. It signs nothing while the node may be behind
 * its chain, because transactions that the node does not show may exist. Nodes take a filler in place of an earlier one only if both fees
 * are higher, so it pays what a replacement pays; at the cap there is none.
 */
export async function signGapFillers(
  { rpc, network, gatekeeper }: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>,
  nonces: readonly number[],
  earlier: ReadonlyMap<number, string> = new Map(),
): Promise<Pairs<number, Signed | KmsFault>> {
  if (nonces.length === 0) return [];
  const { address } = gatekeeper;
  const transfer = { from: address, to: address, value: '0x0' };
  const [estimate, ...answers] = await rpc([calls.estimateGas(transfer), ...conditionCalls(address, network)]);
  const { price, newest } = readConditions(answers, network);
  if (mayBeBehind(rpc, newest, Date.now())) return [];
  const gas = gasOf(estimate, network);
  const priceAt = (nonce: number) => {
    const old = parseSigned(earlier.get(nonce) ?? '0x');
    return old ? replacementPrice(old.price, price, network) : price;
  };
  const priced = nonces.flatMap((nonce) => {
    const paid = priceAt(nonce);
    return paid === undefined ? [] : [{ nonce, paid }];
  });
  return Promise.all(
    priced.map(async ({ nonce, paid }) => {
      const signing = signTransaction(gatekeeper, network, undefined, { to: address, gas, nonce }, paid);
      return [nonce, await signing.catch(returnKmsFault)] as const;
    }),
  );
}

/** Returns the gas limit. A transfer needs far less gas than a call of the contract, so a high estimate is cut. */
function gasOf(estimate: RpcAnswer | undefined, { maxGas }: Ethereum['network']): bigint {
  if (estimate === undefined || 'error' in estimate) return TRANSFER_GAS;
  const gas = calls.quantityOf(estimate);
  const most = BigInt(Math.floor(maxGas / TRANSFER_MAX_PART));
  return gas === TRANSFER_GAS ? gas : [addGasMargin(gas), most].reduce((a, b) => (a < b ? a : b));
}

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

/** A replacement costs an eighth more, or the current price. The gatekeeper must be able to pay it in addition to the ones before it. */
export async function replaceTransactions<T extends { readonly step: Step; readonly signed: Signed }>(
  { rpc, network, gatekeeper }: Ethereum,
  transactions: readonly T[],
): Promise<Pairs<T, Signed | KmsFault | undefined>> {
  const { address } = gatekeeper;
  const [balance, ...answers] = await rpc([calls.balance(address), ...conditionCalls(address, network)]);
  const { price, newest } = readConditions(answers, network);
  if (mayBeBehind(rpc, newest, Date.now())) return pairAll(transactions, undefined);
  let funds = calls.quantityOf(balance);
  /** The code up to the first `await` runs for one transaction after another, so `funds` covers them in their order. */
  async function replace({ step: { contract }, signed: { bytes } }: T): Promise<Signed | KmsFault | undefined> {
    const old = parseSigned(bytes);
    if (old === undefined) return undefined;
    const raised = replacementPrice(old.price, price, network);
    funds -= old.unsigned.gas * (raised ?? old.price).fee;
    if (raised === undefined || funds < 0n) return undefined;
    return signTransaction(gatekeeper, network, contract, old.unsigned, raised).catch(keepOnRefusal);
  }
  return Promise.all(transactions.map(async (transaction) => [transaction, await replace(transaction)] as const));
}

/** Bytes of an earlier release may do what the policy no longer allows. They must not stop the other replacements. */
function keepOnRefusal(fault: unknown): KmsFault | undefined {
  return fault instanceof SigningRefused ? undefined : returnKmsFault(fault);
}

/** The other signatures of a list stay useful if the KMS fails at one. */
function returnKmsFault(fault: unknown): KmsFault {
  if (fault instanceof KmsFault) return fault;
  throw fault;
}
