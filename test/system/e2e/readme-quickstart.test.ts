import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../../localnet/state/ports.ts';
import { type Child, startChild, stopChildren } from '../../../scripts/child-process.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { pollUntil } from '../poll-until.ts';
import { runProgram } from '../run-program.ts';

/** The first steps with the README alone: a fresh copy, `npm run dev`, and lines to paste into a second terminal. */

/** The files that a clone does not have: git's own, and those of `.gitignore`. */
const ignored = ['.git', ...readFileSync(join(PROJECT, '.gitignore'), 'utf8').trim().split('\n')].map((line) =>
  line.replace('/', ''),
);
const isIgnored = (name: string) => ignored.some((pattern) => matchesGlob(name, pattern));

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
    filter: (source) => !isIgnored(basename(source)),
  });
  // In place of `npm ci`, to save time.
  for (const folder of ['.', 'client']) {
    if (readdirSync(join(PROJECT, folder)).includes('node_modules')) {
      symlinkSync(join(PROJECT, folder, 'node_modules'), join(clone, folder, 'node_modules'));
    }
  }
  dev = await startChild('npm', ['run', 'dev', '--', '--port', String(await findFreePort())], {
    cwd: clone,
    onLine: (line) => printed.push(line),
  });
  await pollUntil(async () => linesToPaste(), Boolean, 100_000);
}, 120_000);

afterAll(async () => {
  await dev?.stop();
  await stopChildren();
  rmSync(parent, { recursive: true });
});

/** The lines that `npm run dev` prints for pasting, up to an empty line; undefined before it prints them. */
function linesToPaste(): string | undefined {
  const start = printed.findIndex((line) => line.startsWith('# '));
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
  expect(Object.keys(first as object)).toEqual(Object.keys(JSON.parse(shown)));
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
