import type { Address } from '@solana/kit';
import type { Account } from '../runtime/runtime.ts';

/** What an account was from a slot on; undefined: there was none. */
interface Version {
  readonly slot: number;
  readonly account: Account | undefined;
}

/** Every account, in versions, oldest first: as many as are needed to say what held in a block that may be asked for. */
export type Accounts = Map<Address, Version[]>;

/** The account as it is at the end of that slot. */
export function accountAt(accounts: Accounts, address: Address, slot: number): Account | undefined {
  return accounts.get(address)?.findLast((version) => version.slot <= slot)?.account;
}

export function writeAccount(accounts: Accounts, address: Address, slot: number, account: Account | undefined): void {
  const before = (accounts.get(address) ?? []).filter((version) => version.slot < slot);
  accounts.set(address, [...before, { slot, account }]);
}

/** Makes the account what it is as if it had never been anything else, whichever block is asked for. */
export function replaceAccount(accounts: Accounts, address: Address, account: Account | undefined): void {
  accounts.set(address, [{ slot: 0, account }]);
}

/** Forgets what nobody can ask for any more: the versions that were over before that slot. */
export function forgetBefore(accounts: Accounts, address: Address, slot: number): void {
  const versions = accounts.get(address) ?? [];
  const holding = versions.findLastIndex((version) => version.slot <= slot);
  accounts.set(address, versions.slice(Math.max(holding, 0)));
}

/** Undoes what happened in that slot and later. */
export function undoFrom(accounts: Accounts, address: Address, slot: number): void {
  const kept = (accounts.get(address) ?? []).filter((version) => version.slot < slot);
  if (kept.length === 0) accounts.delete(address);
  else accounts.set(address, kept);
}
