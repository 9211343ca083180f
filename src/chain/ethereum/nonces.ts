import type { Hex } from 'viem';
import { MINUTE_MS } from '../../lib/time.ts';
import { pairAll } from '../pairs.ts';
import { mayBeBehind } from '../plan-step.ts';
import type { FinalNonce, InclusionStatus, InFlightTransaction, Signed } from '../port.ts';
import { isUnanswered, type RpcAnswer, resultOf } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import * as calls from './rpc.ts';
import { addGasMargin } from './simulate.ts';
import { signTransaction } from './transaction.ts';

/**
 * Reads the account's nonce as of the newest final block; undefined while the chain has no final block. Throws RpcFault if
 * the node does not answer for the final block, or does not have its state.
 */
export async function readFinalNonce({
  rpc,
  network: { final },
  gatekeeper,
}: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>): Promise<FinalNonce | undefined> {
  const [newest] = await rpc(['tag' in final ? calls.block(final.tag) : calls.newestBlock]);
  if (isUnanswered(newest)) resultOf(newest);
  const number = (calls.numberOf(newest) ?? -1) - ('tag' in final ? 0 : final.depth);
  if (number < 0) return undefined;
  // Read by number: with a tag, the calls of a batch could be answered as of different blocks.
  const at = calls.hex(number);
  const [block, count] = await rpc([calls.block(at), calls.nonceAt(gatekeeper.address, at)]);
  return { nonce: calls.countOf(count), time: Number(calls.blockOf(block).timestamp) };
}

const NONCE_UNKNOWN: InclusionStatus = {
  type: 'unknown',
  why: 'the node does not have the state of a block shortly before its final block',
};

/** Minimum time before the final block at which a nonce must have been used. */
const MARGIN_MS = MINUTE_MS;

/**
 * Decides about transactions whose nonce is used although no block seems to include them. If another transaction with the
 * nonce is final, somebody else used the key, and ours have expired. Usually one of our own transactions used the nonce, and
 * the node is behind. So one request reads the block, all receipts and all transactions once more. The result omits
 * transactions that are not decided yet.
 *
 * Behind one URL, another node may answer each call, and a receipt cannot be read as of a block. So the nonce must have been
 * used for a minute: no node without the receipt is that far behind the others.
 * @param final Number of the newest final block; negative if there is none yet.
 */
export async function expireUsedNonces(
  { rpc, gatekeeper, network }: Ethereum,
  transactions: readonly InFlightTransaction[],
  final: number,
): Promise<ReadonlyMap<InFlightTransaction, InclusionStatus>> {
  const before = final - Math.ceil(MARGIN_MS / network.blockMs);
  if (transactions.length === 0 || before < 0) return new Map();
  const hashes = transactions.flatMap(({ identifiers }) => identifiers);
  const [block, count, ...answers] = await rpc([
    calls.block(calls.hex(final)),
    calls.nonceAt(gatekeeper.address, calls.hex(before)),
    ...hashes.map(calls.receipt),
    ...hashes.map(calls.transaction),
  ]);
  if (calls.numberOf(block) !== final || count === undefined) return new Map();
  if ('error' in count) return new Map(pairAll(transactions, NONCE_UNKNOWN));
  const used = Number(count.result as Hex);
  // An error does not prove that no receipt exists. A node that knows a transaction may lack its receipt.
  const isNull = (answer: unknown) => Object(answer).result === null;
  const [receipts, known] = [answers.slice(0, hashes.length), answers.slice(hashes.length)];
  const isAbsent = new Set(hashes.filter((_, index) => isNull(receipts[index]) && isNull(known[index])));
  const expired = transactions.filter(
    ({ nonce = used, identifiers }) => nonce < used && identifiers.every((hash) => isAbsent.has(hash)),
  );
  return new Map(pairAll(expired, { type: 'expired', asOf: final }));
}

/** Gas of a transfer. Chains that pay for their data on another chain need more. */
const TRANSFER_GAS = 21_000n;
/** A transfer may use at most `maxGas` divided by this number. */
const TRANSFER_MAX_PART = 10;

/**
 * Signs an empty transfer to the own address at each of these nonces. The nodes' answers to the broadcast do not matter: if the
 * node already has such a transaction, or the nonce is used, the gap is closed too. It signs nothing while the node may be behind
 * its chain, because transactions that the node does not show may exist.
 */
export async function signGapFillers(
  { rpc, network, gatekeeper }: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>,
  nonces: readonly number[],
): Promise<(Signed & { nonce: number })[]> {
  if (nonces.length === 0) return [];
  const { address } = gatekeeper;
  const transfer = { from: address, to: address, value: '0x0' };
  const [estimate, ...answers] = await rpc([calls.estimateGas(transfer), ...conditionCalls(address, network)]);
  const { price, time } = readConditions(answers, network);
  if (mayBeBehind(time, Date.now())) return [];
  const gas = gasOf(estimate, network);
  return Promise.all(
    nonces.map(async (nonce) => ({
      nonce,
      ...(await signTransaction(gatekeeper, network, { to: address, gas, nonce }, price)),
    })),
  );
}

/** Returns the gas limit. A transfer needs far less gas than a call of the contract, so a high estimate is cut. */
function gasOf(estimate: RpcAnswer | undefined, { maxGas }: Ethereum['network']): bigint {
  if (estimate === undefined || 'error' in estimate) return TRANSFER_GAS;
  const gas = calls.quantityOf(estimate);
  const most = BigInt(Math.floor(maxGas / TRANSFER_MAX_PART));
  return gas === TRANSFER_GAS ? gas : [addGasMargin(gas), most].reduce((a, b) => (a < b ? a : b));
}
