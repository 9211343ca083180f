import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KMS_REFERENCES } from '../../../tools/localnet/kms/gatekeepers.ts';
import { pollUntil } from '../poll-until.ts';
import { Rehearsal } from '../runbook/rehearsal.ts';

/** `npm run verdict` on a local service, with contracts on two networks. The cases are in order: each begins with the keys of the one before. */

const [ONE, OTHER] = ['sepolia', 'baseSepolia'] as const;
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const ARTIFACT = join(import.meta.dirname, '../../../packages/contracts/artifacts/PassVerdicts.json');
const { abi, bytecode } = JSON.parse(readFileSync(ARTIFACT, 'utf8')) as { abi: Abi; bytecode: Hex };
const IS_KEY = parseAbi(['function isKey(address) view returns (bool)']);

let service: Rehearsal;
beforeAll(async () => {
  service = await Rehearsal.open({ kms: true });
  const first = (await current()) ?? OWNER;
  const contracts = [ONE, OTHER].map(async (network) => [network, await deployContract(network, first)] as const);
  service.verdictContracts = Object.fromEntries(await Promise.all(contracts));
});
afterAll(() => service?.close());

interface Listed {
  readonly address: Address;
  readonly until?: number;
}
const listed = async () => ((await (await fetch(`${service.baseUrl}/verdict-keys`)).json()) as { keys: Listed[] }).keys;
const current = async () => (await listed()).find(({ until }) => until === undefined)?.address;

interface Receipt {
  readonly contractAddress: Address;
  readonly status: Hex;
}

/** Sends a transaction of an account whose key the node has, and waits for its block. */
async function send(network: string, from: string, data: Hex, to?: string): Promise<Receipt> {
  const hash = await service.node(network, 'eth_sendTransaction', { from, data, gas: '0x1e8480', ...(to && { to }) });
  const read = () => service.node(network, 'eth_getTransactionReceipt', hash) as Promise<Receipt | null>;
  const receipt = (await pollUntil(read, (found) => found !== null)) as Receipt;
  expect(receipt.status).toBe('0x1');
  return receipt;
}

async function deployContract(network: string, key: Address): Promise<Address> {
  const data = encodeDeployData({ abi, bytecode, args: [OWNER, key] });
  return (await send(network, OWNER, data)).contractAddress;
}

/** Whether the contract of each network trusts the key. */
const trust = (key: Address) =>
  Promise.all(
    [ONE, OTHER].map(async (network) => {
      const data = encodeFunctionData({ abi: IS_KEY, functionName: 'isKey', args: [key] });
      const call = { to: service.verdictContracts[network], data };
      return BigInt((await service.node(network, 'eth_call', call, 'latest')) as Hex) === 1n;
    }),
  );

const verdict = (args: string) => service.run(`npm run verdict -- ${args}`);
const owned = () => `--env ENV --mainnet --authority-key-file ${service.writeAuthority()}`;
const aKeyFile = (key: string) => service.write('verdict.key', key);

it('a dry run, an owner that is not named, and a file that is no key change nothing', async () => {
  const first = (await current()) as Address;
  const dry = await verdict(`end ${first} ${owned()} --dry-run`);
  expect([dry.code, dry.printed]).toEqual([0, expect.stringContaining('delete the secret VERDICT_KEY')]);
  expect(dry.printed).toContain(`remove it from ${service.verdictContracts[ONE]} on ${ONE}`);
  const planned = await verdict(`new ${owned()} --dry-run`);
  expect([planned.code, planned.printed]).toEqual([0, expect.stringContaining(`by which ${first} ends`)]);
  const unnamed = await verdict(`end ${first} --env ENV`);
  expect([unnamed.code, unnamed.printed]).toEqual([2, expect.stringContaining('name the key of their owner')]);
  const bad = await verdict(`new ${owned()} --key-file ${aKeyFile('0x12')}`);
  expect([bad.code, bad.printed]).toEqual([2, expect.stringContaining('must be a private key')]);
  expect(bad.printed).not.toContain('0x12 ');
  expect(await current()).toBe(first);
  expect(await trust(first)).toEqual([true, true]);
});

it('a key of an owner elsewhere is prepared with calls, and signs when the contracts trust it', async () => {
  const first = (await current()) as Address;
  const secret = generatePrivateKey();
  const next = privateKeyToAddress(secret);
  const file = aKeyFile(secret);
  expect((await verdict(`new --env ENV --calldata calls.json`)).printed).toContain('--calldata requires --key-file');
  const prepared = await verdict(`new --env ENV --key-file ${file} --calldata calls.json`);
  expect(prepared.code, prepared.printed).toBe(0);
  expect(await current()).toBe(first);
  for (const network of [ONE, OTHER]) {
    const { transactions } = JSON.parse(service.read(`calls.${network}.json`));
    const data = encodeFunctionData({ abi, functionName: 'addKey', args: [next] });
    expect(transactions).toMatchObject([{ to: service.verdictContracts[network], data, value: '0' }]);
    await send(network, OWNER, data, transactions[0].to);
  }
  expect(await trust(next)).toEqual([true, true]);
  // Nothing is left for an owner to do.
  const made = await verdict(`new --env ENV --key-file ${file}`);
  expect(made.code, made.printed).toBe(0);
  expect(made.printed).toContain(`npm run verdict -- end ${first}`);
  expect(await current()).toBe(next);
  expect(service.secret('VERDICT_KEY')).toBe(secret);
  // The contracts trust the key before until its last verdicts have ended.
  expect(await trust(first)).toEqual([true, true]);
  const again = await verdict(`new --env ENV --key-file ${file}`);
  expect([again.code, again.printed]).toEqual([1, expect.stringContaining('is in the list already')]);
});

it('the end of the key before takes it from the contracts only', async () => {
  const [old] = await listed();
  const before = (await current()) as Address;
  const ended = await verdict(`end ${old?.address} ${owned()}`);
  expect([ended.code, ended.printed]).toEqual([0, expect.stringContaining('The service does not sign with')]);
  expect(await trust(old?.address as Address)).toEqual([false, false]);
  expect([await current(), await trust(before)]).toEqual([before, [true, true]]);
});

it('a key in a KMS has signed a probe before it is the one that signs', async () => {
  const reference = KMS_REFERENCES.ethereum.gcp;
  const address = reference.slice(reference.indexOf('#') + 1) as Address;
  const made = await verdict(`new ${owned()} --key-file ${aKeyFile(reference)}`);
  expect(made.code, made.printed).toBe(0);
  expect([await current(), await trust(address)]).toEqual([address, [true, true]]);
  const doctor = await service.run('npm run doctor -- --env ENV');
  expect(doctor.printed).toContain(`ok    key ${address}: gcp-kms holds it, and signs`);
  expect(doctor.printed).toContain(`ok    verdict key: the service signs with ${address}`);
  expect(doctor.printed).toContain(`ok    ${ONE}, verdicts ${service.verdictContracts[ONE]}: it trusts ${address}`);
});

it('the end of a key stops the service and each chain that answers, and the next run does the rest', async () => {
  const key = (await current()) as Address;
  // The contract of one network has another owner.
  const stranger = privateKeyToAddress(generatePrivateKey());
  const { [OTHER]: contract = '' } = service.verdictContracts;
  const notOwned = await deployContract(OTHER, key);
  const call = (from: string, functionName: string, args: readonly unknown[]) =>
    send(OTHER, from, encodeFunctionData({ abi, functionName, args }), notOwned);
  await service.node(OTHER, 'anvil_impersonateAccount', stranger);
  await service.setBalance(OTHER, stranger, '1');
  await call(OWNER, 'transferOwnership', [stranger]);
  await call(stranger, 'acceptOwnership', []);
  service.verdictContracts = { ...service.verdictContracts, [OTHER]: notOwned };
  const ended = await verdict(`end ${key} ${owned()}`);
  expect([ended.code, ended.printed]).toEqual([1, expect.stringContaining(`${OTHER}: the contract refuses to remove`)]);
  expect(await trust(key)).toEqual([false, true]);
  expect(await current()).toBeUndefined();
  expect(service.secret('VERDICT_KEY')).toBeUndefined();
  await call(stranger, 'removeKey', [key]);
  const done = await verdict(`end ${key} ${owned()}`);
  expect([done.code, done.printed]).toEqual([0, expect.stringContaining(`${key} has ended.`)]);
  expect(await trust(key)).toEqual([false, false]);
  service.verdictContracts = { ...service.verdictContracts, [OTHER]: contract };
});

it('without an answer of the service, the end of a key takes it from the Worker and from the chains', async () => {
  const made = await verdict(`new ${owned()}`);
  expect(made.code, made.printed).toBe(0);
  const key = (await current()) as Address;
  await service.stopWorker();
  const ended = await verdict(`end ${key} ${owned()}`);
  expect([ended.code, ended.printed]).toEqual([1, expect.stringContaining('VERDICT_KEY is deleted')]);
  expect([service.secret('VERDICT_KEY'), await trust(key)]).toEqual([undefined, [false, false]]);
  await service.restartWorker();
  const done = await verdict(`end ${key} ${owned()}`);
  expect(done.code, done.printed).toBe(0);
  expect((await listed()).at(-1)).toEqual({ address: key, from: expect.any(Number), until: expect.any(Number) });
});
