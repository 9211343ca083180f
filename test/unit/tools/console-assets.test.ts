import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as viemChains from 'viem/chains';
import { afterAll, expect, it } from 'vitest';
import { NETWORKS as KNOWN } from '../../../pages/console/passes/networks.ts';
import type { Network } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { writeAssets } from '../../../tools/assets.ts';

/** The files of the console in the assets. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-assets-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeAssets(folder);
const read = (name: string) => readFileSync(join(folder, 'console', name), 'utf8');

const files = readdirSync(join(folder, 'console'));

/** The parts that a module loads: at once, or when somebody needs them. */
const importsOf = (name: string) => ({
  atOnce: [...read(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, part = '']) => part),
  later: [...read(name).matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, part = '']) => part),
});

/** Returns the modules that a module loads at once, directly or through others. */
function modulesFrom(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const part of importsOf(name).atOnce) modulesFrom(part, known);
  return known;
}

const bytesOf = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0);

it('the first view loads less than 120 kB, without compression', () => {
  const first = ['index.html', 'console.css', 'icon.svg', ...modulesFrom('app.js')];
  for (const view of ['pass-overview', 'service-overview', 'find', 'signers']) {
    const [name = ''] = files.filter((file) => file.startsWith(`${view}-`));
    expect(importsOf('app.js').later, view).toContain(name);
    expect(bytesOf(new Set([...first, ...modulesFrom(name)])), view).toBeLessThan(120_000);
  }
});

it('loads the libraries for CSV files when somebody uses one', () => {
  const [issue = ''] = files.filter((file) => file.startsWith('issue-'));
  // Views share the modules that load a library.
  const later = [...new Set([...modulesFrom(issue)].flatMap((name) => importsOf(name).later))];
  expect(later).toHaveLength(2);
  for (const library of later) expect(bytesOf([library])).toBeGreaterThan(20_000);
  for (const library of later) expect([...modulesFrom(issue)]).not.toContain(library);
});

it('consists of modules that import only each other, without code in text', () => {
  const modules = files.filter((file) => file.endsWith('.js'));
  expect(modules).toEqual(expect.arrayContaining(['app.js', 'callback.js']));
  for (const name of modules) {
    const { atOnce, later } = importsOf(name);
    for (const part of [...atOnce, ...later]) expect(modules, name).toContain(part);
    expect(read(name), name).not.toMatch(/\beval\(|new Function\(/);
  }
});

it('has the licenses of its libraries', () => {
  for (const name of ['preact', 'oauth4webapi', 'csv-parse', 'csv-stringify'])
    expect(read('LICENSES.txt')).toContain(`${name}\n\n`);
});

/** Explorers of networks that viem does not know. */
const OTHERS: Readonly<Record<string, string>> = {
  'mainnet-beta': 'https://explorer.solana.com/tx/{transaction}',
  devnet: 'https://explorer.solana.com/tx/{transaction}?cluster=devnet',
  sonicTestnet: 'https://testnet.sonicscan.org/tx/{transaction}',
};

function explorerOf(row: Network): string | undefined {
  const chainId = 'chainId' in row ? row.chainId : undefined;
  const url = Object.values(viemChains).find(({ id }) => id === chainId)?.blockExplorers?.default.url;
  return OTHERS[row.network] ?? (url && `${url.replace(/\/$/, '')}/tx/{transaction}`);
}

it('knows the chain and the explorer of every network, as viem does', () => {
  expect(KNOWN).toEqual(NETWORKS.map((row) => ({ network: row.network, chain: row.chain, explorer: explorerOf(row) })));
  for (const { explorer } of KNOWN) expect(explorer).toMatch(/^https:/);
});
