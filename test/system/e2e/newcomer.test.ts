import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../localnet/state/ports.ts';
import { type Child, startChild, stopChildren } from '../../../scripts/child-process.ts';
import { PROJECT } from '../../../scripts/wrangler.ts';
import { runProgram } from '../run-program.ts';
import { until } from './until.ts';

/** The way of somebody who has only the README: a fresh copy, `npm run dev`, and lines pasted into a second terminal. */

/** What is on no clone: git's own, and what `.gitignore` names. */
const ignored = ['.git', ...readFileSync(join(PROJECT, '.gitignore'), 'utf8').trim().split('\n')].map((line) =>
  line.replace('/', ''),
);
const isIgnored = (name: string) => ignored.some((pattern) => matchesGlob(name, pattern));

let parent: string;
let clone: string;
let dev: Child | undefined;
const printed: string[] = [];

beforeAll(async () => {
  // A blank and a quote, as in a folder that somebody has named.
  parent = mkdtempSync(join(tmpdir(), "gatepass a newcomer's "));
  clone = join(parent, 'gatepass');
  cpSync(PROJECT, clone, {
    recursive: true,
    filter: (source) => !isIgnored(basename(source)),
  });
  // `npm ci`, but for the time it takes.
  for (const folder of ['.', 'client']) {
    if (readdirSync(join(PROJECT, folder)).includes('node_modules')) {
      symlinkSync(join(PROJECT, folder, 'node_modules'), join(clone, folder, 'node_modules'));
    }
  }
  dev = await startChild('npm', ['run', 'dev', '--', '--port', String(await freePort())], {
    cwd: clone,
    onLine: (line) => printed.push(line),
  });
  await until(async () => linesToPaste(), Boolean, 100_000);
}, 120_000);

afterAll(async () => {
  await dev?.stop();
  await stopChildren();
  rmSync(parent, { recursive: true });
});

/** What `npm run dev` prints to be pasted, up to an empty line; undefined until it has. */
function linesToPaste(): string | undefined {
  const start = printed.findIndex((line) => line.startsWith('# '));
  const end = printed.indexOf('', start);
  return start >= 0 && end > start ? printed.slice(start, end).join('\n') : undefined;
}

/** Every JSON document that the pasted lines print, one behind the other. */
async function pasted(lines: string, folder: string): Promise<unknown[]> {
  const { code, stdout, stderr } = await runProgram(['bash', '-ec', `cd "$0"; ${lines}`, folder], {});
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout
    .replaceAll('}{', '}\n{')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('ends with a pass on two chains, by what the README says under "The first pass"', async () => {
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('\n## The first pass\n');
  const [toPaste = '', toFreeze = ''] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines);
  const [first, second, ...more] = await pasted(toPaste + toFreeze, clone);

  const active = { state: 'ACTIVE', onChainState: 'ACTIVE' };
  expect(first).toMatchObject({ chain: { type: 'ethereum', network: 'sepolia' }, ...active });
  expect(second).toMatchObject({ chain: { type: 'solana', network: 'devnet' }, ...active });
  expect(more).toEqual(Array(2).fill(expect.objectContaining({ state: 'FROZEN', onChainState: 'FROZEN' })));

  const [shown = ''] = /(?<=```json\n).*?(?=```)/s.exec(section) ?? [];
  expect(Object.keys(first as object)).toEqual(Object.keys(JSON.parse(shown)));
});

it('works with what `npm run dev` prints, wherever the second terminal is', async () => {
  const answers = await pasted(linesToPaste() ?? '', '/');
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
