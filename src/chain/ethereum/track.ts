import type { Hex } from 'viem';
import type { RpcAnswer } from '../json-rpc.ts';
import type { BlockReference, InclusionStatus, InFlightTransaction } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { hasEffect, type Log } from './gateway.ts';
import { expireUsedNonces } from './used-nonces.ts';

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly status: Hex;
  readonly logs: readonly Log[];
}

/** The chain as it was seen at one moment. What a node did not answer is not in it. */
interface View {
  /** Number of the newest block. */
  readonly head: number;
  /** Number of the newest final block; below 0: none yet. */
  readonly final: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Hashes of blocks by number. */
  readonly blocks: ReadonlyMap<number, string>;
}

/**
 * Receipts of everything in flight, in one batch. Those that were seen in a block before are asked for again only when
 * that block may be final, and when the highest of these blocks has left the chain; those without one, when their nonce is
 * used up.
 */
export async function track(chain: Ethereum, flights: readonly InFlightTransaction[]): Promise<InclusionStatus[]> {
  const { rpc: send, network, slot, account } = chain;
  const top = highest(flights);
  const loose = flights.filter(({ includedIn }) => includedIn === undefined);
  const [head, tagged, topBlock, count, ...receipts] = await send([
    rpc.blockNumber,
    'tag' in network.final ? rpc.block(network.final.tag) : rpc.blockNumber,
    top === undefined ? rpc.blockNumber : rpc.block(rpc.hex(top.block)),
    rpc.nonce(account, 'latest'),
    ...receiptCalls(loose),
  ]);
  const height = Number(rpc.quantityOf(head));
  const final = 'tag' in network.final ? (blockOf(tagged)?.number ?? -1) : height - network.final.depth;

  const topHash = top && blockOf(topBlock)?.hash;
  const reorganized = topHash !== undefined && topHash !== top?.hash;
  const doubted = flights.filter(({ includedIn }) => includedIn && (reorganized || includedIn.block <= final));
  const numbers = [...new Set(doubted.flatMap(({ includedIn }) => includedIn?.block ?? []))];
  const again = await send([...numbers.map((number) => rpc.block(rpc.hex(number))), ...receiptCalls(doubted)]);
  const view: View = {
    head: height,
    final,
    receipts: byHash([...receipts, ...again.slice(numbers.length)]),
    blocks: new Map(again.slice(0, numbers.length).flatMap((answer) => blockEntry(blockOf(answer)))),
  };
  const used = Number(rpc.quantityOf(count));
  const overdue = loose.filter(
    ({ nonce = used, identifiers }) => nonce < used && receiptIn(view.receipts, identifiers) === undefined,
  );
  const decided = await expireUsedNonces(chain, overdue, final);
  return flights.map((flight) => {
    if (flight.includedIn === undefined) return decided.get(flight) ?? inclusionOf(flight, view, network, slot);
    return doubted.includes(flight)
      ? inclusionAgainOf(flight, flight.includedIn, view, network, slot)
      : { type: 'still-included' };
  });
}

/** What became of a transaction that no block was known to hold. */
function inclusionOf(
  { step, identifiers }: InFlightTransaction,
  { head, final, receipts }: View,
  network: Ethereum['network'],
  slot: Ethereum['slot'],
): InclusionStatus {
  const receipt = receiptIn(receipts, identifiers);
  if (receipt === undefined) return { type: 'unconfirmed' };
  const { transactionHash: identifier, blockHash: hash } = receipt;
  const block = Number(receipt.blockNumber);
  if (receipt.status !== '0x1' || !hasEffect(step, slot(step.key.gatekeeperNetwork), network.gateway, receipt.logs)) {
    // Signed anew before this one is final, both could take effect after a reorg.
    return block <= final ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  }
  if (head - block + 1 < network.confirmations) return { type: 'unconfirmed' };
  return { type: 'confirmed', identifier, includedIn: { block, hash } };
}

/**
 * What became of a transaction that was seen in a block. Only its receipt proves that it is still there, and only
 * another block at that height that it is not: a node that lags, or does not answer, proves nothing.
 */
function inclusionAgainOf(
  flight: InFlightTransaction,
  place: BlockReference,
  view: View,
  network: Ethereum['network'],
  slot: Ethereum['slot'],
): InclusionStatus {
  const receipt = receiptIn(view.receipts, flight.identifiers);
  const hash = view.blocks.get(place.block);
  // The node that has the receipt may be another than the one that knows which blocks are final.
  const isFinal = place.block <= view.final && hash === place.hash;
  if (receipt?.blockHash === place.hash) return { type: isFinal ? 'final' : 'still-included' };
  if (receipt !== undefined) return inclusionOf(flight, view, network, slot);
  return { type: hash !== undefined && hash !== place.hash ? 'unconfirmed' : 'still-included' };
}

function highest(flights: readonly InFlightTransaction[]): BlockReference | undefined {
  return flights
    .flatMap(({ includedIn }) => includedIn ?? [])
    .reduce<BlockReference | undefined>((top, place) => (top && top.block >= place.block ? top : place), undefined);
}

/** Undefined when the node does not have it: young chains have no final block yet, and some answer with an error. */
function blockOf(answer: RpcAnswer | undefined): { number: number; hash: string } | undefined {
  if (answer === undefined || 'error' in answer || answer.result === null) return undefined;
  const { number, hash } = answer.result as rpc.Block;
  return { number: Number(number), hash };
}

function blockEntry(block: { number: number; hash: string } | undefined): [number, string][] {
  return block === undefined ? [] : [[block.number, block.hash]];
}

function receiptCalls(flights: readonly InFlightTransaction[]) {
  return flights.flatMap(({ identifiers }) => identifiers).map(rpc.receipt);
}

function byHash(answers: readonly RpcAnswer[]): Map<string, Receipt> {
  const receipts = answers.flatMap((answer) => ('result' in answer && isReceipt(answer.result) ? answer.result : []));
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}

/** Some clients give receipts of transactions that no block holds yet, with null in places. */
function isReceipt(result: unknown): result is Receipt {
  const { blockNumber, blockHash, status, logs } = Object(result) as Partial<Record<keyof Receipt, unknown>>;
  return isHex(blockNumber) && typeof blockHash === 'string' && /^0x[01]$/.test(String(status)) && Array.isArray(logs);
}

const isHex = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value);

function receiptIn(receipts: View['receipts'], identifiers: readonly string[]): Receipt | undefined {
  return identifiers.map((hash) => receipts.get(hash)).find((each) => each !== undefined);
}
