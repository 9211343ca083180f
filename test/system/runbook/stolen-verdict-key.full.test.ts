import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, expect } from 'vitest';
import { type SignedVerdict, signedVerdict } from '../../../packages/client/src/verify.ts';
import { findNetwork, NETWORKS } from '../../../src/network/networks.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

/** The key of verdicts, from the signature of the service to the contract on two chains. */

const NETWORK = 'sepolia';
/** The pass is on the first one only. */
const WITH_CONTRACT = [NETWORK, 'baseSepolia'] as const;
/** The first account of the nodes, whose key is that of `writeAuthority`. */
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ASKING: Address = '0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4';
const ARTIFACT = join(import.meta.dirname, '../../../packages/contracts/artifacts/PassVerdicts.json');
const { abi, bytecode } = JSON.parse(readFileSync(ARTIFACT, 'utf8')) as { abi: Abi; bytecode: Hex };

let service: Rehearsal;
let key: string;
beforeAll(async () => {
  service = await Rehearsal.open();
  key = service.partner('acme').gatekeeperNetwork;
});
afterAll(() => service?.close());

interface Listed {
  readonly address: Address;
  readonly until?: number;
}
const listed = async () => ((await (await fetch(`${service.baseUrl}/verdict-keys`)).json()) as { keys: Listed[] }).keys;

async function deployContract(network: string, first: Address): Promise<Address> {
  const data = encodeDeployData({ abi, bytecode, args: [OWNER, first] });
  const hash = await service.node(network, 'eth_sendTransaction', { from: OWNER, data, gas: '0x1e8480' });
  type Receipt = { readonly contractAddress: Address };
  const read = () => service.node(network, 'eth_getTransactionReceipt', hash) as Promise<Receipt | null>;
  return ((await pollUntil(read, (found) => found !== null)) as Receipt).contractAddress;
}

const chainIdOf = (network: string) => {
  const found = findNetwork(NETWORKS, 'ethereum', network);
  if (found?.chain !== 'ethereum') throw new Error(`no network ${network}`);
  return found.chainId;
};

/** Whether the contract of the network accepts the verdict for the asking contract. */
async function isValid(network: string, { message, signature }: SignedVerdict, from = ASKING): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'isValid', args: [message, signature] });
  const call = { from, to: service.verdictContracts[network], data };
  return BigInt((await service.node(network, 'eth_call', call, 'latest')) as Hex) === 1n;
}

rehearse(
  'A verdict key is stolen',
  'one command ends it in the service, in the public list and on each chain, and another one makes a new key',
  async (page) => {
    const [first] = await listed();
    const stolen = first?.address as Address;
    const contracts = WITH_CONTRACT.map(async (network) => [network, await deployContract(network, stolen)] as const);
    service.verdictContracts = Object.fromEntries(await Promise.all(contracts));
    const opened = await service.run('npm run partner -- network KEY --public-verify on --env ENV', { KEY: key });
    expect(opened.code, opened.printed).toBe(0);
    const wallet = freshWallet(NETWORK) as Address;
    await service.partner('acme').issue(NETWORK, wallet);
    await service.partner('acme').untilSettled(NETWORK, wallet);

    const verdictFor = (network: string) =>
      signedVerdict({
        baseUrl: service.baseUrl,
        gatekeeperNetwork: key,
        chain: { type: 'ethereum', network: NETWORK },
        walletAddress: wallet,
        chainId: chainIdOf(network),
        verifyingContract: ASKING,
      });
    const untilSigned = (network: string) =>
      pollUntil(
        () => verdictFor(network).catch(() => undefined),
        (verdict) => verdict !== undefined,
      ) as Promise<SignedVerdict>;
    const [here, elsewhere] = [await untilSigned(NETWORK), await untilSigned('baseSepolia')];
    expect(await Promise.all([isValid(NETWORK, here), isValid('baseSepolia', elsewhere)])).toEqual([true, true]);
    // On the other chain, for another contract, and about another wallet.
    expect(await Promise.all([isValid('baseSepolia', here), isValid(NETWORK, elsewhere)])).toEqual([false, false]);
    expect(await isValid(NETWORK, here, OWNER)).toBe(false);
    expect(await isValid(NETWORK, { ...here, message: { ...here.message, wallet: ASKING } })).toBe(false);

    service.writeSecrets('endpoints.secrets', { RPC_ENDPOINTS: service.endpoints });
    const FILE = service.writeAuthority();
    const ended = await service.run(page.next('npm run verdict -- end'), { ADDRESS: stolen, FILE });
    expect(ended.code, ended.printed).toBe(0);
    expect(await Promise.all([isValid(NETWORK, here), isValid('baseSepolia', elsewhere)])).toEqual([false, false]);
    expect(await listed()).toEqual([{ ...first, until: expect.any(Number) }]);
    await expect(verdictFor(NETWORK)).rejects.toMatchObject({ code: 'verdicts_not_enabled' });

    const made = await service.run(page.next('npm run verdict -- new'), { FILE });
    expect(made.code, made.printed).toBe(0);
    const [old, current] = await listed();
    expect([old?.address, old?.until, current?.until]).toEqual([stolen, expect.any(Number), undefined]);
    const again = [await untilSigned(NETWORK), await untilSigned('baseSepolia')] as const;
    expect(await Promise.all([isValid(NETWORK, again[0]), isValid('baseSepolia', again[1])])).toEqual([true, true]);
    expect(await isValid(NETWORK, here)).toBe(false);

    const { printed } = await service.run(page.next('npm run verdict -- list'));
    expect(printed).toContain(`${stolen}: from`);
    for (const [network, contract] of Object.entries(service.verdictContracts))
      expect(printed.toLowerCase()).toContain(`${network}: ${contract} trusts ${current?.address}`.toLowerCase());
    // The key was shown nowhere, and the secret of the Worker has it.
    const secret = service.secret('VERDICT_KEY') ?? '';
    expect(secret).toMatch(/^0x[0-9a-f]{64}$/);
    expect(made.printed + ended.printed + printed).not.toContain(secret.slice(2));
  },
  { timeout: 400_000 },
);
