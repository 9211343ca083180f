import { type Address, address } from '@solana/kit';
import type { Account, Bank, Execution, TransactionError } from './runtime.ts';

/** Represents an account that does not exist. */
export const ABSENT_ACCOUNT: Account = {
  lamports: 0n,
  data: new Uint8Array(),
  owner: address('11111111111111111111111111111111'),
  executable: false,
};

/** A transaction that does not enter a block. */
export function refusedExecution(error: TransactionError): Execution {
  return { error, lands: false, unitsConsumed: 0n, logs: [], writes: new Map() };
}

/** Returns the accounts that differ from those of the bank. An account without lamports is deleted. */
export function writesOf(accounts: Iterable<readonly [Address, Account | undefined]>, bank: Bank): Execution['writes'] {
  const kept = [...accounts].map(([key, account]) => [key, account?.lamports === 0n ? undefined : account] as const);
  return new Map(kept.filter(([key, account]) => !areEqual(bank.account(key), account)));
}

function areEqual(one: Account | undefined, other: Account | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const sameBytes = Buffer.compare(one.data, other.data) === 0;
  return sameBytes && one.lamports === other.lamports && one.owner === other.owner;
}
