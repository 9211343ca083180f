import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGatewayToken } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { stopChildren } from '../../../../../terminal/child-process.ts';
import { startLocalnet } from '../../../../../tools/localnet/localnet.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../tools/localnet/oauth/partners.ts';
import { findSolanaProgram } from '../../../../../tools/localnet/solana/program-file.ts';
import { startSolanaNode } from '../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort, isPortFree } from '../../../../../tools/localnet/state/ports.ts';
import { dAppAccepts } from '../../../../../tools/localnet/witness/on-chain-token.ts';
import { programReturning, writeProgram } from '../../../../sbf-program.ts';
import { pollUntil } from '../../../poll-until.ts';
import { freshOwner, GATEKEEPER, NETWORK, SolanaNodeClient } from './rpc/solana-node-client.ts';

afterAll(stopChildren);

const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("a Solana node has the genesis hash of devnet, makes blocks, and accepts an issuance that the protocol's own client finds", async () => {
  const solanaProgram = findSolanaProgram(undefined);
  // Each status lasts for a second or more.
  const depths = { slotMs: 50, confirmed: 20, finalized: 60 };
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort(), solanaProgram }, depths);
  const connection = new Connection(node.rpcUrl, 'confirmed');
  const client = new SolanaNodeClient(node.rpcUrl);
  expect(await connection.getGenesisHash()).toBe(DEVNET);

  const { owner, pass, wire, signature } = await client.issuance(freshOwner());
  for (const network of GATEKEEPER_NETWORKS) {
    expect(await dAppAccepts(node.rpcUrl, owner.toBase58(), network)).toBe(false);
  }
  expect(await connection.sendRawTransaction(Buffer.from(wire, 'base64'), { preflightCommitment: 'processed' })).toBe(
    signature,
  );
  const seen: string[] = [];
  for (const deadline = Date.now() + 60_000; seen.at(-1) !== 'finalized' && Date.now() < deadline; await sleep(10)) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw new Error(JSON.stringify(value.err));
    if (value?.confirmationStatus && value.confirmationStatus !== seen.at(-1)) seen.push(value.confirmationStatus);
  }
  expect(seen.at(-1)).toBe('finalized');
  // A busy machine may miss one, but sees none twice or in another order.
  expect(seen).toEqual(['processed', 'confirmed', 'finalized'].filter((status) => seen.includes(status)));
  expect(await findGatewayToken(connection, owner, NETWORK)).toMatchObject({
    issuingGatekeeper: GATEKEEPER.publicKey,
    owner,
    state: 'ACTIVE',
    expiryTime: 1_900_000_000,
  });
  expect((await connection.getAccountInfo(new PublicKey(pass)))?.data).toHaveLength(109);
  expect(await dAppAccepts(node.rpcUrl, owner.toBase58(), NETWORK.toBase58())).toBe(true);
  await node.stop();
});

it('a Solana node runs the given program instead of the emulation', async () => {
  const solanaProgram = join(temporaryFolder(), 'program.so');
  writeProgram(programReturning(77), solanaProgram);
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort(), solanaProgram }, { slotMs: 0 });
  const client = new SolanaNodeClient(node.rpcUrl);
  const { wire } = await client.issuance(freshOwner());
  const { value } = await client.call('simulateTransaction', wire, { encoding: 'base64', commitment: 'processed' });
  expect(value.err).toEqual({ InstructionError: [0, { Custom: 77 }] });
  await node.stop();
});

it('a localnet starts its Solana node with the given program', async () => {
  const solanaProgram = join(temporaryFolder(), 'program.so');
  writeFileSync(solanaProgram, 'no program');
  await expect(startLocalnet({ solanaProgram })).rejects.toThrow('is no program that can run');
  await stopChildren();
});

it.each(['dev', 'demo', 'localnet'])('`npm run %s` refuses a program file that does not exist', async (command) => {
  const options = [
    '--solana-program',
    '/no/such.so',
    ...(command === 'dev' ? ['--port', String(await findFreePort())] : []),
  ];
  const { status, stderr } = spawnSync('npm', ['run', '--silent', command, '--', ...options], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(stderr).toContain('there is no file "/no/such.so"');
  expect(status).toBe(2);
});

it('a Solana node keeps its chain after SIGKILL, and older blockhashes are no longer valid', async () => {
  const options = { network: 'devnet', port: await findFreePort(), state: temporaryFolder() };
  const first = await startSolanaNode(options, { slotMs: 0 });
  const client = new SolanaNodeClient(first.rpcUrl);
  const old = await client.blockhash();
  const issuance = await client.issuance(freshOwner(), old);
  await client.send(issuance.wire);
  await client.call('localnet_advance', 3);
  const [slot, height] = await Promise.all(['getSlot', 'getBlockHeight'].map((method) => client.call(method)));
  // The node writes its state every second.
  const stateFile = join(options.state, 'devnet.json');
  await pollUntil(
    async () => existsSync(stateFile) && readFileSync(stateFile, 'utf8').includes(issuance.signature),
    Boolean,
  );
  process.kill(first.pid, 'SIGKILL');
  await first.ended;

  const second = await startSolanaNode(options, { slotMs: 0 });
  expect(await client.status(issuance.signature)).toBeNull();
  expect(await client.status(issuance.signature, true)).toMatchObject({ err: null, confirmationStatus: 'finalized' });
  expect(await dAppAccepts(second.rpcUrl, issuance.owner.toBase58(), NETWORK.toBase58())).toBe(true);
  expect(await client.call('getSlot')).toBeGreaterThan(slot + 150);
  expect(await client.call('getBlockHeight')).toBeGreaterThan(height + 150);
  expect((await client.call('isBlockhashValid', old)).value).toBe(false);
  await second.stop();

  // A normal stop also writes the newest blocks.
  const third = await startSolanaNode(options, { slotMs: 0 });
  await client.call('localnet_advance', 1000);
  const last = await client.call('getSlot');
  await third.stop();
  const fourth = await startSolanaNode(options, { slotMs: 0 });
  expect(await client.call('getSlot')).toBeGreaterThan(last);
  await fourth.stop();
  expect(await isPortFree(options.port)).toBe(true);
});

it('a restarted Solana node skips the slots of its downtime', async () => {
  const options = { network: 'devnet', port: await findFreePort(), state: temporaryFolder() };
  const first = await startSolanaNode(options, { slotMs: 0 });
  await first.stop();
  const second = await startSolanaNode(options, { slotMs: 1 });
  const third = await new SolanaNodeClient(second.rpcUrl).call('getSlot', { commitment: 'processed' });
  await second.stop();
  await sleep(500);
  const fourth = await startSolanaNode(options, { slotMs: 1 });
  expect(await new SolanaNodeClient(fourth.rpcUrl).call('getSlot')).toBeGreaterThan(third + 500);
  await fourth.stop();
});

it('a Solana node confirms and finalizes at the configured depths', async () => {
  const node = await startSolanaNode(
    { network: 'devnet', port: await findFreePort() },
    { slotMs: 0, confirmed: 2, finalized: 5 },
  );
  const client = new SolanaNodeClient(node.rpcUrl);
  const newest = await client.call('localnet_advance', 10);
  const slots = ['processed', 'confirmed', 'finalized'].map((commitment) => client.call('getSlot', { commitment }));
  expect(await Promise.all(slots)).toEqual([newest, newest - 2, newest - 5]);
  await node.stop();
});

it('a failed start of a Solana node throws an error of one line', async () => {
  const port = await findFreePort();
  const node = await startSolanaNode({ network: 'devnet', port });
  await expect(startSolanaNode({ network: 'other', port })).rejects.toThrow(
    `other: the Solana node did not start: cannot listen on port ${port} (EADDRINUSE)`,
  );
  await node.stop();
  const state = temporaryFolder();
  writeFileSync(join(state, 'devnet.json'), '{"form":');
  await expect(startSolanaNode({ network: 'devnet', port, state })).rejects.toThrow(/devnet\.json is damaged/);
});

it('findSolanaProgram takes the file of the option or of the variable, and refuses a file that does not exist', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('SOLANA_GATEWAY_PROGRAM', '');
  expect(findSolanaProgram(undefined)).toBeUndefined();
  expect(findSolanaProgram(import.meta.filename)).toBe(import.meta.filename);
  expect(() => findSolanaProgram('/no/such')).toThrow(/^--solana-program: there is no file "\/no\/such"/);
  expect(() => findSolanaProgram('')).toThrow(/^--solana-program/);
  vi.stubEnv('SOLANA_GATEWAY_PROGRAM', '/no/other');
  expect(() => findSolanaProgram(undefined)).toThrow(/^SOLANA_GATEWAY_PROGRAM: there is no file "\/no\/other"/);
});
