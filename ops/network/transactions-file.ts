import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { replaceFile } from '../../packages/cli/src/replace-file.ts';
import { Failure } from '../../terminal/failure.ts';
import { lockWithFile } from '../../terminal/process-lock.ts';
import { codeOf, readText } from '../files.ts';

/** A signed transaction, and the number above which no block can include it. */
const SignedTransaction = v.object({
  identifier: v.string(),
  bytes: v.string(),
  /** Ethereum-type networks. */
  nonce: v.optional(v.number()),
  /** Solana. */
  lastValidBlockHeight: v.optional(v.number()),
});
export type SignedTransaction = Readonly<v.InferOutput<typeof SignedTransaction>>;

const StoredTransaction = v.pipe(
  v.object({
    ...SignedTransaction.entries,
    network: v.string(),
    /** The subject of the change: a gatekeeper network, or the address of a contract. */
    subject: v.string(),
    account: v.string(),
    /** The change as part of a sentence. */
    change: v.string(),
  }),
  v.check(({ bytes, identifier, nonce }) => {
    const isEthereum = bytes.startsWith('0x');
    return !isEthereum || (nonce !== undefined && keccak256(bytes as Hex) === identifier);
  }),
);
export type StoredTransaction = Readonly<v.InferOutput<typeof StoredTransaction>>;

const Content = v.object({ transactions: v.array(StoredTransaction) });

/**
 * The transactions that were signed and are not final. They are on disk before a node sees them, so a run after a crash sends
 * the same bytes again and signs nothing twice. Only one process may have the file open.
 */
export class TransactionsFile {
  readonly #file: string;
  #transactions: readonly StoredTransaction[];

  /** Lets other processes open the file. */
  readonly close: () => void;

  private constructor(file: string, close: () => void) {
    this.#file = file;
    this.#transactions = readTransactions(file);
    this.close = close;
  }

  /** Opens the file to read it, whether or not another process uses it. Throws Failure if it has another content. */
  static view(file: string): TransactionsFile {
    return new TransactionsFile(file, () => undefined);
  }

  /** Throws Failure if the file has another content, if another process uses it, or if it cannot be written. */
  static async open(file: string): Promise<TransactionsFile> {
    const close = await orFail(file, () => {
      mkdirSync(dirname(file), { recursive: true });
      return lockWithFile(
        `${file}.lock`,
        (pid) => `--state: process ${pid} uses ${file}: wait until it ends, or name another file`,
      );
    });
    return new TransactionsFile(file, close);
  }

  /** Returns the transactions of an account on a network, oldest first. */
  of(network: string, account: string): StoredTransaction[] {
    return this.#transactions.filter((each) => each.network === network && each.account === account);
  }

  async add(transaction: StoredTransaction): Promise<void> {
    await this.#write([...this.#transactions, transaction]);
  }

  async remove({ identifier }: StoredTransaction): Promise<void> {
    await this.#write(this.#transactions.filter((each) => each.identifier !== identifier));
  }

  async #write(transactions: readonly StoredTransaction[]): Promise<void> {
    const text = `${JSON.stringify({ transactions }, undefined, 2)}\n`;
    await orFail(this.#file, () => replaceFile(this.#file, text, 0o600));
    this.#transactions = transactions;
  }
}

/** Turns the fault of a file into a Failure. */
async function orFail<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`--state: ${file} cannot be written (${codeOf(error)})`);
  }
}

function readTransactions(file: string): readonly StoredTransaction[] {
  if (!existsSync(file)) return [];
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), Content), readText(file, '--state'));
  if (!success) throw new Failure(`--state: ${file} is not a file of this command: name another file`);
  return output.transactions;
}
