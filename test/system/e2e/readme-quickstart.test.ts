import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, startChild, stopChildren } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { GATEKEEPER_NETWORKS, OPERATOR } from '../../../tools/localnet/oauth/partners.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { isIgnored } from '../../../tools/project-files.ts';
import { codeBlocks } from '../../unit/documents/markdown.ts';
import { formOf } from '../examples/form-of.ts';
import { pollUntil } from '../poll-until.ts';
import { runProgram } from '../run-program.ts';

/** The first steps with the README alone: a fresh copy, `npm run dev`, and lines to paste into a second terminal. */

/** It only ends a start that hangs. */
const START_MAX_MS = 250_000;

let parent: string;
let clone: string;
let dev: Child | undefined;
const printed: string[] = [];

beforeAll(async () => {
  // A name with a blank and a quote, as people may choose.
  parent = mkdtempSync(join(tmpdir(), "gatepass a newcomer's "));
  clone = join(parent, 'gatepass');
  cpSync(PROJECT, clone, {
    recursive: true,
    filter: (source) => !isIgnored(source),
  });
  // In place of `npm ci`, to save time.
  for (const folder of ['.', 'packages/client']) {
    if (readdirSync(join(PROJECT, folder)).includes('node_modules')) {
      symlinkSync(join(PROJECT, folder, 'node_modules'), join(clone, folder, 'node_modules'));
    }
  }
  dev = await startChild('npm', ['run', 'dev', '--', '--port', String(await findFreePort())], {
    cwd: clone,
    onLine: (line) => printed.push(line),
  });
  await pollUntil(async () => linesToPaste(), Boolean, START_MAX_MS);
});

afterAll(async () => {
  await dev?.stop();
  await stopChildren();
  rmSync(parent, { recursive: true });
});

/** The lines that `npm run dev` prints for pasting, up to an empty line; undefined before it prints them. */
function linesToPaste(first = '# '): string | undefined {
  const start = printed.findIndex((line) => line.startsWith(first));
  const end = printed.indexOf('', start);
  return start >= 0 && end > start ? printed.slice(start, end).join('\n') : undefined;
}

/** Runs the lines; resolves to the JSON documents that they print, in order. */
async function paste(lines: string, folder: string): Promise<unknown[]> {
  const { code, stdout, stderr } = await runProgram(['bash', '-ec', `cd "$0"; ${lines}`, folder], {});
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout
    .replaceAll('}{', '}\n{')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('the commands of the README under "The first pass" issue a pass on two chains and freeze it', async () => {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('\n## The first pass\n');
  const [toPaste = '', toFreeze = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines);
  const [first, second, ...more] = await paste(toPaste + toFreeze, clone);

  const active = { state: 'ACTIVE', onChainState: 'ACTIVE' };
  expect(first).toMatchObject({ chain: { type: 'ethereum', network: 'sepolia' }, ...active });
  expect(second).toMatchObject({ chain: { type: 'solana', network: 'devnet' }, ...active });
  expect(more).toEqual(Array(2).fill(expect.objectContaining({ state: 'FROZEN', onChainState: 'FROZEN' })));

  const [shown = ''] = /(?<=```json\n).*?(?=```)/s.exec(section) ?? [];
  expect(formOf(JSON.parse(shown))).toEqual(formOf(first));
});

/** Returns the shell lines of a document, with the wallet that its examples name. */
const shellLines = (file: string, wallet: string) =>
  codeBlocks(readFileSync(join(clone, file), 'utf8'), 'sh', 'curl')
    .filter((lines) => !lines.includes('.secrets') && !/npm |npx |api\.acme\.com|^gatepass /m.test(lines))
    .map((lines) => lines.replace(/^WALLET=.*$/m, `WALLET=${wallet}`))
    .join('\n');

it('the commands of the quickstart and of the API guide work in their order', async () => {
  const answers = await paste(shellLines('docs/partners/quickstart.md', freshWallet('sepolia')), clone);
  const [shown = ''] = codeBlocks(readFileSync(join(clone, 'docs/partners/quickstart.md'), 'utf8'), 'json');
  const formWithoutWallet = (record: { walletAddress?: string }) =>
    formOf(record, { walletAddress: record.walletAddress });
  expect(formWithoutWallet(JSON.parse(shown))).toEqual(formWithoutWallet(answers[0] as object));
  expect(answers).toMatchObject([
    { state: 'ACTIVE', onChainState: 'ACTIVE' },
    { state: 'FROZEN', onChainState: 'FROZEN' },
    { code: 'pass_frozen' },
    { state: 'ACTIVE' },
    { state: 'ACTIVE' },
    { records: [{ state: 'ACTIVE' }] },
  ]);

  const prepared = [
    ...shellLines('docs/partners/quickstart.md', '').split('\n\n').slice(0, 2),
    `WALLET=${freshWallet('sepolia')}`,
  ];
  const replies = await paste([...prepared, shellLines('docs/partners/api.md', '')].join('\n'), clone);
  expect(replies.length).toBeGreaterThan(5);
  expect(replies.filter((reply) => 'code' in (reply as object))).toEqual([]);
});

// The commands of the runbook have a situation each, in which `runbook.test.ts` runs them.
it('the requests of the page about the admin API work with the credentials of the operator', async () => {
  const operator = `. .dev/partner.env
    GATEPASS_CLIENT_ID=${OPERATOR.clientId} GATEPASS_CLIENT_SECRET=${OPERATOR.clientSecret} GATEPASS_AUDIENCE=
    WALLET=${freshWallet('sepolia')}`;
  const lines = shellLines('docs/operators/admin-api.md', '').replaceAll('KEY', GATEKEEPER_NETWORKS[0] ?? '');
  const answers = await paste(`${operator}\n${lines}`, clone);
  expect(answers).toEqual([
    { signers: expect.any(Array), emergencyNumber: 0, compromisedGatekeepers: [], suspendedClients: [] },
    { watchers: expect.any(Array) },
    // Nobody has issued a pass for the wallet, and the reconciliation holds nothing.
    expect.objectContaining({ code: 'pass_not_found' }),
    expect.objectContaining({ code: 'not_found' }),
  ]);
});

it('the lines about the sandbox issue a pass on a network that has no node', async () => {
  const variables = linesToPaste()?.split('\n').slice(0, 3).join('\n');
  const answers = await paste(`${variables}\n${linesToPaste('# The sandbox')}`, '/');
  expect(answers).toMatchObject([{ chain: { network: 'polygonAmoy' }, state: 'ACTIVE', onChainState: 'ACTIVE' }]);
});

it('the lines that `npm run dev` prints work in any folder', async () => {
  const answers = await paste(linesToPaste() ?? '', '/');
  expect(answers).toMatchObject([
    { chain: { type: 'ethereum' }, onChainState: 'ACTIVE' },
    { chain: { type: 'solana' }, onChainState: 'ACTIVE' },
    { chain: { type: 'ethereum' }, onChainState: 'ACTIVE' },
    { records: expect.any(Array) },
    { state: 'FROZEN' },
    { state: 'ACTIVE' },
    { expiryTimestamp: Date.UTC(2040) / 1000 },
    { onChainState: 'ACTIVE' },
    { state: 'REVOKED', onChainState: 'REVOKED' },
    ...['sepolia', 'devnet', 'baseSepolia'].flatMap((network) => [
      { chain: { network }, onChainState: 'ACTIVE' },
      { records: [{ chain: { network } }] },
    ]),
  ]);
});
