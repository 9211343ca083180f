import { createHash } from 'node:crypto';
import {
  AccountRole,
  type Address,
  type Encoder,
  Endian,
  fixDecoderSize,
  fixEncoderSize,
  getAddressDecoder,
  getBytesDecoder,
  getBytesEncoder,
  getConstantEncoder,
  getHiddenPrefixEncoder,
  getI64Decoder,
  getI64Encoder,
  getNullableDecoder,
  getNullableEncoder,
  getStructDecoder,
  getStructEncoder,
  getU8Decoder,
  getU8Encoder,
  getU64Encoder,
  getUtf8Encoder,
  type Instruction,
  isOffCurveAddress,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { decodeBase58 } from '../../lib/bytes.ts';
import type { OnChain } from '../../pass/pass.ts';
import { STEP_KINDS, type Task } from '../../pass/step-kinds.ts';
import { MAX_TIMESTAMP } from '../../pass/vocabulary.ts';
import type { WaitCode } from '../../pass/wait-reasons.ts';
import { TOKEN_STATES } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import { notNow, refused } from '../reasons.ts';

/** Translates between the terms of the service and the program's addresses, instructions and accounts. */

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
const RENT_SYSVAR = 'SysvarRent111111111111111111111111111111111' as Address;

const [GATEWAY, GATEKEEPER] = [getUtf8Encoder().encode('gateway'), getUtf8Encoder().encode('gatekeeper')];
const indexSeed = getU64Encoder({ endian: Endian.Big });

/** An address where a wallet may have a gateway token. The first one has index 0. */
export interface TokenAddress {
  readonly address: Address;
  readonly index: number;
}

export function tokenAddresses(
  program: Address,
  wallet: Address,
  gatekeeperNetwork: Address,
  indexes: readonly number[],
): TokenAddress[] {
  return indexes.map((index) => ({
    address: programAddress(program, [wallet, GATEWAY, indexSeed.encode(index), gatekeeperNetwork]),
    index,
  }));
}

/** Returns the address of the account that makes a key a gatekeeper of a gatekeeper network. */
export function gatekeeperAccount(program: Address, gatekeeper: Address, gatekeeperNetwork: Address): Address {
  return programAddress(program, [gatekeeper, gatekeeperNetwork, GATEKEEPER]);
}

/** The gatekeeper and its accounts in an instruction. */
export interface Acting {
  readonly program: Address;
  /** Signs and pays. */
  readonly gatekeeper: Address;
  readonly gatekeeperNetwork: Address;
  readonly gatekeeperAccount: Address;
}

/**
 * Returns the instruction Issue.
 * @param expiry Unix seconds; undefined: the token never expires.
 */
export function issue(acting: Acting, wallet: Address, token: TokenAddress, expiry: number | undefined): Instruction {
  return {
    programAddress: acting.program,
    accounts: [
      { address: acting.gatekeeper, role: AccountRole.WRITABLE_SIGNER },
      { address: token.address, role: AccountRole.WRITABLE },
      { address: wallet, role: AccountRole.READONLY },
      { address: acting.gatekeeperAccount, role: AccountRole.READONLY },
      { address: acting.gatekeeper, role: AccountRole.READONLY_SIGNER },
      { address: acting.gatekeeperNetwork, role: AccountRole.READONLY },
      // Older builds of the program require this account; newer ones ignore it.
      { address: RENT_SYSVAR, role: AccountRole.READONLY },
      { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
    ],
    data: issueData.encode({
      seed: token.index === 0 ? null : indexSeed.encode(token.index),
      expiry: expiry ?? null,
    }),
  };
}

/** Returns SetState or UpdateExpiry for the task; undefined for clearing an expiry, which the program does not support. */
export function change(acting: Acting, token: Address, task: Task): Instruction | undefined {
  const data = changeData(task);
  return (
    data && {
      programAddress: acting.program,
      accounts: [
        { address: token, role: AccountRole.WRITABLE },
        { address: acting.gatekeeper, role: AccountRole.READONLY_SIGNER },
        { address: acting.gatekeeperAccount, role: AccountRole.READONLY },
      ],
      data,
    }
  );
}

function changeData({ kind, expiry }: Task): ReadonlyUint8Array | undefined {
  switch (kind) {
    case 'set-expiry':
      return expiry === undefined ? undefined : updateExpiryData.encode(expiry);
    case 'issue':
      throw new Error('an issuance changes no token');
    case 'freeze':
    case 'unfreeze':
    case 'revoke':
      return setStateData.encode(TOKEN_STATES.indexOf(STEP_KINDS[kind].stateAfter));
    default:
      return kind satisfies never;
  }
}

/** A token as in its account, with its issuer. */
interface TokenAccount extends OnChain {
  readonly issuer: Address;
}

/** Returns the token in an account's data; undefined if the account is not a token's. */
export function readToken(data: ReadonlyUint8Array): TokenAccount | undefined {
  try {
    const { state, expiry, issuingGatekeeper } = tokenAccount.decode(data);
    const name = TOKEN_STATES[state];
    // Some gatekeepers encode "never" as the largest number.
    const never = expiry === null || expiry > BigInt(MAX_TIMESTAMP);
    return name && { state: name, expiry: never ? undefined : Math.max(0, Number(expiry)), issuer: issuingGatekeeper };
  } catch {
    return undefined;
  }
}

/** Enough for a batch of 100 passes: the five addresses of each wallet, and those of every transaction. */
const REMEMBERED_MAX = 1_000;

/** Returns the value of that key. Only the first call computes it, and the first one after the map was full. */
function remember<Value>(values: Map<string, Value>, key: string, compute: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = compute();
  if (values.size >= REMEMBERED_MAX) values.clear();
  values.set(key, value);
  return value;
}

const decoded = new Map<string, ReadonlyUint8Array>();

/**
 * Returns the 32 bytes of an address. Throws if it has another length. Decoding base58 takes longer than encoding a message, and
 * the same addresses recur, so the function caches them.
 */
export function addressBytes(text: Address): ReadonlyUint8Array {
  return remember(decoded, text, () => {
    const bytes = decodeBase58(text);
    if (bytes.length !== 32) throw new Error('an address has 32 bytes');
    return bytes;
  });
}

const derived = new Map<string, Address>();

/**
 * Returns the program-derived address for these seeds. A derivation takes longer than all other code of a read, and each endpoint
 * that is asked about a wallet needs the same addresses, so the function caches them.
 */
function programAddress(program: Address, seeds: readonly (Address | ReadonlyUint8Array)[]): Address {
  return remember(derived, [program, ...seeds].join(' '), () => {
    const parts = seeds.map((seed) => (typeof seed === 'string' ? addressBytes(seed) : seed));
    return deriveAddress(addressBytes(program), parts);
  });
}

const MARKER = new TextEncoder().encode('ProgramDerivedAddress');
const address = getAddressDecoder();

/**
 * Returns the first hash that is not a point of the Ed25519 curve, so that no key can sign for it. The hash includes a byte that
 * counts down from 255. `getProgramDerivedAddress` of kit returns the same address, but it is asynchronous and takes twice as long
 * for the five addresses of a wallet.
 */
function deriveAddress(program: ReadonlyUint8Array, seeds: readonly ReadonlyUint8Array[]): Address {
  const bytes = Uint8Array.from([...seeds, [255], program, MARKER].flatMap((part) => [...part]));
  const bumpAt = seeds.reduce((length, seed) => length + seed.length, 0);
  for (let bump = 255; bump >= 0; bump -= 1) {
    bytes[bumpAt] = bump;
    const hash = address.decode(createHash('sha256').update(bytes).digest());
    if (isOffCurveAddress(hash)) return hash;
  }
  throw new Error('these seeds have no address');
}

/** The program's own errors by number. */
const PROGRAM_ERRORS: readonly string[] = [
  'IncorrectGatekeeper',
  'InvalidOwner',
  'InvalidToken',
  'TokenRevoked',
  'ExpectedRevokedToken',
  'InvalidStateChange',
  'IncorrectProgramId',
  'TokenExpired',
  'BurnError',
];

/** The token changed since the read. The next `prepare` reads it again. */
const OVERTAKEN: readonly string[] = ['InvalidToken', 'TokenRevoked', 'InvalidStateChange'];
/** Errors of the runtime with the same meaning: the token was issued or burned. */
const OVERTAKEN_IN_RUNTIME: readonly string[] = ['AccountAlreadyInitialized', 'IncorrectProgramId'];

/** The program's error for a missing gatekeeper account. The authority of the gatekeeper network can add the account. */
const MISSING_GATEKEEPER = 6;
/** The system program's error AccountAlreadyInUse: the account exists already. */
const ACCOUNT_EXISTS = 0;
/** The system program's error ResultWithNegativeLamports: the payer has too few lamports. */
const TOO_FEW_LAMPORTS = 1;

/** Errors of a whole transaction that make the signer wait, by name. */
const TRANSACTION_ERRORS: ReadonlyMap<string, WaitCode> = new Map([
  ['AccountNotFound', 'no-funds'],
  ['InsufficientFundsForFee', 'no-funds'],
  ['InsufficientFundsForRent', 'no-funds'],
  ['ProgramAccountNotFound', 'no-program'],
  ['InvalidProgramForExecution', 'no-program'],
]);

/** Returns the name of a transaction's error, for example of `"BlockhashNotFound"` or `{"InsufficientFundsForRent": …}`. */
export function nameOf(error: unknown): string {
  const name = typeof error === 'string' ? error : Object.keys(Object(error))[0];
  // The name appears in logs. Text that is not a name may be part of a key.
  return /^[a-z]{1,60}$/i.exec(name ?? '')?.[0] ?? 'unknown';
}

/** Whether the error means that the paying account lacks funds. */
export function lacksFunds(error: unknown): boolean {
  return TRANSACTION_ERRORS.get(nameOf(error)) === 'no-funds';
}

/**
 * Returns the result of a step from the error of its simulation. Only the gateway program's own error refuses a step, because
 * nodes fail for many reasons. A number may also come from the system program, which the gateway program calls to create an
 * account.
 */
export function resultOfError(error: unknown, logs: readonly string[]): PrepareResult {
  const whole = TRANSACTION_ERRORS.get(nameOf(error));
  if (whole !== undefined) return notNow(whole);
  const cause = causeOf(error);
  if (cause === undefined) return notNow('simulation-failed', nameOf(error));
  const custom = customNumberOf(cause);
  if (custom === undefined) return resultOfRuntimeError(nameOf(cause));
  if (logs.some((line) => /^Program 1{32} failed/.test(line))) return resultOfSystemError(custom);
  if (custom === MISSING_GATEKEEPER) return notNow('not-authorized');
  // Without logs, the number may be another program's error.
  if (logs.length === 0) return notNow('unknown-step-error', `Custom(${custom})`);
  const refusal = PROGRAM_ERRORS[custom];
  if (refusal === undefined) return notNow('unknown-contract-error', `Custom(${custom})`);
  return OVERTAKEN.includes(refusal) ? notNow('simulation-failed', refusal) : refused('program-refuses', refusal);
}

/** Returns the result for a runtime error of an instruction. It concerns an account of the step, so other steps continue. */
function resultOfRuntimeError(name: string): PrepareResult {
  return notNow(OVERTAKEN_IN_RUNTIME.includes(name) ? 'simulation-failed' : 'unknown-step-error', name);
}

function resultOfSystemError(custom: number): PrepareResult {
  if (custom === TOO_FEW_LAMPORTS) return notNow('no-funds');
  return custom === ACCOUNT_EXISTS
    ? notNow('simulation-failed', 'AccountAlreadyInUse')
    : notNow('unknown-step-error', `SystemError${custom}`);
}

/** Returns 6 for `{"Custom": 6}`. kit may parse numbers in JSON as bigint. */
function customNumberOf(cause: unknown): number | undefined {
  const { Custom: number } = Object(cause) as { Custom?: unknown };
  return typeof number === 'number' || typeof number === 'bigint' ? Number(number) : undefined;
}

/** Returns the cause in `{"InstructionError": [index, cause]}`, for example `"AccountAlreadyInitialized"` or `{"Custom": 6}`. */
function causeOf(error: unknown): unknown {
  const { InstructionError: failed } = Object(error) as { InstructionError?: unknown };
  return Array.isArray(failed) ? failed[1] : undefined;
}

/**
 * The used part of the gateway program's interface (identity.com, solana-gateway-ts 0.12.0): one byte for the instruction, then
 * its arguments in borsh. An option is one byte, followed by the value if it has one.
 */

const instruction = <Arguments>(tag: number, encoder: Encoder<Arguments>) =>
  getHiddenPrefixEncoder(encoder, [getConstantEncoder(Uint8Array.of(tag))]);

export const ADD_GATEKEEPER = 0;
export const ISSUE = 1;
export const SET_STATE = 2;
export const UPDATE_EXPIRY = 3;
export const REMOVE_GATEKEEPER = 4;
export const ADD_FEATURE = 5;
export const REMOVE_FEATURE = 6;
/** Signed by the owner of the token, usually for a dApp that accepts it once. */
export const EXPIRE_TOKEN = 7;
export const BURN_TOKEN = 8;

/** Issue: the seed of the token's address unless it is the wallet's first, and the expiry in Unix seconds. */
const issueData = instruction(
  ISSUE,
  getStructEncoder([
    ['seed', getNullableEncoder(fixEncoderSize(getBytesEncoder(), 8))],
    ['expiry', getNullableEncoder(getI64Encoder())],
  ]),
);

const setStateData = instruction(SET_STATE, getU8Encoder());

/** UpdateExpiry: Unix seconds. */
const updateExpiryData = instruction(UPDATE_EXPIRY, getI64Encoder());

export const tokenAccount = getStructDecoder([
  ['version', fixDecoderSize(getBytesDecoder(), 1)],
  ['parent', getNullableDecoder(getAddressDecoder())],
  ['owner', getAddressDecoder()],
  ['identity', getNullableDecoder(getAddressDecoder())],
  ['gatekeeperNetwork', getAddressDecoder()],
  ['issuingGatekeeper', getAddressDecoder()],
  ['state', getU8Decoder()],
  ['expiry', getNullableDecoder(getI64Decoder())],
]);

/** Size of the account of a new token, in bytes. It always has room for an expiry. */
export const TOKEN_SIZE = 109n;
