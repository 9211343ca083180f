import type { NanoCoins } from '../../lib/brand.ts';
import type { Hex } from '../../lib/hex.ts';
import { MINUTE_MS } from '../../lib/time.ts';
import {
  type BlockReference,
  type InclusionStatus,
  type InFlightTransaction,
  type Pairs,
  pairAll,
  pairUp,
} from '../port.ts';
import { isUnanswered, type RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import type { Ethereum } from './context.ts';
import { hasEffect, type Log } from './gateway.ts';
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
  readonly head: number;
  /** Number of the newest final block; negative if there is none yet. */
  readonly final: number;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Hashes of the transactions, and numbers of the blocks, for which the node answered with an error. */
  readonly unanswered: ReadonlySet<string | number>;
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
  const final = 'tag' in network.final ? (calls.numberOf(tagged) ?? -1) : height - network.final.depth;

  const topHash = top && calls.findBlock(topBlock)?.hash;
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
    blocks: new Map(
      blockAnswers.flatMap(([, answer]) => {
        const block = calls.findBlock(answer);
        return block ? [[Number(block.number), block.hash] as const] : [];
      }),
    ),
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
  if (receipt.status !== '0x1' || !hasEffect(step, slot(step.key.gatekeeperNetwork), receipt.logs)) {
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
async function expireUsedNonces(
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
