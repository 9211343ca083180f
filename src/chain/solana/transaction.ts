import {
  AccountRole,
  type Address,
  type Blockhash,
  getShortU16Encoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  isSignerRole,
  mergeBytes,
  type ReadonlyUint8Array,
  type Transaction,
  type TransactionMessageBytes,
  type TransactionWithBlockhashLifetime,
} from '@solana/kit';
import type { Terms } from '../port.ts';
import { addressBytes } from './address-bytes.ts';

/** Tests compare what is made here with what kit compiles, which takes ten times as long. */

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const unitLimit = getU32Encoder();
const unitPrice = getU64Encoder();

/** A transaction of one instruction, not signed yet. `units` bounds its compute units. */
export function transactionOf(
  instruction: Instruction,
  payer: Address,
  { fees, lifetime }: Terms,
  units: number,
): Transaction & TransactionWithBlockhashLifetime {
  if (lifetime === undefined) throw new Error('a Solana transaction needs a blockhash');
  const price = BigInt(fees.unitPrice ?? 0);
  const instructions = [
    budget(SET_UNIT_LIMIT, unitLimit.encode(units)),
    ...(price === 0n ? [] : [budget(SET_UNIT_PRICE, unitPrice.encode(price))]),
    instruction,
  ];
  const blockhash = lifetime.blockhash as Blockhash;
  return {
    messageBytes: messageOf(instructions, payer, blockhash),
    signatures: { [payer]: null },
    lifetimeConstraint: { blockhash, lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight) },
  };
}

function budget(tag: number, value: ReadonlyUint8Array): Instruction {
  return { programAddress: COMPUTE_BUDGET, data: mergeBytes([Uint8Array.of(tag), value as Uint8Array]) };
}

const compact = getShortU16Encoder();
/** Counted lists: how many, then each. */
const counted = (count: number, parts: readonly ReadonlyUint8Array[]) => [compact.encode(count), ...parts];

/** The bytes of a message of version 0 that uses no lookup tables. */
function messageOf(instructions: readonly Instruction[], payer: Address, blockhash: Blockhash) {
  const roles = rolesIn(instructions, payer);
  // Those that sign come first, of them and of the others those that may be written to; and the payer before all.
  const accounts = [...roles.keys()].toSorted((a, b) => (roles.get(b) ?? 0) - (roles.get(a) ?? 0));
  const places = new Map(accounts.map((account, place) => [account, place]));
  const placeOf = (account: Address) => places.get(account) ?? 0;
  const count = (has: (role: AccountRole) => boolean) => [...roles.values()].filter(has).length;
  const header = [
    count(isSignerRole),
    count((role) => role === AccountRole.READONLY_SIGNER),
    count((role) => role === AccountRole.READONLY),
  ];
  const calls = instructions.flatMap(({ programAddress, accounts: its = [], data = new Uint8Array() }) => [
    Uint8Array.of(placeOf(programAddress)),
    ...counted(its.length, [Uint8Array.from(its, ({ address }) => placeOf(address))]),
    ...counted(data.length, [data]),
  ]);
  return mergeBytes([
    Uint8Array.of(VERSION_0, ...header),
    ...counted(accounts.length, accounts.map(addressBytes)),
    addressBytes(blockhash as string as Address),
    ...counted(instructions.length, calls),
    ...counted(0, []),
  ] as Uint8Array[]) as ReadonlyUint8Array as TransactionMessageBytes;
}

const VERSION_0 = 0x80;

/** All accounts, each with the most that it is to anybody: the bits of a role say whether it is written to, and whether it signs. */
function rolesIn(instructions: readonly Instruction[], payer: Address): ReadonlyMap<Address, AccountRole> {
  const roles = new Map<Address, AccountRole>([[payer, AccountRole.WRITABLE_SIGNER]]);
  const add = (account: Address, role: AccountRole) => roles.set(account, (roles.get(account) ?? 0) | role);
  for (const { programAddress, accounts = [] } of instructions) {
    add(programAddress, AccountRole.READONLY);
    for (const { address, role } of accounts) add(address, role);
  }
  return roles;
}
