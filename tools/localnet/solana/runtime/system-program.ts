import { type Address, address, getAddressDecoder, getAddressEncoder } from '@solana/kit';
import {
  ACCOUNT_MAX_BYTES,
  failInstruction,
  type Invocation,
  type NamedAccount,
  setDataLength,
  setLamports,
  setOwner,
} from './invocation.ts';

export const SYSTEM_PROGRAM: Address = address('11111111111111111111111111111111');

/** Compute units of every instruction. */
const UNITS = 150n;

/** `SystemError`, the number in `Custom`. */
const ACCOUNT_ALREADY_IN_USE = { Custom: 0 };
const RESULT_WITH_NEGATIVE_LAMPORTS = { Custom: 1 };
const INVALID_ACCOUNT_DATA_LENGTH = { Custom: 3 };

const CREATE_ACCOUNT = 0;
const ASSIGN = 1;
const TRANSFER = 2;
const ALLOCATE = 8;
/** Seeds, nonces and other instructions of the real program. */
const NOT_EMULATED = [3, 4, 5, 6, 7, 9, 10, 11, 12, 13];

/** The part of the system program that wallets need. Rules and order are those of `system_processor` in agave. */
export function runSystemProgram(invocation: Invocation): void {
  invocation.consume(UNITS);
  const { data } = invocation;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const tag = data.length < 4 ? -1 : view.getUint32(0, true);
  if (NOT_EMULATED.includes(tag)) throw new Error(`instruction ${tag} of the system program is not emulated`);
  const length = { [CREATE_ACCOUNT]: 52, [ASSIGN]: 36, [TRANSFER]: 12, [ALLOCATE]: 12 }[tag];
  if (length === undefined || data.length < length) return failInstruction('InvalidInstructionData');
  const number = (offset: number) => view.getBigUint64(offset, true);
  if (tag === TRANSFER) {
    const [from, to] = expectAccounts(invocation, 2);
    transfer(invocation, from, to, number(4));
  } else if (tag === CREATE_ACCOUNT) {
    const [from, to] = expectAccounts(invocation, 2);
    createAccount(invocation, from, to, { lamports: number(4), space: number(12), owner: addressAt(data, 20) });
  } else if (tag === ASSIGN) {
    assign(invocation, expectAccounts(invocation, 1)[0], addressAt(data, 4));
  } else {
    allocate(invocation, expectAccounts(invocation, 1)[0], number(4));
  }
}

/** The data of the instruction that creates an account: lamports, bytes and owning program. */
export function createAccountDataOf(lamports: bigint, space: number, owner: Address): Uint8Array {
  const data = new Uint8Array(52);
  const view = new DataView(data.buffer);
  view.setUint32(0, CREATE_ACCOUNT, true);
  view.setBigUint64(4, lamports, true);
  view.setBigUint64(12, BigInt(space), true);
  data.set(getAddressEncoder().encode(owner), 20);
  return data;
}

interface NewAccount {
  readonly lamports: bigint;
  readonly space: bigint;
  readonly owner: Address;
}

function createAccount(
  invocation: Invocation,
  from: NamedAccount,
  to: NamedAccount,
  { lamports, space, owner }: NewAccount,
): void {
  if (to.account.lamports > 0n) {
    invocation.log(`Create Account: account ${debugFormatOf(to)} already in use`);
    failInstruction(ACCOUNT_ALREADY_IN_USE);
  }
  allocate(invocation, to, space);
  assign(invocation, to, owner);
  transfer(invocation, from, to, lamports);
}

function allocate(invocation: Invocation, to: NamedAccount, space: bigint): void {
  if (!hasSigned(invocation, to)) {
    invocation.log(`Allocate: 'to' account ${debugFormatOf(to)} must sign`);
    failInstruction('MissingRequiredSignature');
  }
  if (to.account.data.length > 0 || to.account.owner !== SYSTEM_PROGRAM) {
    invocation.log(`Allocate: account ${debugFormatOf(to)} already in use`);
    failInstruction(ACCOUNT_ALREADY_IN_USE);
  }
  if (space > ACCOUNT_MAX_BYTES) {
    invocation.log(`Allocate: requested ${space}, max allowed ${ACCOUNT_MAX_BYTES}`);
    failInstruction(INVALID_ACCOUNT_DATA_LENGTH);
  }
  setDataLength(SYSTEM_PROGRAM, to, Number(space));
}

function assign(invocation: Invocation, to: NamedAccount, owner: Address): void {
  if (to.account.owner === owner) return;
  if (!hasSigned(invocation, to)) {
    invocation.log(`Assign: account ${debugFormatOf(to)} must sign`);
    failInstruction('MissingRequiredSignature');
  }
  setOwner(SYSTEM_PROGRAM, to, owner);
}

function transfer(invocation: Invocation, from: NamedAccount, to: NamedAccount, lamports: bigint): void {
  if (!from.signer) {
    invocation.log(`Transfer: \`from\` account ${from.account.address} must sign`);
    failInstruction('MissingRequiredSignature');
  }
  if (from.account.data.length > 0) {
    invocation.log('Transfer: `from` must not carry data');
    failInstruction('InvalidArgument');
  }
  if (lamports > from.account.lamports) {
    invocation.log(`Transfer: insufficient lamports ${from.account.lamports}, need ${lamports}`);
    failInstruction(RESULT_WITH_NEGATIVE_LAMPORTS);
  }
  setLamports(SYSTEM_PROGRAM, from, from.account.lamports - lamports);
  setLamports(SYSTEM_PROGRAM, to, to.account.lamports + lamports);
}

/** An account has signed if it is a signer in any place of the instruction. */
function hasSigned({ accounts }: Invocation, { account }: NamedAccount): boolean {
  return accounts.some((named) => named.signer && named.account === account);
}

function expectAccounts({ accounts }: Invocation, count: number): [NamedAccount, NamedAccount] {
  if (accounts.length < count) failInstruction('MissingAccount');
  return accounts as unknown as [NamedAccount, NamedAccount];
}

/** An address without a seed in Rust's debug format. */
function debugFormatOf({ account }: NamedAccount): string {
  return `Address { address: ${account.address}, base: None }`;
}

function addressAt(data: Uint8Array, offset: number): Address {
  return getAddressDecoder().decode(data, offset);
}
