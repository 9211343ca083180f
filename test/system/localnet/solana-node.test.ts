import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findGatewayToken } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { startLocalnet } from '../../../localnet/localnet.ts';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { solanaProgramFile } from '../../../localnet/solana/program-file.ts';
import { returning, writeProgram } from '../../../localnet/solana/runtime/smallest-elf.ts';
import { startSolanaNode } from '../../../localnet/solana/start-node.ts';
import { freePort, isFree } from '../../../localnet/state/ports.ts';
import { dAppAccepts } from '../../../localnet/witness/witness.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { freshOwner, GATEKEEPER, NETWORK, RawClient } from './solana/rpc/test-client.ts';

afterAll(stopChildren);

const DEVNET = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('is devnet, makes blocks by itself, and takes an issuance that the protocol’s own client finds', async () => {
  const solanaProgram = solanaProgramFile(undefined);
  const node = await startSolanaNode({ network: 'devnet', port: await freePort(), solanaProgram }, { slotMs: 50 });
  const connection = new Connection(node.rpcUrl, 'confirmed');
  const client = new RawClient(node.rpcUrl);
  expect(await connection.getGenesisHash()).toBe(DEVNET);

  const { owner, pass, wire, signature } = await client.issuance(freshOwner());
  for (const network of GATEKEEPER_NETWORKS) {
    expect(await dAppAccepts(node.rpcUrl, owner.toBase58(), network)).toBe(false);
  }
  expect(await connection.sendRawTransaction(Buffer.from(wire, 'base64'), { preflightCommitment: 'processed' })).toBe(
    signature,
  );
  const seen: string[] = [];
  for (const deadline = Date.now() + 10_000; seen.at(-1) !== 'finalized' && Date.now() < deadline; await sleep(10)) {
    const { value } = await connection.getSignatureStatus(signature);
    if (value?.err) throw new Error(JSON.stringify(value.err));
    if (value?.confirmationStatus && value.confirmationStatus !== seen.at(-1)) seen.push(value.confirmationStatus);
  }
  expect(seen).toEqual(['processed', 'confirmed', 'finalized']);
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

it('runs the program that it is given, instead of the emulation', async () => {
  const solanaProgram = join(temporaryFolder(), 'program.so');
  writeProgram(returning(77), solanaProgram);
  const node = await startSolanaNode({ network: 'devnet', port: await freePort(), solanaProgram }, { slotMs: 0 });
  const client = new RawClient(node.rpcUrl);
  const { wire } = await client.issuance(freshOwner());
  const { value } = await client.call('simulateTransaction', wire, { encoding: 'base64', commitment: 'processed' });
  expect(value.err).toEqual({ InstructionError: [0, { Custom: 77 }] });
  await node.stop();
});

it('is started by the localnet with the program that the localnet is given', async () => {
  const solanaProgram = join(temporaryFolder(), 'program.so');
  writeFileSync(solanaProgram, 'what somebody saved by mistake');
  await expect(startLocalnet({ solanaProgram })).rejects.toThrow('is no program that can run');
  await stopChildren();
});

it.each(['dev', 'demo', 'localnet'])('`npm run %s` wants the program to be there', async (command) => {
  const options = [
    '--solana-program',
    '/no/such.so',
    ...(command === 'dev' ? ['--port', String(await freePort())] : []),
  ];
  const { status, stderr } = spawnSync('npm', ['run', '--silent', command, '--', ...options], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(stderr).toContain('there is no file "/no/such.so"');
  expect(status).toBe(2);
});

it('keeps its chain over SIGKILL, and no blockhash of before', async () => {
  const options = { network: 'devnet', port: await freePort(), state: temporaryFolder() };
  const first = await startSolanaNode(options, { slotMs: 0 });
  const client = new RawClient(first.rpcUrl);
  const old = await client.blockhash();
  const issuance = await client.issuance(freshOwner(), old);
  await client.send(issuance.wire);
  await client.call('localnet_advance', 3);
  const [slot, height] = await Promise.all(['getSlot', 'getBlockHeight'].map((method) => client.call(method)));
  await sleep(1_500);
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

  // What came last is written at the end, too.
  const third = await startSolanaNode(options, { slotMs: 0 });
  await client.call('localnet_advance', 1000);
  const last = await client.call('getSlot');
  await third.stop();
  const fourth = await startSolanaNode(options, { slotMs: 0 });
  expect(await client.call('getSlot')).toBeGreaterThan(last);
  await fourth.stop();
  expect(await isFree(options.port)).toBe(true);
});

it('goes on by the time that has passed', async () => {
  const options = { network: 'devnet', port: await freePort(), state: temporaryFolder() };
  const first = await startSolanaNode(options, { slotMs: 0 });
  await first.stop();
  const second = await startSolanaNode(options, { slotMs: 1 });
  const third = await new RawClient(second.rpcUrl).call('getSlot', { commitment: 'processed' });
  await second.stop();
  await sleep(500);
  const fourth = await startSolanaNode(options, { slotMs: 1 });
  expect(await new RawClient(fourth.rpcUrl).call('getSlot')).toBeGreaterThan(third + 500);
  await fourth.stop();
});

it('has the depths that it is told', async () => {
  const node = await startSolanaNode(
    { network: 'devnet', port: await freePort() },
    { slotMs: 0, confirmed: 2, finalized: 5 },
  );
  const client = new RawClient(node.rpcUrl);
  const newest = await client.call('localnet_advance', 10);
  const slots = ['processed', 'confirmed', 'finalized'].map((commitment) => client.call('getSlot', { commitment }));
  expect(await Promise.all(slots)).toEqual([newest, newest - 2, newest - 5]);
  await node.stop();
});

it('that cannot start says so in a line', async () => {
  const port = await freePort();
  const node = await startSolanaNode({ network: 'devnet', port });
  await expect(startSolanaNode({ network: 'other', port })).rejects.toThrow(
    `other: the Solana node did not start: cannot listen on port ${port} (EADDRINUSE)`,
  );
  await node.stop();
  const state = temporaryFolder();
  writeFileSync(join(state, 'devnet.json'), '{"form":');
  await expect(startSolanaNode({ network: 'devnet', port, state })).rejects.toThrow(/devnet\.json is damaged/);
});

it('is given a program that is there, by option or variable', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('SOLANA_GATEWAY_PROGRAM', '');
  expect(solanaProgramFile(undefined)).toBeUndefined();
  expect(solanaProgramFile(import.meta.filename)).toBe(import.meta.filename);
  expect(() => solanaProgramFile('/no/such')).toThrow(/^--solana-program: there is no file "\/no\/such"/);
  expect(() => solanaProgramFile('')).toThrow(/^--solana-program/);
  vi.stubEnv('SOLANA_GATEWAY_PROGRAM', '/no/other');
  expect(() => solanaProgramFile(undefined)).toThrow(/^SOLANA_GATEWAY_PROGRAM: there is no file "\/no\/other"/);
});
