import { env } from 'cloudflare:workers';
import { base64urlnopad } from '@scure/base';
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstruction,
  compileTransaction,
  createKeyPairFromBytes,
  createTransactionMessage,
  getAddressEncoder,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getProgramDerivedAddress,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import { afterAll, beforeAll, inject } from 'vitest';
import { solanaContext } from '../../../../src/chain/solana/adapter.ts';
import { gatekeeperAccount, type TokenAddress, tokenAddresses } from '../../../../src/chain/solana/gateway.ts';
import { readConditions } from '../../../../src/chain/solana/network-conditions.ts';
import { readStatuses } from '../../../../src/chain/solana/rpc.ts';
import { transactionOf } from '../../../../src/chain/solana/transaction.ts';
import { configOf } from '../../../../src/config/parse-config.ts';
import { type EnabledSolana, signersOn } from '../../../../src/config/signers.ts';
import { secret } from '../../../../src/lib/secret.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { callNode } from '../../../call-node.ts';
import { aStepOn, type StepOverrides } from '../a-step.ts';

/** Calls the localnet's node of `devnet` directly, as somebody other than the service does. */
export const callDevnet = <T = unknown>(method: string, ...params: unknown[]): Promise<T> =>
  callNode(inject('localnet').rpc.devnet as string, method, params);

/** Makes blocks at once. */
export const advance = (blocks: number) => callDevnet('localnet_advance', blocks);
/** Only the tests of the file make blocks, with `advance`. */
export function makeSlotsByHand(): void {
  beforeAll(() => callDevnet('localnet_setSlotMs', 0));
  afterAll(() => callDevnet('localnet_setSlotMs', devnet().network.blockMs));
}
/** Makes a confirmed or final block with all transactions sent before. */
export const untilConfirmed = () => advance(4);
export const untilFinal = () => advance(40);

/** `devnet` in the localnet's Worker. */
export function devnet(): EnabledSolana {
  const config = configOf(env);
  const row = config.networks.find(({ network }) => network === 'devnet');
  const [enabled] = row ? signersOn(config, row) : [];
  if (enabled?.chain !== 'solana') throw new Error('devnet is not enabled');
  return enabled;
}

/** Returns an unused wallet. */
export const freshWallet = (): Address =>
  address(getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(32))));

/** Returns the issuance of a pass on `devnet`, with overrides. */
export const aStep = (overrides: StepOverrides = {}): Step =>
  aStepOn({ chain: 'solana', network: 'devnet', wallet: freshWallet() }, overrides);

/** The context of the adapter's parts. */
export const chainOf = solanaContext;

export const rpc = () => chainOf(devnet()).rpc;

/** Returns the possible token addresses of a step's wallet. */
export async function addressOf({ key }: Step, index = 0): Promise<TokenAddress> {
  const [program, wallet, gatekeeperNetwork] = [devnet().network.program, key.wallet, key.gatekeeperNetwork];
  const [found] = tokenAddresses(
    program as Address,
    wallet as string as Address,
    gatekeeperNetwork as string as Address,
    [index],
  );
  return found as TokenAddress;
}

/** Returns the accounts that act for the gatekeeper network of a step. */
export async function acting({ key }: Step, by = devnet()) {
  const { program, gatekeeper } = chainOf(by);
  const gatekeeperNetwork = key.gatekeeperNetwork as string as Address;
  const account = gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
  return { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: account };
}

const UNITS = 100_000;

/** Returns the unsigned call as a transaction of version 1. kit encodes it. */
function version1Of(
  instruction: Instruction,
  payer: Address,
  { lifetime }: Pick<Awaited<ReturnType<typeof readConditions>>, 'lifetime'>,
) {
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) =>
        setTransactionMessageConfig({ computeUnitLimit: UNITS, loadedAccountsDataSizeLimit: 1_000_000 }, message),
      (message) => appendTransactionMessageInstruction(instruction, message),
    ),
  );
}

/** Calls the program without the service, as the owner of a key, in a transaction of that version. Returns its signature. */
async function send(instruction: Instruction, by: EnabledSolana, version: 0 | 1): Promise<string> {
  const chain = chainOf(by);
  const conditions = await readConditions(chain);
  const transaction =
    version === 1
      ? version1Of(instruction, chain.gatekeeper, conditions)
      : transactionOf(instruction, chain.gatekeeper, conditions, UNITS);
  const pair = await createKeyPairFromBytes(by.gatekeeper.key());
  const signed = await signTransaction([pair], transaction);
  const wire = getBase64EncodedWireTransaction(signed);
  await chain.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  await untilConfirmed();
  return getSignatureFromTransaction(signed);
}

async function isSuccess(identifier: string): Promise<boolean> {
  const status = (await readStatuses(rpc(), [identifier], false)).statuses.get(identifier);
  if (status === undefined) throw new Error('no block holds it');
  return status.err === null;
}

/** Calls the program without the service. Returns whether the program accepted it. */
export const isTaken = async (instruction: Instruction, by = devnet()): Promise<boolean> =>
  isSuccess(await send(instruction, by, 0));

/** Calls the program as the gatekeeper, without the service, in a transaction of that version. Returns its signature. */
export async function byGatekeeper(instruction: Instruction, by = devnet(), version: 0 | 1 = 0): Promise<string> {
  const identifier = await send(instruction, by, version);
  if (!(await isSuccess(identifier))) throw new Error('the program does not take it');
  return identifier;
}

/** Lets the node claim that a transaction has another version. */
export const claimVersion = (identifier: string, version: number) =>
  callDevnet('localnet_claimVersion', identifier, version);

/** SetState of the program: 0 active, 1 frozen, 2 revoked. Without a state: Burn. */
export async function change(
  step: Step,
  state: 0 | 1 | 2 | undefined,
  { index = 0, by = devnet() } = {},
): Promise<Instruction> {
  const { gatekeeper, gatekeeperAccount, program } = await acting(step, by);
  return {
    programAddress: program,
    accounts: [
      { address: (await addressOf(step, index)).address, role: AccountRole.WRITABLE },
      { address: gatekeeper, role: AccountRole.READONLY_SIGNER },
      { address: gatekeeperAccount, role: AccountRole.READONLY },
      ...(state === undefined ? [{ address: gatekeeper, role: AccountRole.WRITABLE }] : []),
    ],
    data: Uint8Array.from(state === undefined ? [8] : [2, state]),
  };
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/** Makes a key with funds, which acts in place of the gatekeeper's. */
export async function anotherKey(): Promise<EnabledSolana> {
  const { privateKey } = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const { d, x } = (await crypto.subtle.exportKey('jwk', privateKey)) as { d: string; x: string };
  const [seed, publicKey] = [d, x].map((text) => base64urlnopad.decode(text)) as [Uint8Array, Uint8Array];
  const own = address(getBase58Decoder().decode(publicKey));
  await callDevnet('localnet_setAccount', own, { lamports: 1_000_000_000, owner: SYSTEM_PROGRAM });
  return { ...devnet(), gatekeeper: { address: own, key: secret(Uint8Array.from([...seed, ...publicKey])) } };
}

/** Makes another gatekeeper of that gatekeeper network, with funds and its own key. */
export async function anotherGatekeeper(gatekeeperNetwork: string): Promise<EnabledSolana> {
  const other = await anotherKey();
  const { program } = chainOf(devnet());
  const account = gatekeeperAccount(program, other.gatekeeper.address as Address, gatekeeperNetwork as Address);
  await callDevnet('localnet_setAccount', account, { lamports: 890_880, owner: program });
  return other;
}

/** Lets the owner of a token expire it, as a dApp has it done that accepts the token once (ExpireToken). */
export async function expireAsOwner({ key }: Step, owner: EnabledSolana, version: 0 | 1 = 0): Promise<string> {
  const [program, network] = [devnet().network.program as Address, key.gatekeeperNetwork as string as Address];
  const [feature] = await getProgramDerivedAddress({
    programAddress: program,
    seeds: [getAddressEncoder().encode(network), 'expire'],
  });
  await callDevnet('localnet_setAccount', feature, { lamports: 890_880, owner: program });
  const accounts = [
    { address: (await addressOf({ key } as Step)).address, role: AccountRole.WRITABLE },
    { address: owner.gatekeeper.address as Address, role: AccountRole.WRITABLE_SIGNER },
    { address: feature, role: AccountRole.READONLY },
  ];
  const data = Uint8Array.from([7, 0, ...getAddressEncoder().encode(network)]);
  return byGatekeeper({ programAddress: program, accounts, data }, owner, version);
}
