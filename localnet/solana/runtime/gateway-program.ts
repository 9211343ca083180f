import { type Address, address } from '@solana/kit';
import { GATEWAY_PROGRAM, gatekeeperAccount, gatewayTokenAccount } from './gateway-addresses.ts';
import { decodeGatewayInstruction, type GatewayInstruction } from './gateway-instruction.ts';
import {
  decodeGatewayToken,
  encodeGatewayToken,
  GATEWAY_TOKEN_SIZE,
  type GatewayToken,
  GatewayTokenState,
} from './gateway-token.ts';
import { fail, InstructionFailure, type Invocation, type Named, setLamports, writeData } from './invocation.ts';
import { rentExemptMinimum } from './rent.ts';
import { createAccountData, SYSTEM_PROGRAM } from './system-program.ts';

const RENT_SYSVAR: Address = address('SysvarRent111111111111111111111111111111111');

/** `GatewayError`: what stands in `Custom`. */
const INCORRECT_GATEKEEPER = { Custom: 0 };
const INVALID_TOKEN = { Custom: 2 };
const INVALID_STATE_CHANGE = { Custom: 5 };
const INCORRECT_PROGRAM_ID = { Custom: 6 };

/** Compute units: six issues were seen to take 272,000; what the others take is estimated from what they leave out. */
const UNITS: Record<GatewayInstruction['name'], bigint> = {
  AddGatekeeper: 25_000n,
  Issue: 45_000n,
  SetState: 22_000n,
  UpdateExpiry: 22_000n,
  RemoveGatekeeper: 15_000n,
  BurnToken: 22_000n,
};

/** Which states a gateway token may come from; revoked is the end. */
const COMES_FROM: Record<number, readonly number[]> = {
  [GatewayTokenState.Active]: [GatewayTokenState.Frozen],
  [GatewayTokenState.Frozen]: [GatewayTokenState.Active],
  [GatewayTokenState.Revoked]: [GatewayTokenState.Active, GatewayTokenState.Frozen],
};

const NO_SEED = new Uint8Array(8);

/** The gateway program, as far as gatekeepers and their networks use it. The order of the checks is the program's. */
export function gatewayProgram(invocation: Invocation): void {
  const instruction = decodeGatewayInstruction(invocation.data) ?? fail('BorshIoError');
  invocation.log(`Program log: GatewayInstruction::${instruction.name}`);
  invocation.consume(UNITS[instruction.name]);
  try {
    run(instruction, invocation);
  } catch (failure) {
    if (failure instanceof InstructionFailure) invocation.log(`Program log: Gateway Program Error ${shown(failure)}`);
    throw failure;
  }
}

function run(instruction: GatewayInstruction, invocation: Invocation): void {
  switch (instruction.name) {
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
    case 'BurnToken':
      return burn(invocation);
  }
}

function addGatekeeper(invocation: Invocation): void {
  const [payer, account, authority, network, rent] = expectAccounts(invocation, 6);
  if (keyOf(rent) !== RENT_SYSVAR) fail('InvalidArgument');
  expectSigner(payer);
  expectSigner(network);
  if (keyOf(account) !== gatekeeperAccount(keyOf(authority), keyOf(network))) fail('InvalidArgument');
  create(invocation, payer, account, 0);
}

function issue(invocation: Invocation, seed: Uint8Array, expiry: bigint | undefined): void {
  const [payer, pass, owner, gatekeeper, authority, network, rent] = expectAccounts(invocation, 8);
  if (keyOf(rent) !== RENT_SYSVAR) fail('InvalidArgument');
  expectSigner(authority);
  expectGatekeeper(gatekeeper, keyOf(authority), keyOf(network));
  if (keyOf(pass) !== gatewayTokenAccount(keyOf(owner), seed, keyOf(network))) fail('InvalidArgument');
  if (pass.account.data.length > 0) fail('AccountAlreadyInitialized');
  create(invocation, payer, pass, GATEWAY_TOKEN_SIZE);
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
    if (!COMES_FROM[state]?.includes(token.state)) fail(INVALID_STATE_CHANGE);
    // Any gatekeeper of the network may revoke, but only the one that issued it may freeze and unfreeze.
    const onlyIssuer = state !== GatewayTokenState.Revoked;
    if (onlyIssuer && token.issuingGatekeeper !== authority) fail(INCORRECT_GATEKEEPER);
    return { ...token, state };
  });
}

function changeToken(invocation: Invocation, change: (token: GatewayToken, authority: Address) => GatewayToken): void {
  const [pass, authority, gatekeeper] = expectAccounts(invocation, 3);
  const token = expectToken(pass, authority, gatekeeper);
  writeData(GATEWAY_PROGRAM, pass, encodeGatewayToken(change(token, keyOf(authority))));
}

/** It succeeds also where there is no such gatekeeper: nothing is moved then. */
function removeGatekeeper(invocation: Invocation): void {
  const [recipient, account, authority, network] = expectAccounts(invocation, 4);
  expectSigner(network);
  if (keyOf(account) !== gatekeeperAccount(keyOf(authority), keyOf(network))) fail('InvalidArgument');
  close(account, recipient);
}

function burn(invocation: Invocation): void {
  const [pass, authority, gatekeeper, recipient] = expectAccounts(invocation, 4);
  expectToken(pass, authority, gatekeeper);
  close(pass, recipient);
}

function expectToken(pass: Named, authority: Named, gatekeeper: Named): GatewayToken {
  expectSigner(authority);
  if (pass.account.owner !== GATEWAY_PROGRAM) fail('IncorrectProgramId');
  const token = decodeGatewayToken(pass.account.data) ?? fail(INVALID_TOKEN);
  expectGatekeeper(gatekeeper, keyOf(authority), token.gatekeeperNetwork);
  return token;
}

function expectGatekeeper(gatekeeper: Named, authority: Address, network: Address): void {
  if (gatekeeper.account.owner !== GATEWAY_PROGRAM) fail(INCORRECT_PROGRAM_ID);
  if (keyOf(gatekeeper) !== gatekeeperAccount(authority, network)) fail(INCORRECT_GATEKEEPER);
}

/** The system program makes the account; this one signs for its address, which is derived from it. */
function create(invocation: Invocation, payer: Named, { account }: Named, size: number): void {
  const accounts = [payer.account, account].map((it) => ({ account: it, signer: true, writable: true }));
  const data = createAccountData(rentExemptMinimum(size), size, GATEWAY_PROGRAM);
  invocation.invoke(SYSTEM_PROGRAM, accounts, data, [account.address]);
}

function close(account: Named, recipient: Named): void {
  setLamports(GATEWAY_PROGRAM, recipient, recipient.account.lamports + account.account.lamports);
  setLamports(GATEWAY_PROGRAM, account, 0n);
}

/** Exactly as many as the program takes from the front; it ignores what follows. */
function expectAccounts({ accounts }: Invocation, count: number): [Named, Named, Named, Named, Named, Named, Named] {
  if (accounts.length < count) fail('NotEnoughAccountKeys');
  return accounts as unknown as [Named, Named, Named, Named, Named, Named, Named];
}

function expectSigner({ signer }: Named): void {
  if (!signer) fail('MissingRequiredSignature');
}

function keyOf({ account }: Named): Address {
  return account.address;
}

/** As Rust's debug format shows a `ProgramError`. */
function shown({ error }: InstructionFailure): string {
  return typeof error === 'string' ? error : `Custom(${error.Custom})`;
}
