import type { Hex } from 'viem';
import type { InclusionStatus, InFlightTransaction } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';

const UNTOLD: InclusionStatus = {
  type: 'unknown',
  why: 'the node cannot tell the nonce of a while before its final block',
};

/** How long before the final block a nonce must have been used up. */
const MARGIN_MS = 60_000;

/**
 * What became of transactions whose nonce is used up, though no block seems to hold them: when another one with that nonce
 * is final, somebody else used the key, and they have expired. Asked in one request for that block, and all receipts once
 * more: a node that is behind proves nothing. Left out is what is not decided yet.
 *
 * Behind one URL, each of these may be answered by another node, and receipts cannot be asked for as of a block. So the
 * nonce must have been used up for a minute: a node that has no receipt then is not that far behind the others.
 * @param final Number of the newest final block; below 0: none yet.
 */
export async function expireUsedNonces(
  { rpc: send, account, network }: Ethereum,
  flights: readonly InFlightTransaction[],
  final: number,
): Promise<ReadonlyMap<InFlightTransaction, InclusionStatus>> {
  const before = final - Math.ceil(MARGIN_MS / network.blockMs);
  if (flights.length === 0 || before < 0) return new Map();
  const hashes = flights.flatMap(({ identifiers }) => identifiers);
  const [block, count, ...receipts] = await send([
    rpc.block(rpc.hex(final)),
    rpc.nonceAt(account, rpc.hex(before)),
    ...hashes.map(rpc.receipt),
  ]);
  if (rpc.numberOf(block) !== final || count === undefined) return new Map();
  if ('error' in count) return new Map(flights.map((flight) => [flight, UNTOLD]));
  const used = Number(count.result as Hex);
  // An error is no absence.
  const absent = new Set(hashes.filter((_, index) => Object(receipts[index]).result === null));
  return new Map(
    flights
      .filter(({ nonce = used, identifiers }) => nonce < used && identifiers.every((hash) => absent.has(hash)))
      .map((flight) => [flight, { type: 'expired', asOf: final }]),
  );
}
