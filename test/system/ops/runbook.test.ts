import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { startLocalnet } from '../../../localnet/localnet.ts';
import { fetchToken } from '../../../localnet/partner/fetch-token.ts';
import { LocalnetPartner } from '../../../localnet/partner/localnet-partner.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../localnet/solana/gatekeepers.ts';
import { findFreePort } from '../../../localnet/state/ports.ts';
import type { StateFolder } from '../../../localnet/state/state-folder.ts';
import { startWorker, type Worker } from '../../../localnet/worker.ts';
import { readSecrets } from '../../../ops/nodes/deployment.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { callNode } from '../../call-node.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runProgram } from '../run-program.ts';
import { contractOn } from './network-nodes.ts';

/**
 * The commands of the runbook's emergencies, as the document shows them, each in its situation. They run against the localnet:
 * its options replace those of a deployment, and the Worker restarts instead of a release or a change of secrets.
 */

const NETWORK = 'sepolia';
const [LEAKED] = GATEKEEPERS;
/** The first account of the node is the authority of the gatekeeper networks. */
const AUTHORITY_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const runbook = textOf('docs/operators/runbook.md');

const sectionOf = (title: string) => runbook.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';

/** Returns the commands of a section, one per line, in their order. */
function commandsOf(title: string): string[] {
  const lines = codeBlocks(sectionOf(title), 'sh').flatMap((block) => block.split('\n').map((line) => line.trim()));
  return lines.filter((line) => line !== '');
}

let state: StateFolder;
let folder: string;
let localnet: Awaited<ReturnType<typeof startLocalnet>>;
let worker: Worker;
let port: number;
let variables: Record<string, string> = {};

const start = async () => {
  worker = await startWorker({
    localnet: localnet.facts,
    state: state.folder,
    port,
    variables,
    config: inject('builtWorker'),
  });
  writeFileSync(
    join(folder, 'localnet.json'),
    JSON.stringify({ ...localnet.facts, baseUrl: worker.baseUrl, state: state.folder }),
  );
};

beforeAll(async () => {
  state = openPreparedState(inject('preparedState'));
  folder = mkdtempSync(join(state.folder, 'operator-'));
  [localnet, port] = await Promise.all([startLocalnet(), findFreePort()]);
  await start();
});
afterAll(async () => {
  await worker?.stop();
  await localnet?.stop();
  await stopChildren();
  state?.close();
});

const node = (method: string, ...params: unknown[]) => callNode(localnet.facts.rpc[NETWORK] ?? '', method, params);
const setBalance = (address: string, coins: string) =>
  node('anvil_setBalance', address, numberToHex(parseEther(coins)));
const partner = (name: string) => new LocalnetPartner({ ...localnet.facts, baseUrl: worker.baseUrl }, name);
const wallet = () => privateKeyToAddress(generatePrivateKey());

async function admin<T>(path: string): Promise<T> {
  const token = await fetchToken(localnet.facts.tokenUrl, localnet.facts.operator);
  const response = await fetch(`${worker.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status, path).toBe(200);
  return response.json() as Promise<T>;
}
const isStuck = async (address: string) => {
  const { stuck } = await admin<{ stuck: { pass: { walletAddress: string } }[] }>('/admin/stuck?olderThan=0');
  return stuck.some(({ pass }) => pass.walletAddress.toLowerCase() === address.toLowerCase());
};
const untilStuck = (address: string) => pollUntil(() => isStuck(address), Boolean);

/** Without blocks, no pass settles by itself before the next command runs, however slow the machine is. */
async function withoutBlocks<T>(work: () => Promise<T>): Promise<T> {
  await node('evm_setIntervalMining', 0);
  return work().finally(() => node('evm_setIntervalMining', 1));
}

async function restart(changes: Readonly<Record<string, string>> = {}): Promise<void> {
  variables = { ...variables, ...changes };
  await worker.stop();
  await start();
}

/** Runs a command of the document with these values for its placeholders. Returns its exit code and its output. */
async function run(documented: string, values: Readonly<Record<string, string>> = {}) {
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(new RegExp(`\\b${name}\\b(?!-)`, 'g'), value),
    documented,
  );
  const [, secrets] = /(?:--secrets|secret bulk) (\S+)/.exec(filled) ?? [];
  if (secrets !== undefined) useSecrets(join(folder, secrets));
  if (/^npx wrangler secret bulk \S+ --env ENV$/.test(filled)) {
    await restart(
      Object.fromEntries(
        Object.entries(readSecrets(join(folder, secrets ?? ''))).map(([name, value]) => [name, String(value)]),
      ),
    );
    return { code: 0, printed: '' };
  }
  if (filled === 'npm run deploy -- --env ENV') {
    await restart();
    return { code: 0, printed: '' };
  }
  const [, name, args] = /^npm run (\w+) -- (.*)$/.exec(filled) ?? [];
  if (name === undefined || args === undefined) return runInShell(filled);
  const words = args
    .replace('--env ENV --url $GATEPASS_URL', `--local --localnet ${join(folder, 'localnet.json')}`)
    .replace('tokens.csv', join(folder, 'tokens.csv'))
    .replace(/--env ENV( --secrets \S+)?/, `--local --localnet ${join(folder, 'localnet.json')}`)
    .split(' ');
  // The operator answers the question of the command.
  const answer = name === 'network' ? ['--yes', '--state', join(folder, 'transactions.json')] : [];
  const command = [process.execPath, join(PROJECT, 'ops', `${name}.ts`), ...words, ...answer];
  const { code, stdout, stderr } = await runProgram(command, { HOME: folder });
  return { code, printed: stdout + stderr };
}

/** Makes the commands for the localnet read the secrets of a file. */
function useSecrets(file: string): void {
  const given = join(state.folder, 'worker.env');
  const all = { ...parseEnv(readFileSync(given, 'utf8')), ...readSecrets(file) };
  writeFileSync(
    given,
    Object.entries(all)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
}

async function runInShell(command: string) {
  const { code, stdout, stderr } = await runProgram(['bash', '-c', `cd ${folder} && ${command}`], {
    GATEPASS_URL: worker.baseUrl,
    TOKEN: await fetchToken(localnet.facts.tokenUrl, localnet.facts.operator),
  });
  return { code, printed: stdout + stderr, answer: stdout };
}

async function answerOf<T>(command: string, values?: Readonly<Record<string, string>>): Promise<T> {
  const ran = await run(command, values);
  expect(ran.code, ran.printed).toBe(0);
  return JSON.parse('answer' in ran ? ran.answer : '');
}

it('every request of the documents that redrives all stuck passes also names passes that have just stopped', () => {
  const bodies = runbook.match(/\{"all": "stuck".*?\}/g) ?? [];
  expect(bodies.length).toBeGreaterThan(3);
  for (const body of bodies) expect(JSON.parse(body)).toEqual({ all: 'stuck', olderThan: 0 });
});

it('A key has no funds: the redrive retries the passes at once when the key has funds again', async () => {
  const [redrive = '', ...others] = commandsOf('A key has no funds');
  expect(others).toEqual([]);
  await setBalance(LEAKED, '0');
  const [acme, waiting] = [partner('acme'), wallet()];
  await acme.issue(NETWORK, waiting);
  await untilStuck(waiting);
  // The request for a single pass, in the section that says when to send it.
  const [body = ''] = codeBlocks(sectionOf('A pass seems stuck'), 'json');
  const single = body.trim().replace('KEY', acme.gatekeeperNetwork).replace('0x…', waiting);
  const [post] = redrive.split(' -d ');
  expect(await answerOf(`${post} -d '${single}'`)).toMatchObject({ redriven: 1, more: false });
  await withoutBlocks(async () => {
    await setBalance(LEAKED, '100');
    expect(await answerOf(redrive)).toMatchObject({ redriven: 1, more: false });
  });
  expect(await acme.untilSettled(NETWORK, waiting)).toMatchObject({ state: 'ACTIVE' });
});

describe('A partner’s token or secret is stolen', () => {
  it('the commands suspend the client, end its unsigned steps, revoke the passes that it issued and let it continue', async () => {
    const commands = commandsOf("A partner's token or secret is stolen");
    const [suspend = '', withdraw = '', count = '', revoke = '', resume = ''] = commands;
    // From the report to the end.
    expect(commands).toHaveLength(5);
    const FROM = new Date().toISOString();
    const before = wallet();
    await partner('acme').issue(NETWORK, before);
    await partner('acme').untilSettled(NETWORK, before);
    const CLIENT_ID = localnet.facts.partners.find(({ name }) => name === 'acme')?.clientId ?? '';
    await setBalance(LEAKED, '0');
    const [signed, unsigned, later] = [wallet(), wallet(), wallet()];
    // The first transaction is signed, and the node refuses it. The signer then pauses.
    for (const ofThief of [signed, unsigned]) {
      await partner('acme').issue(NETWORK, ofThief);
      await untilStuck(ofThief);
    }
    expect(await run(suspend, { CLIENT_ID })).toMatchObject({ code: 0 });
    await expect(partner('acme').issue(NETWORK, wallet())).rejects.toMatchObject({
      status: 403,
      problem: { code: 'partner_suspended' },
    });
    expect(await answerOf(withdraw, { CLIENT_ID })).toEqual({ withdrawn: 1, signed: 1, more: false });
    await setBalance(LEAKED, '100');
    const selected = { CLIENT_ID, FROM, TO: new Date().toISOString(), REASON: 'stolen' };
    expect((await run(count, selected)).printed).toContain('revoked 3, revoked before 0, left alone 0, failed 0');
    const revoked = await run(revoke, selected);
    expect(revoked.code, revoked.printed).toBe(0);
    expect(revoked.printed).toContain('revoked 3, revoked before 0, left alone 0, failed 0');
    expect(await run(resume, { CLIENT_ID })).toMatchObject({ code: 0 });
    for (const ofThief of [before, signed, unsigned])
      expect(await partner('acme').untilSettled(NETWORK, ofThief)).toMatchObject({ state: 'REVOKED' });
    const acme = partner('acme');
    await acme.issue(NETWORK, later);
    expect(await acme.untilSettled(NETWORK, later)).toMatchObject({ state: 'ACTIVE' });
    expect(await acme.fetch(NETWORK, unsigned)).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
  });
});

describe('A key has leaked', () => {
  it('the commands replace the key on chain and in the service, and the passes continue', {
    timeout: 400_000,
  }, async () => {
    const commands = commandsOf('A key has leaked');
    const [
      deploy = '',
      remove = '',
      touch = '',
      doctor = '',
      setSecrets = '',
      add = '',
      again = '',
      rm = '',
      redrive = '',
      scan = '',
      revoke = '',
    ] = commands;
    expect(commands).toHaveLength(11);
    const key = generatePrivateKey();
    const address = privateKeyToAddress(key);
    const authority = join(folder, 'authority.hex');
    writeFileSync(authority, AUTHORITY_KEY, { mode: 0o600 });
    const acme = partner('acme');
    const contract = contractOn(localnet.facts.rpc[NETWORK] ?? '', acme.gatekeeperNetwork);
    const held = wallet();
    await acme.issue(NETWORK, held);
    await acme.untilSettled(NETWORK, held);

    variables = { ...variables, COMPROMISED_GATEKEEPERS: LEAKED };
    await run(deploy);
    const { signers } = await admin<{ signers: { network: string; address: string; compromised: boolean }[] }>(
      '/admin/signers',
    );
    expect(signers.find((each) => each.network === NETWORK)).toMatchObject({ address: LEAKED, compromised: true });
    await expect(partner('acme').issue(NETWORK, wallet())).rejects.toMatchObject({
      status: 400,
      problem: { code: 'network_not_enabled' },
    });
    await partner('acme').update(NETWORK, held, { state: 'FROZEN' });

    writeFileSync(join(folder, 'endpoints.secrets'), `RPC_ENDPOINTS='${endpoints()}'\n`);
    const named = { KEY: acme.gatekeeperNetwork, NETWORK };
    const removed = await run(remove, {
      ...named,
      ADDRESS: LEAKED,
      FILE: authority,
    });
    expect(removed.code, removed.printed).toBe(0);
    expect(await contract.isGatekeeper(LEAKED)).toBe(false);

    expect(await run(touch)).toMatchObject({ code: 0 });
    const secrets = {
      ETHEREUM_GATEKEEPER_KEY: key,
      SOLANA_GATEKEEPER_KEY: SOLANA_GATEKEEPER_KEYS[0],
      RPC_ENDPOINTS: endpoints(),
    };
    writeFileSync(
      join(folder, 'leak.secrets'),
      Object.entries(secrets)
        .map(([name, value]) => `${name}='${value}'\n`)
        .join(''),
    );
    expect((await run(doctor)).printed).toMatch(new RegExp(`FAIL .*${address}`));
    await run(setSecrets);
    await untilStuck(held);
    const added = await run(add, { ...named, ADDRESS: address, FILE: authority });
    expect(added.code, added.printed).toBe(0);
    expect((await run(again)).printed).toContain(
      `${NETWORK}, gatekeeper ${address} in ${acme.gatekeeperNetwork}: it may issue`,
    );
    expect(await run(rm)).toMatchObject({ code: 0 });
    await withoutBlocks(async () => {
      await setBalance(address, '100');
      expect(await answerOf<{ redriven: number }>(redrive)).toMatchObject({ redriven: 1 });
    });
    expect(await partner('acme').untilSettled(NETWORK, held)).toMatchObject({
      state: 'FROZEN',
      onChainState: 'FROZEN',
    });
    expect((await run(scan, named)).printed).toContain('tokens');
    // Each of these tokens has a pass, so nothing of the partner is revoked.
    const kept = await run(revoke, { ...named, LEAKED: LEAKED ?? '', REASON: 'leaked' });
    expect(kept.code, kept.printed).toBe(0);
    expect(kept.printed).toMatch(/revoked 0, revoked before \d+, left alone [1-9]\d*, failed 0/);
    const issued = wallet();
    await partner('acme').issue(NETWORK, issued);
    expect(await partner('acme').untilSettled(NETWORK, issued)).toMatchObject({ state: 'ACTIVE' });
  });
});

const endpoints = () =>
  JSON.stringify(Object.fromEntries(Object.entries(localnet.facts.rpc).map(([network, url]) => [network, [url]])));
