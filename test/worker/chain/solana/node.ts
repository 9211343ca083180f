import { env } from 'cloudflare:workers';
import { base64urlnopad } from '@scure/base';
import {
  AccountRole,
  type Address,
  address,
  createKeyPairFromBytes,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
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

/** Calls the program without the service. Returns whether the program accepted it. */
export async function isTaken(instruction: Instruction, by = devnet()): Promise<boolean> {
  const chain = chainOf(by);
  const conditions = await readConditions(chain);
  const transaction = transactionOf(instruction, chain.gatekeeper, conditions, 100_000);
  const pair = await createKeyPairFromBytes(by.gatekeeper.key());
  const signed = await signTransaction([pair], transaction);
  const identifier = getSignatureFromTransaction(signed);
  const wire = getBase64EncodedWireTransaction(signed);
  await chain.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  await untilConfirmed();
  const { statuses } = await readStatuses(chain.rpc, [identifier], false);
  const status = statuses.get(identifier);
  if (status === undefined) throw new Error('no block holds it');
  return status.err === null;
}

/** Calls the program as the gatekeeper, without the service. */
export async function byGatekeeper(instruction: Instruction, by = devnet()): Promise<void> {
  if (!(await isTaken(instruction, by))) throw new Error('the program does not take it');
}

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

/** Makes another gatekeeper of that gatekeeper network, with funds and its own key. */
export async function anotherGatekeeper(gatekeeperNetwork: string): Promise<EnabledSolana> {
  const { privateKey } = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const { d, x } = (await crypto.subtle.exportKey('jwk', privateKey)) as { d: string; x: string };
  const [seed, publicKey] = [d, x].map((text) => base64urlnopad.decode(text)) as [Uint8Array, Uint8Array];
  const own = address(getBase58Decoder().decode(publicKey));
  const { program } = chainOf(devnet());
  const account = gatekeeperAccount(program, own, gatekeeperNetwork as Address);
  await callDevnet('localnet_setAccount', account, { lamports: 890_880, owner: program });
  await callDevnet('localnet_setAccount', own, { lamports: 1_000_000_000, owner: SYSTEM_PROGRAM });
  return { ...devnet(), gatekeeper: { address: own, key: secret(Uint8Array.from([...seed, ...publicKey])) } };
}
