import type { Address } from '@solana/kit';
import type { Account, Bank, Execution, Runtime, TransactionError } from '../runtime/runtime.ts';
import { type Accounts, accountAt, forgetBefore, replaceAccount, undoFrom, writeAccount } from './accounts.ts';
import {
  addBlock,
  BLOCKHASH_VALID_BLOCKS,
  type Block,
  type Chain,
  dropNewest,
  isBlockhashFresh,
  newestBlock,
} from './blocks.ts';
import type { SentTransaction } from './sent-transaction.ts';
import { CLOCK, clockAccount, RENT, rentAccount } from './sysvars.ts';

/** A transaction in a block. */
export interface LandedTransaction {
  readonly slot: number;
  /** Seconds. */
  readonly unixTimestamp: number;
  readonly error: TransactionError | undefined;
  readonly addresses: readonly Address[];
  /** Empty for an airdrop, which has no transaction here. */
  readonly wire: Uint8Array;
  /** The version that the node claims instead of the transaction's own: a test lets it be one of the future. */
  readonly claimedVersion?: number;
}

export interface Ledger {
  readonly runtime: Runtime;
  readonly chain: Chain;
  readonly accounts: Accounts;
  /** Transactions for the next block, by signature. */
  readonly waiting: Map<string, SentTransaction>;
  /** By signature, in the order of the blocks. */
  readonly landed: Map<string, LandedTransaction>;
  /** Rent of an account. It does not survive a restart. */
  lamportsPerByte: bigint;
  /** Counts the changes that must survive a restart. */
  changes: number;
}

/** The length of the history that a development node needs. Older entries are deleted. */
const LANDED_MAX_COUNT = 20_000;

/** Returns the first slot whose transactions the ledger still has. */
export function firstAvailableSlot({ landed }: Pick<Ledger, 'landed'>): number {
  const [oldest] = landed.values();
  return landed.size < LANDED_MAX_COUNT || oldest === undefined ? 0 : oldest.slot + 1;
}

/** Makes the next block of the waiting transactions. Transactions that cannot enter it are deleted. */
export function makeBlock(ledger: Ledger, ahead = 1): Block {
  const wasFinal = ledger.chain.root.slot;
  const parent = newestBlock(ledger.chain);
  const block = addBlock(ledger.chain, ahead);
  const waiting = [...ledger.waiting.values()];
  ledger.waiting.clear();
  for (const sent of waiting) {
    const { lands, error, writes } = tryExecute(ledger, sent, block, ahead === 1 ? parent : block);
    if (!lands) continue;
    landTransaction(ledger, sent.signature, { error, addresses: sent.addresses, wire: sent.wire }, writes);
    block.prices.push(sent.price);
  }
  for (const { slot, changed } of ledger.chain.blocks) {
    if (slot <= wasFinal || slot > ledger.chain.root.slot) continue;
    for (const address of changed) forgetBefore(ledger.accounts, address, slot);
  }
  return block;
}

/** A transaction that makes the runtime throw must not end the chain. */
function tryExecute(ledger: Ledger, sent: SentTransaction, block: Block, parent: Block): Execution {
  try {
    return execute(ledger, sent, block, { ...ALL_CHECKS, parent });
  } catch (error) {
    console.error(`${sent.signature} was not run:`, error);
    return refusedExecution('SanitizeFailure');
  }
}

/** Makes every blockhash so far expire, at each commitment. */
export function expireBlockhashes(ledger: Ledger): void {
  makeBlock(ledger, BLOCKHASH_VALID_BLOCKS + 2);
  for (let blocks = 0; blocks <= ledger.chain.depths.finalized; blocks++) makeBlock(ledger);
  ledger.changes++;
}

/**
 * Runs the transaction on the state of that block, without storing its changes.
 * @param checks Which checks run: of the signatures, and of the blockhash and repetition. In a block that is being made, the age of a
 * blockhash counts from its parent (Agave's queue ends with the parent's hash), so the block after `lastValidBlockHeight` accepts
 * it too.
 */
export function execute(ledger: Ledger, sent: SentTransaction, block: Block, checks: Checks = ALL_CHECKS): Execution {
  const execution = ledger.runtime.run(sent.transaction, bankOf(ledger, block), checks.signatures);
  // A validator reports a wrong signature first.
  if (execution.error === 'SignatureFailure' || !checks.age) return execution;
  const refusal = refusalOf(ledger, sent, block, checks.parent ?? block);
  return refusal ? refusedExecution(refusal) : execution;
}

function refusedExecution(error: TransactionError): Execution {
  return { error, lands: false, unitsConsumed: 0n, logs: [], writes: new Map() };
}

interface Checks {
  readonly signatures: boolean;
  readonly age: boolean;
  readonly parent?: Block;
}

const ALL_CHECKS: Checks = { signatures: true, age: true };

function refusalOf(
  { chain, landed }: Ledger,
  sent: SentTransaction,
  block: Block,
  parent: Block,
): TransactionError | undefined {
  if (!isBlockhashFresh(chain, sent.blockhash, parent)) return 'BlockhashNotFound';
  const before = landed.get(sent.signature);
  return before && before.slot <= block.slot ? 'AlreadyProcessed' : undefined;
}

/** Puts a transaction and its changes into the newest block. */
export function landTransaction(
  ledger: Ledger,
  signature: string,
  what: Omit<LandedTransaction, 'slot' | 'unixTimestamp'>,
  writes: ReadonlyMap<Address, Account | undefined>,
): void {
  const block = newestBlock(ledger.chain);
  ledger.landed.set(signature, { ...what, slot: block.slot, unixTimestamp: block.unixTimestamp });
  if (ledger.landed.size > LANDED_MAX_COUNT) ledger.landed.delete(ledger.landed.keys().next().value as string);
  block.signatures.push(signature);
  for (const [address, account] of writes) {
    writeAccount(ledger.accounts, address, block.slot, account);
    block.changed.add(address);
  }
  ledger.changes++;
}

/** Simulates a fork: removes the newest blocks that are not final, with their transactions. */
export function rollBack(ledger: Ledger, count: number): void {
  for (const { slot, changed, signatures } of dropNewest(ledger.chain, count).reverse()) {
    for (const address of changed) undoFrom(ledger.accounts, address, slot);
    for (const signature of signatures) ledger.landed.delete(signature);
    ledger.changes++;
  }
}

/** Replaces an account without a transaction, at every commitment at once. */
export function setAccount(ledger: Ledger, address: Address, account: Account | undefined): void {
  replaceAccount(ledger.accounts, address, account);
  ledger.changes++;
}

/** Returns the state in that block. */
export function bankOf(
  { accounts, lamportsPerByte }: Pick<Ledger, 'accounts' | 'lamportsPerByte'>,
  block: Block,
): Bank {
  return {
    account(address) {
      if (address === CLOCK) return clockAccount(block);
      return address === RENT ? rentAccount(lamportsPerByte) : accountAt(accounts, address, block.slot);
    },
    lamportsPerByte,
    clock: { slot: BigInt(block.slot), unixTimestamp: BigInt(block.unixTimestamp) },
  };
}
