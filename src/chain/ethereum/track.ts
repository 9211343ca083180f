import type { Hex } from '../../lib/bytes.ts';
import type { NanoCoins } from '../../lib/units.ts';
import { type BlockReference, type InclusionStatus, type InFlightTransaction, type Pairs, pairUp } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import { nanoCoinsOfWei } from '../units.ts';
import { type Log, showsEffect } from './gateway.ts';
import type { Ethereum } from './rpc.ts';
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
  /** Number of the newest final block; undefined: the node shows none. */
  readonly final: number | undefined;
  readonly receipts: ReadonlyMap<string, Receipt>;
  /** Number and hash of the blocks. */
  readonly blocks: ReadonlyMap<number, string>;
  /** Number of the gatekeeper's transactions in blocks. All lower nonces are used. */
  readonly used: number;
}

/** The answers that a node withholds, as the operator reads them: the call, and the fact that other answers prove. */
const RECEIPT = 'eth_getTransactionReceipt shows nothing, although the nonce is used';
const HEAD = 'eth_blockNumber is behind the block that the receipt names';
const HASH = 'eth_getTransactionReceipt and eth_getBlockByNumber name different hashes of the block';
const BLOCK = 'eth_getBlockByNumber does not show the block of the receipt';
const FINAL = 'eth_getBlockByNumber shows no final block';

/**
 * Reads the receipts of all transactions in one batch. It reads the receipt of an already confirmed transaction again only if
 * the block may be final, or if the highest of these blocks left the chain.
 */
export async function track<T extends InFlightTransaction>(
  { rpc, network, slot, gatekeeper }: Ethereum,
  transactions: readonly T[],
): Promise<Pairs<T, InclusionStatus>> {
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
  const final = 'tag' in network.final ? calls.finalNumberOf(tagged) : height - network.final.depth;

  const topHash = top && calls.findBlock(topBlock)?.hash;
  const isReorganized = topHash !== undefined && topHash !== top?.hash;
  const doubtful = transactions.filter(
    ({ includedIn }) => includedIn && (isReorganized || isWithin(final, includedIn.block)),
  );
  const numbers = [...new Set(doubtful.flatMap(({ includedIn }) => includedIn?.block ?? []))];
  const again = await rpc([...numbers.map((number) => calls.block(calls.hex(number))), ...receiptCalls(doubtful)]);
  const blockAnswers = pairUp(numbers, again.slice(0, numbers.length));
  const receiptAnswers = pairUp(hashesOf([...pending, ...doubtful]), [...receipts, ...again.slice(numbers.length)]);
  const view: View = {
    used: Number(calls.quantityOf(count)),
    head: height,
    final,
    receipts: receiptsIn(receiptAnswers),
    blocks: new Map(
      blockAnswers.flatMap(([, answer]) => {
        const block = calls.findBlock(answer);
        return block ? [[Number(block.number), block.hash] as const] : [];
      }),
    ),
  };
  function statusOf(transaction: T): InclusionStatus {
    const { includedIn } = transaction;
    if (includedIn === undefined) return inclusionOf(transaction, view, network, slot);
    if (!doubtful.includes(transaction)) return final === undefined ? withheld(FINAL) : { type: 'still-included' };
    return inclusionAgainOf(transaction, includedIn, view, network, slot);
  }
  return transactions.map((transaction) => [transaction, statusOf(transaction)]);
}

const withheld = (why: string): InclusionStatus => ({ type: 'unknown', why });
const isWithin = (final: number | undefined, block: number) => final !== undefined && block <= final;

/**
 * Returns the status of a transaction that was not seen in a block before. A used nonce without a receipt proves nothing: the node may
 * lack the receipt of ours, or somebody else used the key.
 */
function inclusionOf(
  { step, identifiers, nonce }: InFlightTransaction,
  { head, final, receipts, used }: View,
  network: Ethereum['network'],
  slot: Ethereum['slot'],
): InclusionStatus {
  const receipt = receiptIn(receipts, identifiers);
  if (receipt === undefined) return nonce !== undefined && nonce < used ? withheld(RECEIPT) : { type: 'unconfirmed' };
  const { transactionHash: identifier, blockHash: hash } = receipt;
  const block = Number(receipt.blockNumber);
  if (block > head) return withheld(HEAD);
  if (receipt.status !== '0x1' || !showsEffect(step, slot(step.key.gatekeeperNetwork), receipt.logs)) {
    // If the step were signed again before this block is final, both transactions could take effect after a reorg.
    return isWithin(final, block) ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  }
  if (head - block + 1 < network.confirmations) return { type: 'unconfirmed' };
  return { type: 'confirmed', identifier, includedIn: { block, hash } };
}

/**
 * Returns the status of a transaction that was seen in a block. Only its receipt proves that the block still includes it.
 * Another block at that height proves that it left the chain. So does an unused nonce once the block is final, because an
 * endpoint may have lied about the receipt. A node that lags, does not answer or contradicts itself proves nothing.
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
  const isFinal = isWithin(view.final, place.block);
  if (receipt !== undefined && Number(receipt.blockNumber) === place.block) {
    // Different nodes may have answered for the receipt and for the block.
    if (hash === undefined) return withheld(BLOCK);
    if (hash !== receipt.blockHash) return withheld(HASH);
    if (hash === place.hash) return isFinal ? { type: 'final', cost: costOf(receipt) } : { type: 'still-included' };
  }
  if (receipt !== undefined) return inclusionOf(transaction, view, network, slot);
  const isUnused = isFinal && transaction.nonce !== undefined && view.used <= transaction.nonce;
  const isGone = (hash !== undefined && hash !== place.hash) || (hash !== undefined && isUnused);
  return isGone ? { type: 'unconfirmed' } : withheld(hash === undefined ? BLOCK : RECEIPT);
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
