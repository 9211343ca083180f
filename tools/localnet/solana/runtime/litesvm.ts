import { type Address, lamports, type Transaction } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM, Rent } from 'litesvm';
import { Failure } from '../../../../terminal/failure.ts';
import { type CompiledMessage, readCompiledMessage } from './compiled-message.ts';
import { ABSENT_ACCOUNT, refusedExecution, writesOf } from './execution.ts';
import { FETCH_PROGRAM_HINT } from './gateway-addresses.ts';
import { transactionErrorOf } from './litesvm-error.ts';
import { RENT_BURNT_PERCENT, RENT_THRESHOLD } from './rent.ts';
import type { Account, Bank, Runtime, TransactionError } from './runtime.ts';

interface ProgramFile {
  /** The address of the program. */
  readonly address: Address;
  /** Path of the shared object that `solana program dump` writes. */
  readonly file: string;
}

const ZEROS = new Uint8Array(64);

/**
 * The validator's own virtual machine with all its native programs, the SPL programs and this one. Each run starts with the accounts
 * of the bank. The machine itself has only programs and sysvars.
 *
 * Throws a Failure if the file is missing or not a program.
 */
export function createVirtualMachine(program: ProgramFile): Runtime {
  const machine = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n);
  addProgram(machine, program);
  const lent = new Set<Address>();
  // Keep the machine's own accounts, because it crashes the process without one of its builtin programs.
  const isLent = (key: Address) => lent.has(key) || !machine.getAccount(key).exists;
  return {
    run(transaction, bank, verify) {
      const message = decodeMessage(transaction);
      if (message === undefined) return refusedExecution('SanitizeFailure');
      const keys = [...new Set(message.keys)].filter(isLent);
      for (const key of keys) {
        lent.add(key);
        lendAccount(machine, key, bank.account(key) ?? ABSENT_ACCOUNT);
      }
      setClock(machine, bank.clock);
      machine.setRent(new Rent(bank.lamportsPerByte, RENT_THRESHOLD, RENT_BURNT_PERCENT));
      machine.withSigverify(verify);
      const result = machine.sendTransaction(withAllSignatures(transaction));
      const writes = writesOf(
        keys.map((key) => [key, accountIn(machine, key)]),
        bank,
      );
      const failed = result instanceof FailedTransactionMetadata;
      const error = failed ? errorOf(result, message, machine) : undefined;
      const meta = failed ? result.meta() : result;
      // A failure before the first instruction costs nothing. A later one costs at least the fee.
      const lands = error === undefined || writes.has(message.keys[0] as Address);
      return { error, lands, unitsConsumed: meta.computeUnitsConsumed(), logs: meta.logs(), writes };
    },
  };
}

function addProgram(machine: LiteSVM, { address, file }: ProgramFile): void {
  try {
    machine.addProgramFromFile(address, file);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Failed to add program: /, '');
    throw new Failure(`${file} is no program that can run (${reason}); ${FETCH_PROGRAM_HINT}`);
  }
}

function decodeMessage({ messageBytes }: Transaction) {
  try {
    return readCompiledMessage(messageBytes);
  } catch {
    return undefined;
  }
}

function lendAccount(machine: LiteSVM, key: Address, { data, owner, lamports: balance }: Account): void {
  const space = BigInt(data.length);
  machine.setAccount({
    address: key,
    lamports: lamports(balance),
    data,
    programAddress: owner,
    executable: false,
    space,
  });
}

function accountIn(machine: LiteSVM, key: Address): Account | undefined {
  const account = machine.getAccount(key);
  if (!account.exists) return undefined;
  const { lamports: balance, data, programAddress: owner, executable } = account;
  return { lamports: balance, data: new Uint8Array(data), owner, executable };
}

function setClock(machine: LiteSVM, { slot, unixTimestamp }: Bank['clock']): void {
  const clock = machine.getClock();
  clock.slot = slot;
  clock.unixTimestamp = unixTimestamp;
  machine.setClock(clock);
}

/** The machine accepts no gaps, so a missing signature becomes an invalid one. */
function withAllSignatures(transaction: Transaction): Transaction {
  const signatures = Object.entries(transaction.signatures).map(([signer, it]) => [signer, it ?? ZEROS]);
  return { ...transaction, signatures: Object.fromEntries(signatures) };
}

/** litesvm reports missing programs like accounts that are not programs. A validator distinguishes them. */
function errorOf(failed: FailedTransactionMetadata, message: CompiledMessage, machine: LiteSVM): TransactionError {
  const error = transactionErrorOf(failed);
  if (error !== 'InvalidProgramForExecution') return error;
  const programs = message.instructions.map(({ programIndex }) =>
    machine.getAccount(message.keys[programIndex] as Address),
  );
  const first = programs.find((program) => !program.exists || !program.executable);
  return first?.exists === false ? 'ProgramAccountNotFound' : error;
}
