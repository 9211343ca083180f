import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as viemChains from 'viem/chains';
import { afterAll, expect, it } from 'vitest';
import { writeAssets } from '../../../scripts/assets.ts';
import { CONSOLE_FILES } from '../../../src/http/pages/files.ts';
import type { Network } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import * as worker from '../../../src/pass/verdict.ts';
import { ON_CHAIN_STATES, PASS_STATES } from '../../../src/pass/vocabulary.ts';

/** The files of the console in the assets. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-assets-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeAssets(folder);
const read = (name: string) => readFileSync(join(folder, 'console', name), 'utf8');

/** Returns the modules that a module loads at once, directly or through others. */
function modulesFrom(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const imports = read(name).matchAll(/^(?:import|export)\b[^;]*?from\s*['"]\.\/([^'"]+)['"]/gm);
  for (const [, imported = ''] of imports) modulesFrom(imported, known);
  return known;
}

it('the first view loads less than 100 kB, compressed file by file', () => {
  const files = ['index.html', 'console.css', 'icon.svg', ...modulesFrom('app.js')];
  expect(files.length).toBeGreaterThan(18);
  const bytes = files.reduce((sum, name) => sum + gzipSync(read(name)).length, 0);
  expect(bytes).toBeLessThan(100_000);
  // The libraries for CSV files are loaded when somebody uses one.
  expect(files).not.toContain('csv-parse.js');
});

it('consists of the listed files, which import only each other', () => {
  const pages = ['index.html', 'callback.html', 'unconfigured.html'];
  expect(readdirSync(join(folder, 'console')).toSorted()).toEqual([...CONSOLE_FILES, ...pages].toSorted());
  for (const name of CONSOLE_FILES.filter((file) => file.endsWith('.js'))) {
    const imports = [/^(?:import|export)\b[^;]*?\bfrom\s*['"]([^'"]+)['"]/gm, /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g];
    for (const [, from = ''] of imports.flatMap((pattern) => [...read(name).matchAll(pattern)]))
      expect(
        CONSOLE_FILES.map((file) => `./${file}`),
        name,
      ).toContain(from);
  }
});

it('judges every record as the Worker does, because it loads the same rule', async () => {
  const page: typeof worker = await import(join(folder, 'console', 'verdict.js'));
  expect(Object.keys(page)).toEqual(Object.keys(worker));
  const now = 1_800_000_000;
  const expiries = [undefined, 0, now - 1, now, now + 1];
  const histories = [[], ['TOKEN_EXPIRED'], ['TOKEN_EXPIRY_CHANGED_INITIATED']].map((types) =>
    types.map((eventType) => ({ eventType })),
  );
  for (const state of PASS_STATES)
    for (const onChainState of ON_CHAIN_STATES)
      for (const expiryTimestamp of expiries)
        for (const events of histories) {
          const record = { state, onChainState, expiryTimestamp, events };
          expect(page.verdictOfRecord(record, now)).toEqual(worker.verdictOfRecord(record, now));
        }
});

it('contains the libraries as their packages do', () => {
  const modules = join(import.meta.dirname, '../../../node_modules');
  expect(read('preact.js')).toBe(readFileSync(join(modules, 'htm/preact/standalone.module.js'), 'utf8'));
  expect(read('oauth4webapi.js')).toBe(readFileSync(join(modules, 'oauth4webapi/build/index.js'), 'utf8'));
  for (const name of ['htm', 'Preact', 'oauth4webapi', 'csv-parse']) expect(read('LICENSES.txt')).toContain(name);
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

it('knows the chain and the explorer of every network, as viem does', async () => {
  const { NETWORKS: known } = await import(join(folder, 'console', 'networks.js'));
  expect(known).toEqual(NETWORKS.map((row) => ({ network: row.network, chain: row.chain, explorer: explorerOf(row) })));
  for (const { explorer } of known) expect(explorer).toMatch(/^https:/);
});
