import type { Hex } from 'viem';
import { pairAll } from '../pairs.ts';
import type { InclusionStatus, InFlightTransaction } from '../port.ts';
import type { Ethereum } from './context.ts';
import * as calls from './rpc.ts';

const NONCE_UNKNOWN: InclusionStatus = {
  type: 'unknown',
  why: 'the node does not have the state of a block shortly before its final block',
};

/** Minimum time before the final block at which a nonce must have been used. */
const MARGIN_MS = 60_000;

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
