import type { Address } from '@solana/kit';
import type { Account, InstructionError } from './runtime.ts';

/** An account while a transaction runs. */
export type LoadedAccount = { -readonly [Field in keyof Account]: Account[Field] } & { readonly address: Address };

/** An account in an instruction. The same account may appear twice with different rights. */
export interface NamedAccount {
  readonly account: LoadedAccount;
  readonly signer: boolean;
  readonly writable: boolean;
}

/** The context of a running program. */
export interface Invocation {
  readonly program: Address;
  readonly accounts: readonly NamedAccount[];
  readonly data: Uint8Array;
  /** As the sysvar `Rent` shows it. */
  readonly lamportsPerByte: bigint;
  log(line: string): void;
  /** Consumes compute units. Fails if fewer are left. */
  consume(units: bigint): void;
  /**
   * Runs another program with some of these accounts, like `invoke_signed`.
   *
   * @param derived Addresses derived from this program, for which it may sign.
   */
  invoke(program: Address, accounts: readonly NamedAccount[], data: Uint8Array, derived: readonly Address[]): void;
}

/** A program throws this to fail. */
export class InstructionFailure extends Error {
  readonly error: InstructionError;

  constructor(error: InstructionError) {
    super(JSON.stringify(error));
    this.error = error;
  }
}

export function failInstruction(error: InstructionError): never {
  throw new InstructionFailure(error);
}

const MAX_U64 = 2n ** 64n - 1n;
/** Bytes of the largest account. */
export const ACCOUNT_MAX_BYTES = 10 * 1024 * 1024;

// The rights of a program over an account, and the order of the checks, are those of `BorrowedInstructionAccount` in agave.

export function setLamports(program: Address, { account, writable }: NamedAccount, lamports: bigint): void {
  if (lamports > MAX_U64) failInstruction('ArithmeticOverflow');
  if (account.owner !== program && lamports < account.lamports) failInstruction('ExternalAccountLamportSpend');
  if (!writable) failInstruction('ReadonlyLamportChange');
  account.lamports = lamports;
}

export function setDataLength(program: Address, named: NamedAccount, length: number): void {
  const { account } = named;
  if (account.owner !== program && length !== account.data.length) failInstruction('AccountDataSizeChanged');
  if (length > ACCOUNT_MAX_BYTES) failInstruction('InvalidRealloc');
  expectDataWritable(program, named);
  const data = new Uint8Array(length);
  data.set(account.data.subarray(0, length));
  account.data = data;
}

/** Overwrites the beginning of the account's data. */
export function writeData(program: Address, named: NamedAccount, bytes: Uint8Array): void {
  expectDataWritable(program, named);
  if (bytes.length > named.account.data.length) failInstruction('AccountDataTooSmall');
  const data = named.account.data.slice();
  data.set(bytes);
  named.account.data = data;
}

export function setOwner(program: Address, { account, writable }: NamedAccount, owner: Address): void {
  if (account.owner !== program || !writable || account.data.some((byte) => byte !== 0))
    failInstruction('ModifiedProgramId');
  account.owner = owner;
}

function expectDataWritable(program: Address, { account, writable }: NamedAccount): void {
  if (!writable) failInstruction('ReadonlyDataModified');
  if (account.owner !== program) failInstruction('ExternalAccountDataModified');
}
