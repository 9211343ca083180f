import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RELEASE } from '../../../../src/config/release.ts';
import { type Child, startChild, stopChildren } from '../../../../terminal/child-process.ts';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import { fetchToken } from '../../../../tools/localnet/partner/fetch-token.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../../tools/localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../../tools/localnet/state/localnet-facts.ts';
import { findFreePort } from '../../../../tools/localnet/state/ports.ts';
import { isIgnored } from '../../../../tools/project-files.ts';
import { callNode } from '../../../call-node.ts';
import { LocalDatabase } from '../../ops/local-database.ts';
import { pollUntil } from '../../poll-until.ts';

/** "Another release on the same state" of tools/localnet/README.md, with two copies of the project in place of two worktrees. */

const NETWORK = 'sepolia';
const NEXT_RELEASE = '99.0.0';
/** It only ends a start that hangs. A busy machine builds the Worker in minutes. */
const STARTS_WITHIN_MS = 300_000;
const parent = mkdtempSync(join(tmpdir(), 'gatepass-releases-'));
const [first, second] = [join(parent, 'first'), join(parent, 'second')];
const children: Child[] = [];

beforeAll(() => {
  for (const clone of [first, second]) {
    cpSync(PROJECT, clone, { recursive: true, filter: (source) => !isIgnored(source) });
    for (const folder of ['.', 'packages/client', 'packages/cli'])
      if (readdirSync(join(PROJECT, folder)).includes('node_modules'))
        symlinkSync(join(PROJECT, folder, 'node_modules'), join(clone, folder, 'node_modules'));
  }
  // The other release has other code and another migration.
  const release = join(second, 'src/config/release.ts');
  writeFileSync(release, readFileSync(release, 'utf8').replace(`'${RELEASE}'`, `'${NEXT_RELEASE}'`));
  writeFileSync(join(second, 'migrations/9999_of_the_test.sql'), 'CREATE TABLE of_the_test (id INTEGER) STRICT;\n');
});
afterAll(async () => {
  for (const child of children.toReversed()) await child.stop();
  await stopChildren();
  rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
});

/** The commands of the section, without `npm run`. */
function documentedCommands(): string[] {
  const [, section = ''] = readFileSync(join(PROJECT, 'tools/localnet/README.md'), 'utf8').split(
    '**Another release on the same state.**',
  );
  return [...section.matchAll(/`npm run ([^`]+)`/g)].map(([, command = '']) => command);
}

/** Runs a command in a copy of the project until it prints the text. */
async function start(clone: string, command: string, until: string, ...more: string[]): Promise<Child> {
  const printed: string[] = [];
  const onLine = (line: string) => printed.push(line);
  const child = await startChild('npm', ['run', ...command.split(' '), ...more], { cwd: clone, onLine });
  children.push(child);
  await pollUntil(
    async () => printed.join('\n'),
    (text) => text.includes(until),
    STARTS_WITHIN_MS,
  );
  return child;
}

const factsOf = (clone: string): LocalnetFacts => JSON.parse(readFileSync(join(clone, '.dev/localnet.json'), 'utf8'));

/** The release that answers. */
async function runningRelease({ baseUrl, tokenUrl, operator }: LocalnetFacts): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${await fetchToken(tokenUrl, operator)}` };
  const metrics = await (await fetch(`${baseUrl}/admin/metrics`, { headers })).text();
  return /build_info\{[^}]*version="([^"]*)"/.exec(metrics)?.[1];
}

/** The transactions of a record, each once. */
const transactionsOf = ({ events }: PassRecord) => [
  ...new Set(events.flatMap(({ transaction }) => transaction?.identifier ?? [])),
];

it('another release takes over the passes, the signers and their transactions', { timeout: 1_200_000 }, async () => {
  const [localnet = '', dev = ''] = documentedCommands();
  const port = ['--port', String(await findFreePort())];
  await start(first, localnet, 'The localnet runs');
  const before = await start(first, dev, 'Gatepass runs at', ...port);
  const facts = factsOf(first);
  const node = (method: string, ...params: unknown[]) => callNode(facts.rpc[NETWORK] ?? '', method, params);
  expect(await runningRelease(facts)).toBe(RELEASE);

  const acme = new LocalnetPartner(facts, 'acme');
  const [active, inFlight, next] = [freshWallet(NETWORK), freshWallet(NETWORK), freshWallet(NETWORK)];
  await acme.issue(NETWORK, active);
  const settled = await acme.untilSettled(NETWORK, active);
  expect(settled.state).toBe('ACTIVE');
  // The transaction of the other pass is in no block yet when the first release stops.
  await node('evm_setIntervalMining', 0);
  await acme.issue(NETWORK, inFlight);
  const sent = await pollUntil(
    () => acme.fetch(NETWORK, inFlight),
    (pass) => transactionsOf(pass).length > 0,
  );
  await before.stop();
  expect(factsOf(first).baseUrl).toBeUndefined();

  const absolute = dev.replaceAll(/(?<= )\.dev\//g, `${join(first, '.dev')}/`);
  await start(second, absolute, 'Gatepass runs at', ...port);
  const after = factsOf(second);
  expect(await runningRelease(after)).toBe(NEXT_RELEASE);
  const migrations = new LocalDatabase(join(first, '.dev/state')).rows('SELECT name FROM d1_migrations ORDER BY id');
  expect(migrations.at(-1)).toEqual({ name: '9999_of_the_test.sql' });
  const same = new LocalnetPartner(after, 'acme');
  expect(await same.fetch(NETWORK, active)).toEqual(settled);
  await node('evm_setIntervalMining', 1);
  const continued = await same.untilSettled(NETWORK, inFlight);
  expect(continued).toMatchObject({ id: sent.id, state: 'ACTIVE' });
  expect(transactionsOf(continued)).toEqual(transactionsOf(sent));
  await same.issue(NETWORK, next);
  expect(await same.untilSettled(NETWORK, next)).toMatchObject({ state: 'ACTIVE' });
});
