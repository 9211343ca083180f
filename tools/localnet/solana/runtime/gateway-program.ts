import { type Address, address } from '@solana/kit';
import {
  expireFeatureAccountOf,
  GATEWAY_PROGRAM,
  gatekeeperAccountOf,
  gatewayTokenAccountOf,
} from './gateway-addresses.ts';
import { decodeGatewayInstruction, type GatewayInstruction } from './gateway-instruction.ts';
import {
  decodeGatewayToken,
  encodeGatewayToken,
  GATEWAY_TOKEN_SIZE,
  type GatewayToken,
  GatewayTokenState,
} from './gateway-token.ts';
import {
  failInstruction,
  InstructionFailure,
  type Invocation,
  type NamedAccount,
  setLamports,
  writeData,
} from './invocation.ts';
import { rentExemptMinimum } from './rent.ts';
import type { Clock } from './runtime.ts';
import { createAccountDataOf, SYSTEM_PROGRAM } from './system-program.ts';

const RENT_SYSVAR: Address = address('SysvarRent111111111111111111111111111111111');

/** `GatewayError`, the number in `Custom`. */
const INCORRECT_GATEKEEPER = { Custom: 0 };
const INVALID_OWNER = { Custom: 1 };
const INVALID_TOKEN = { Custom: 2 };
const INVALID_STATE_CHANGE = { Custom: 5 };
const INCORRECT_PROGRAM_ID = { Custom: 6 };

/** Compute units. Six issues took 272,000. The others are estimates from the work that they leave out. */
const UNITS: Record<GatewayInstruction['type'], bigint> = {
  AddGatekeeper: 25_000n,
  Issue: 45_000n,
  SetState: 22_000n,
  UpdateExpiry: 22_000n,
  RemoveGatekeeper: 15_000n,
  ExpireToken: 22_000n,
  BurnToken: 22_000n,
};

/** From which states a gateway token may change. Revoked is final. */
const STATES_BEFORE: Record<number, readonly number[]> = {
  [GatewayTokenState.Active]: [GatewayTokenState.Frozen],
  [GatewayTokenState.Frozen]: [GatewayTokenState.Active],
  [GatewayTokenState.Revoked]: [GatewayTokenState.Active, GatewayTokenState.Frozen],
};

const NO_SEED = new Uint8Array(8);
/** The new expiry is that long ago, because a dApp accepts a token for a while after its expiry. */
const EXPIRED_SECONDS = 120n;

/**
 * The part of the gateway program that gatekeepers, their networks and owners of tokens use. The checks have the order of the program.
 * No recorded step shows ExpireToken: it follows the public source (`solana/program/src/processor.rs`).
 */
export function runGatewayProgram(invocation: Invocation, { unixTimestamp }: Clock): void {
  const instruction = decodeGatewayInstruction(invocation.data) ?? failInstruction('BorshIoError');
  invocation.log(`Program log: GatewayInstruction::${instruction.type}`);
  invocation.consume(UNITS[instruction.type]);
  try {
    runInstruction(instruction, invocation, unixTimestamp);
  } catch (failure) {
    if (failure instanceof InstructionFailure)
      invocation.log(`Program log: Gateway Program Error ${debugFormatOf(failure)}`);
    throw failure;
  }
}

function runInstruction(instruction: GatewayInstruction, invocation: Invocation, now: bigint): void {
  switch (instruction.type) {
    case 'AddGatekeeper':
      return addGatekeeper(invocation);
    case 'Issue':
      return issue(invocation, instruction.seed ?? NO_SEED, instruction.expiry);
    case 'SetState':
      return setState(invocation, instruction.state);
    case 'UpdateExpiry':
      return changeToken(invocation, (token) => ({ ...token, expiry: instruction.expiry }));
    case 'RemoveGatekeeper':
      return removeGatekeeper(invocation);
    case 'ExpireToken':
      return expireToken(invocation, instruction.network, now - EXPIRED_SECONDS);
    case 'BurnToken':
      return burn(invocation);
  }
}

function addGatekeeper(invocation: Invocation): void {
  const [payer, account, authority, network, rent] = expectAccounts(invocation, 6);
  if (keyOf(rent) !== RENT_SYSVAR) failInstruction('InvalidArgument');
  expectSigner(payer);
  expectSigner(network);
  if (keyOf(account) !== gatekeeperAccountOf(keyOf(authority), keyOf(network))) failInstruction('InvalidArgument');
  createAccount(invocation, payer, account, 0);
}

function issue(invocation: Invocation, seed: Uint8Array, expiry: bigint | undefined): void {
  const [payer, pass, owner, gatekeeper, authority, network, rent] = expectAccounts(invocation, 8);
  if (keyOf(rent) !== RENT_SYSVAR) failInstruction('InvalidArgument');
  expectSigner(authority);
  expectGatekeeper(gatekeeper, keyOf(authority), keyOf(network));
  if (keyOf(pass) !== gatewayTokenAccountOf(keyOf(owner), seed, keyOf(network))) failInstruction('InvalidArgument');
  if (pass.account.data.length > 0) failInstruction('AccountAlreadyInitialized');
  createAccount(invocation, payer, pass, GATEWAY_TOKEN_SIZE);
  const token: GatewayToken = {
    owner: keyOf(owner),
    gatekeeperNetwork: keyOf(network),
    issuingGatekeeper: keyOf(authority),
    state: GatewayTokenState.Active,
    expiry,
  };
  writeData(GATEWAY_PROGRAM, pass, encodeGatewayToken(token));
}

function setState(invocation: Invocation, state: number): void {
  changeToken(invocation, (token, authority) => {
    if (!STATES_BEFORE[state]?.includes(token.state)) failInstruction(INVALID_STATE_CHANGE);
    // Any gatekeeper of the network may revoke, but only the one that issued it may freeze and unfreeze.
    const onlyIssuer = state !== GatewayTokenState.Revoked;
    if (onlyIssuer && token.issuingGatekeeper !== authority) failInstruction(INCORRECT_GATEKEEPER);
    return { ...token, state };
  });
}

function changeToken(invocation: Invocation, change: (token: GatewayToken, authority: Address) => GatewayToken): void {
  const [pass, authority, gatekeeper] = expectAccounts(invocation, 3);
  const token = expectToken(pass, authority, gatekeeper);
  writeData(GATEWAY_PROGRAM, pass, encodeGatewayToken(change(token, keyOf(authority))));
}

/** Succeeds also without such a gatekeeper, and then moves nothing. */
function removeGatekeeper(invocation: Invocation): void {
  const [recipient, account, authority, network] = expectAccounts(invocation, 4);
  expectSigner(network);
  if (keyOf(account) !== gatekeeperAccountOf(keyOf(authority), keyOf(network))) failInstruction('InvalidArgument');
  closeAccount(account, recipient);
}

function expireToken(invocation: Invocation, network: Address, expiry: bigint): void {
  const [pass, owner, feature] = expectAccounts(invocation, 3);
  expectSigner(owner);
  if (feature.account.owner !== GATEWAY_PROGRAM) failInstruction('IllegalOwner');
  if (keyOf(feature) !== expireFeatureAccountOf(network)) failInstruction('InvalidArgument');
  if (pass.account.owner !== GATEWAY_PROGRAM) failInstruction('IllegalOwner');
  const token = decodeGatewayToken(pass.account.data) ?? failInstruction(INVALID_TOKEN);
  if (token.owner !== keyOf(owner)) failInstruction(INVALID_OWNER);
  if (token.gatekeeperNetwork !== network) failInstruction('InvalidAccountData');
  writeData(GATEWAY_PROGRAM, pass, encodeGatewayToken({ ...token, expiry }));
}

function burn(invocation: Invocation): void {
  const [pass, authority, gatekeeper, recipient] = expectAccounts(invocation, 4);
  expectToken(pass, authority, gatekeeper);
  closeAccount(pass, recipient);
}

function expectToken(pass: NamedAccount, authority: NamedAccount, gatekeeper: NamedAccount): GatewayToken {
  expectSigner(authority);
  if (pass.account.owner !== GATEWAY_PROGRAM) failInstruction('IncorrectProgramId');
  const token = decodeGatewayToken(pass.account.data) ?? failInstruction(INVALID_TOKEN);
  expectGatekeeper(gatekeeper, keyOf(authority), token.gatekeeperNetwork);
  return token;
}

function expectGatekeeper(gatekeeper: NamedAccount, authority: Address, network: Address): void {
  if (gatekeeper.account.owner !== GATEWAY_PROGRAM) failInstruction(INCORRECT_PROGRAM_ID);
  if (keyOf(gatekeeper) !== gatekeeperAccountOf(authority, network)) failInstruction(INCORRECT_GATEKEEPER);
}

/** The system program creates the account. This program signs for its derived address. */
function createAccount(invocation: Invocation, payer: NamedAccount, { account }: NamedAccount, size: number): void {
  const accounts = [payer.account, account].map((it) => ({ account: it, signer: true, writable: true }));
  const data = createAccountDataOf(rentExemptMinimum(size, invocation.lamportsPerByte), size, GATEWAY_PROGRAM);
  invocation.invoke(SYSTEM_PROGRAM, accounts, data, [account.address]);
}

function closeAccount(account: NamedAccount, recipient: NamedAccount): void {
  setLamports(GATEWAY_PROGRAM, recipient, recipient.account.lamports + account.account.lamports);
  setLamports(GATEWAY_PROGRAM, account, 0n);
}

/** Takes exactly the number of accounts that the program reads. It ignores further ones. */
function expectAccounts(
  { accounts }: Invocation,
  count: number,
): [NamedAccount, NamedAccount, NamedAccount, NamedAccount, NamedAccount, NamedAccount, NamedAccount] {
  if (accounts.length < count) failInstruction('NotEnoughAccountKeys');
  return accounts as unknown as [
    NamedAccount,
    NamedAccount,
    NamedAccount,
    NamedAccount,
    NamedAccount,
    NamedAccount,
    NamedAccount,
  ];
}

function expectSigner({ signer }: NamedAccount): void {
  if (!signer) failInstruction('MissingRequiredSignature');
}

function keyOf({ account }: NamedAccount): Address {
  return account.address;
}

/** A `ProgramError` in Rust's debug format. */
function debugFormatOf({ error }: InstructionFailure): string {
  return typeof error === 'string' ? error : `Custom(${error.Custom})`;
}
