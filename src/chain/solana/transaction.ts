import {
  AccountRole,
  type Address,
  type Blockhash,
  getBase64EncodedWireTransaction,
  getShortU16Encoder,
  getU32Encoder,
  getU64Encoder,
  type Instruction,
  isSignerRole,
  mergeBytes,
  type ReadonlyUint8Array,
  type SignatureBytes,
  type Transaction,
  type TransactionMessageBytes,
  type TransactionWithBlockhashLifetime,
} from '@solana/kit';
import { encodeBase58 } from '../../lib/bytes.ts';
import { askEach } from '../json-rpc.ts';
import { type BroadcastResult, type Pairs, type Signed, SigningRefused } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import { addressBytes, lacksFunds, nameOf } from './gateway.ts';
import type { NetworkConditions } from './network-conditions.ts';
import type { Solana } from './rpc.ts';
import { findPolicyViolation } from './signing-policy.ts';

/** Encodes messages, because kit takes ten times as long to compile them (docs/decisions/0012). Tests compare the results. */

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;
const VERSION_0 = 0x80;
const unitLimitData = getU32Encoder();
const unitPriceData = getU64Encoder();
const shortU16 = getShortU16Encoder();

/**
 * Returns an unsigned transaction with one instruction.
 * @param units Limit of compute units.
 */
export function transactionOf(
  instruction: Instruction,
  payer: Address,
  { unitPrice, lifetime }: Pick<NetworkConditions, 'unitPrice' | 'lifetime'>,
  units: number,
): Transaction & TransactionWithBlockhashLifetime {
  const instructions = [
    budgetInstruction(SET_UNIT_LIMIT, unitLimitData.encode(units)),
    ...(unitPrice === 0n ? [] : [budgetInstruction(SET_UNIT_PRICE, unitPriceData.encode(unitPrice))]),
    instruction,
  ];
  return {
    messageBytes: encodeMessage(instructions, payer, lifetime.blockhash),
    signatures: { [payer]: null },
    lifetimeConstraint: lifetime,
  };
}

function budgetInstruction(tag: number, value: ReadonlyUint8Array): Instruction {
  return { programAddress: COMPUTE_BUDGET, data: mergeBytes([Uint8Array.of(tag), value as Uint8Array]) };
}

/** Encodes a message of version 0 that uses no lookup tables. */
function encodeMessage(instructions: readonly Instruction[], payer: Address, blockhash: Blockhash) {
  const roles = rolesIn(instructions, payer);
  // The payer comes first, then the other signers, then the other accounts. In each group, writable accounts come first.
  const accounts = [...roles.keys()].toSorted((a, b) => (roles.get(b) ?? 0) - (roles.get(a) ?? 0));
  const indexes = new Map(accounts.map((account, index) => [account, index]));
  const indexOf = (account: Address) => indexes.get(account) ?? 0;
  const count = (has: (role: AccountRole) => boolean) => [...roles.values()].filter(has).length;
  const header = [
    count(isSignerRole),
    count((role) => role === AccountRole.READONLY_SIGNER),
    count((role) => role === AccountRole.READONLY),
  ];
  const calls = instructions.flatMap(({ programAddress, accounts: used = [], data = new Uint8Array() }) => [
    Uint8Array.of(indexOf(programAddress)),
    ...withCount(used.length, [Uint8Array.from(used, ({ address }) => indexOf(address))]),
    ...withCount(data.length, [data]),
  ]);
  return mergeBytes([
    Uint8Array.of(VERSION_0, ...header),
    ...withCount(accounts.length, accounts.map(addressBytes)),
    addressBytes(blockhash as string as Address),
    ...withCount(instructions.length, calls),
    ...withCount(0, []),
  ] as Uint8Array[]) as ReadonlyUint8Array as TransactionMessageBytes;
}

/** Returns the count of a list, followed by its parts. */
const withCount = (count: number, parts: readonly ReadonlyUint8Array[]) => [shortU16.encode(count), ...parts];

/** Returns all accounts with their strongest roles. The two bits of a role mean "writable" and "signer". */
function rolesIn(instructions: readonly Instruction[], payer: Address): ReadonlyMap<Address, AccountRole> {
  const roles = new Map<Address, AccountRole>([[payer, AccountRole.WRITABLE_SIGNER]]);
  const add = (account: Address, role: AccountRole) => roles.set(account, (roles.get(account) ?? 0) | role);
  for (const { programAddress, accounts = [] } of instructions) {
    add(programAddress, AccountRole.READONLY);
    for (const { address, role } of accounts) add(address, role);
  }
  return roles;
}

/** A call of the configured program. */
export interface ProgramCall {
  readonly instruction: Instruction;
  /** Limit of compute units. */
  readonly units: number;
}

/** Signs a call of the configured program. Throws SigningRefused if the signing policy does not allow it, and KmsFault if a KMS does not sign. */
export async function signCall(
  chain: Omit<Solana, 'rpc' | 'send'>,
  call: ProgramCall,
  { unitPrice, lifetime }: Pick<NetworkConditions, 'unitPrice' | 'lifetime'>,
): Promise<Omit<Signed, 'maxCost'>> {
  const violation = findCallViolation(chain, call, { unitPrice, lifetime });
  if (violation !== undefined) throw new SigningRefused(violation);
  const unsigned = transactionOf(call.instruction, chain.gatekeeper, { unitPrice, lifetime }, call.units);
  return { ...(await signWith(chain.key, unsigned)), lastValidBlockHeight: Number(lifetime.lastValidBlockHeight) };
}

/** Returns why the signing policy forbids the call; undefined if it allows it. */
export function findCallViolation(
  chain: Omit<Solana, 'rpc' | 'send' | 'key'>,
  { instruction, units }: ProgramCall,
  { unitPrice, lifetime }: Pick<NetworkConditions, 'unitPrice' | 'lifetime'>,
): string | undefined {
  return findPolicyViolation(instruction, { unitPrice, lifetime, units }, chain);
}

/** Signs a transaction whose only signer is the account of the key. */
export async function signWith(key: SigningKey, unsigned: Transaction): Promise<Pick<Signed, 'identifier' | 'bytes'>> {
  const signature = await key.sign(unsigned.messageBytes as ReadonlyUint8Array as Uint8Array);
  const signed = { ...unsigned, signatures: { [key.address]: signature as SignatureBytes } };
  return { identifier: encodeBase58(signature), bytes: getBase64EncodedWireTransaction(signed) };
}

/** No preflight and no retries: `prepare` simulated the call, and the signer repeats the broadcast itself. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 } as const;

export async function broadcast<T extends { readonly signed: Omit<Signed, 'maxCost'> }>(
  { send }: Pick<Solana, 'send'>,
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const answered = await askEach(send, transactions, ({ signed }) => ({
    method: 'sendTransaction',
    params: [signed.bytes, OPTIONS],
  }));
  return answered.map(([transaction, answer]) => [transaction, broadcastResultOf(answer)]);
}

/** Some nodes simulate the transaction although preflight is off. Its status decides its fate, not this answer. */
function broadcastResultOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const { message, data } = answer.error;
  const { err } = Object(data) as { err?: unknown };
  if (nameOf(err) === 'AlreadyProcessed') return { type: 'accepted' };
  return lacksFunds(err) ? notNow('no-funds') : notNow('broadcast-refused', message);
}
