import type { Address } from '@solana/kit';
import type { Account } from '../runtime/runtime.ts';

/** The account from a slot on; undefined: it did not exist. */
interface Version {
  readonly slot: number;
  readonly account: Account | undefined;
}

/** All versions of each account, oldest first, that any readable block needs. */
export type Accounts = Map<Address, Version[]>;

/** Returns the account at the end of that slot. */
export function accountAt(accounts: Accounts, address: Address, slot: number): Account | undefined {
  return accounts.get(address)?.findLast((version) => version.slot <= slot)?.account;
}

export function writeAccount(accounts: Accounts, address: Address, slot: number, account: Account | undefined): void {
  const before = (accounts.get(address) ?? []).filter((version) => version.slot < slot);
  accounts.set(address, [...before, { slot, account }]);
}

/** Replaces the account in every readable block. */
export function replaceAccount(accounts: Accounts, address: Address, account: Account | undefined): void {
  accounts.set(address, [{ slot: 0, account }]);
}

/** Deletes the versions that ended before that slot, because no call can read them. */
export function forgetBefore(accounts: Accounts, address: Address, slot: number): void {
  const versions = accounts.get(address) ?? [];
  const holding = versions.findLastIndex((version) => version.slot <= slot);
  accounts.set(address, versions.slice(Math.max(holding, 0)));
}

/** Undoes the changes of that slot and later ones. */
export function undoFrom(accounts: Accounts, address: Address, slot: number): void {
  const kept = (accounts.get(address) ?? []).filter((version) => version.slot < slot);
  if (kept.length === 0) accounts.delete(address);
  else accounts.set(address, kept);
}
