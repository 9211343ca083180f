import type { Hex } from 'viem';
import type { NanoCoins } from '../../lib/brand.ts';
import { type Pairs, pairUp } from '../pairs.ts';
import type { BlockReference, InclusionStatus, InFlightTransaction } from '../port.ts';
import { isUnanswered, type RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import type { Ethereum } from './context.ts';
import { hasEffect, type Log } from './gateway.ts';
import { expireUsedNonces } from './nonces.ts';
import * as calls from './rpc.ts';

interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly status: Hex;
  readonly logs: readonly Log[];
  readonly gasUsed?: Hex;
  readonly effectiveGasPrice?: Hex;
  /** OP stack: the paid L1 data fee. */
  readonly l1Fee?: Hex;
}

/** The chain at one moment. It lacks blocks and receipts that the node did not return. */
interface View {
  /** Number of the newest block. */
  readonly head: number;
  /** Number of the newest final block; negative if there is none yet. */
  readonly final: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Hashes of the transactions, and numbers of the blocks, for which the node answered with an error. */
  readonly unanswered: ReadonlySet<string | number>;
  /** Hashes of blocks by number. */
  readonly blocks: ReadonlyMap<number, string>;
  /** Number of the gatekeeper's transactions in blocks. All lower nonces are used. */
  readonly used: number;
}

/**
 * Reads the receipts of all transactions in one batch. It reads the receipt of an already confirmed transaction again only if
 * the block may be final, or if the highest of these blocks left the chain. It reads a transaction without a receipt again if
 * its nonce is used.
 */
export async function track<T extends InFlightTransaction>(
  chain: Ethereum,
  transactions: readonly T[],
): Promise<Pairs<T, InclusionStatus>> {
  const { rpc, network, slot, gatekeeper } = chain;
  const top = highestBlock(transactions);
  const pending = transactions.filter(({ includedIn }) => includedIn === undefined);
  const [head, tagged, topBlock, count, ...receipts] = await rpc([
    calls.blockNumber,
    'tag' in network.final ? calls.block(network.final.tag) : calls.blockNumber,
    top === undefined ? calls.blockNumber : calls.block(calls.hex(top.block)),
    calls.nonce(gatekeeper.address),
    ...receiptCalls(pending),
  ]);
  const height = Number(calls.quantityOf(head));
  const final = 'tag' in network.final ? (blockOf(tagged)?.number ?? -1) : height - network.final.depth;

  const topHash = top && blockOf(topBlock)?.hash;
  const isReorganized = topHash !== undefined && topHash !== top?.hash;
  const doubtful = transactions.filter(({ includedIn }) => includedIn && (isReorganized || includedIn.block <= final));
  const numbers = [...new Set(doubtful.flatMap(({ includedIn }) => includedIn?.block ?? []))];
  const again = await rpc([...numbers.map((number) => calls.block(calls.hex(number))), ...receiptCalls(doubtful)]);
  const blockAnswers = pairUp(numbers, again.slice(0, numbers.length));
  const receiptAnswers = pairUp(hashesOf([...pending, ...doubtful]), [...receipts, ...again.slice(numbers.length)]);
  const used = Number(calls.quantityOf(count));
  const view: View = {
    used,
    head: height,
    final,
    receipts: receiptsIn(receiptAnswers),
    unanswered: new Set(
      [...blockAnswers, ...receiptAnswers].flatMap(([of, answer]) => (isUnanswered(answer) ? [of] : [])),
    ),
    blocks: new Map(blockAnswers.flatMap(([, answer]) => blockEntry(blockOf(answer)))),
  };
  const overdue = pending.filter(
    ({ nonce = used, identifiers }) => nonce < used && receiptIn(view.receipts, identifiers) === undefined,
  );
  const expired = await expireUsedNonces(chain, overdue, final);
  function statusOf(transaction: T): InclusionStatus {
    const { includedIn } = transaction;
    if (includedIn === undefined) return expired.get(transaction) ?? inclusionOf(transaction, view, network, slot);
    if (!doubtful.includes(transaction)) return stillIncluded('tag' in network.final && isUnanswered(tagged));
    return inclusionAgainOf(transaction, includedIn, view, network, slot);
  }
  return transactions.map((transaction) => [transaction, statusOf(transaction)]);
}

/** Returns the status of a transaction that was not seen in a block before. */
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
    // If the step were signed again before this block is final, both transactions could take effect after a reorg.
    return block <= final ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  }
  if (head - block + 1 < network.confirmations) return { type: 'unconfirmed' };
  return { type: 'confirmed', identifier, includedIn: { block, hash } };
}

/**
 * Returns the status of a transaction that was seen in a block. Only its receipt proves that the block still includes it.
 * Another block at that height proves that it left the chain. So does an unused nonce once the block is final, because an
 * endpoint may have lied about the receipt. A node that lags or does not answer proves nothing.
 */
function inclusionAgainOf(
  transaction: InFlightTransaction,
  place: BlockReference,
  view: View,
  network: Ethereum['network'],
  slot: Ethereum['slot'],
): InclusionStatus {
  const receipt = receiptIn(view.receipts, transaction.identifiers);
  const hash = view.blocks.get(place.block);
  // Different nodes may have answered for the receipt and for the final block.
  const isFinal = place.block <= view.final && hash === place.hash;
  if (receipt !== undefined && receipt.blockHash === place.hash)
    return isFinal ? { type: 'final', cost: costOf(receipt) } : { type: 'still-included' };
  if (receipt !== undefined) return inclusionOf(transaction, view, network, slot);
  const isUnused = isFinal && transaction.nonce !== undefined && view.used <= transaction.nonce;
  const isGone = isUnused || (hash !== undefined && hash !== place.hash);
  if (isGone) return { type: 'unconfirmed' };
  return stillIncluded([place.block, ...transaction.identifiers].some((each) => view.unanswered.has(each)));
}

/** @param isUnanswered Whether the node lacks the answer that would show more. */
function stillIncluded(isUnanswered: boolean): InclusionStatus {
  return { type: 'still-included', ...(isUnanswered && { isUnanswered }) };
}

/** Returns the cost of the transaction for the account; undefined if the receipt lacks it. */
function costOf({ gasUsed, effectiveGasPrice, l1Fee = '0x0' }: Receipt): NanoCoins | undefined {
  if (gasUsed === undefined || effectiveGasPrice === undefined) return undefined;
  return nanoCoinsOfWei(BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee));
}

function highestBlock(transactions: readonly InFlightTransaction[]): BlockReference | undefined {
  return transactions
    .flatMap(({ includedIn }) => includedIn ?? [])
    .reduce<BlockReference | undefined>((top, place) => (top && top.block >= place.block ? top : place), undefined);
}

/** Returns undefined if the node lacks the block. Young chains have no final block yet, and some nodes answer with an error. */
function blockOf(answer: RpcAnswer | undefined): { number: number; hash: string } | undefined {
  if (answer === undefined || 'error' in answer || answer.result === null) return undefined;
  const { number, hash } = answer.result as calls.Block;
  return { number: Number(number), hash };
}

function blockEntry(block: { number: number; hash: string } | undefined): [number, string][] {
  return block === undefined ? [] : [[block.number, block.hash]];
}

const hashesOf = (transactions: readonly InFlightTransaction[]) =>
  transactions.flatMap(({ identifiers }) => identifiers);
const receiptCalls = (transactions: readonly InFlightTransaction[]) => hashesOf(transactions).map(calls.receipt);

function receiptsIn(answers: Pairs<string, RpcAnswer>): Map<string, Receipt> {
  const receipts = answers.flatMap(([, answer]) =>
    'result' in answer ? ((answer.result as Receipt | null) ?? []) : [],
  );
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}

function receiptIn(receipts: View['receipts'], identifiers: readonly string[]): Receipt | undefined {
  return identifiers.map((hash) => receipts.get(hash)).find((each) => each !== undefined);
}
