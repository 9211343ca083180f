import type { Hex } from 'viem';
import { type RpcAnswer, resultOf } from '../json-rpc.ts';
import type { Flight, Place, Sighting } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { hasEffect, type Log } from './gateway.ts';

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly status: Hex;
  readonly logs: readonly Log[];
}

/** The chain as it was seen at one moment. */
interface View {
  /** Number of the newest block. */
  readonly head: number;
  /** Number of the newest final block; below 0: none yet. */
  readonly final: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
}

/**
 * Receipts of everything in flight, in one batch. Those that were seen in a block before are not asked for again:
 * while the highest of these blocks is still on the chain, so are all below it.
 */
export async function track({ rpc: send, network, slot }: Ethereum, flights: readonly Flight[]): Promise<Sighting[]> {
  const top = highest(flights);
  const [head, final, topBlock, ...receipts] = await send([
    rpc.blockNumber,
    'tag' in network.final ? rpc.block(network.final.tag) : rpc.blockNumber,
    top === undefined ? rpc.blockNumber : rpc.block(rpc.hex(top.block)),
    ...receiptCalls(flights.filter(({ place }) => place === undefined)),
  ]);
  const height = Number(resultOf<Hex>(head));
  const view = {
    head: height,
    final: 'tag' in network.final ? taggedHeight(final) : height - network.final.depth,
  };
  const standing = top === undefined || stillHolds(resultOf<rpc.Block | null>(topBlock), top);
  const again = standing ? [] : await send(receiptCalls(flights.filter(({ place }) => place !== undefined)));
  const seen: View = { ...view, receipts: byHash([...receipts, ...again]) };

  return flights.map((flight) => {
    if (flight.place === undefined || !standing) return sighting(flight, seen, network, slot);
    return flight.place.block <= seen.final ? { is: 'final' } : { is: 'standing' };
  });
}

function sighting(
  { step, identifiers }: Flight,
  { head, final, receipts }: View,
  network: Ethereum['network'],
  slot: Ethereum['slot'],
): Sighting {
  const receipt = identifiers.map((hash) => receipts.get(hash)).find((each) => each !== undefined);
  if (receipt === undefined) return { is: 'unconfirmed' };
  const { transactionHash: identifier, blockHash: hash } = receipt;
  const block = Number(receipt.blockNumber);
  const itsSlot = slot(step.key.gatekeeperNetwork);
  if (receipt.status !== '0x1' || !hasEffect(step, itsSlot, network.gateway, receipt.logs)) {
    // Signed anew before this one is final, both could take effect after a reorg.
    return block <= final ? { is: 'without-effect', identifier } : { is: 'unconfirmed' };
  }
  if (head - block + 1 < network.confirmations) return { is: 'unconfirmed' };
  return { is: 'confirmed', identifier, place: { block, hash }, onChain: { state: 'ACTIVE', expiry: step.expiry } };
}

function highest(flights: readonly Flight[]): Place | undefined {
  return flights
    .flatMap(({ place }) => place ?? [])
    .reduce<Place | undefined>((top, place) => (top === undefined || place.block > top.block ? place : top), undefined);
}

/** A node that lags behind does not know the block: that is no sign of a reorg. */
function stillHolds(block: rpc.Block | null, place: Place): boolean {
  return block === null || block.hash === place.hash;
}

/** Young chains have no such block yet, and some nodes answer with an error instead of null. */
function taggedHeight(answer: RpcAnswer | undefined): number {
  if (answer === undefined || 'error' in answer || answer.result === null) return -1;
  return Number((answer.result as rpc.Block).number);
}

function receiptCalls(flights: readonly Flight[]) {
  return flights.flatMap(({ identifiers }) => identifiers).map(rpc.receipt);
}

function byHash(answers: readonly RpcAnswer[]): Map<string, Receipt> {
  const receipts = answers.map((answer) => resultOf<Receipt | null>(answer)).filter((each) => each !== null);
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}
