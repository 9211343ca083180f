import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as viemChains from 'viem/chains';
import type { Network } from '../../src/network/network.ts';
import { NETWORKS } from '../../src/network/networks.ts';

/** Generated files of the console. */

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/** Explorers of networks that viem does not know. */
const EXPLORERS: Readonly<Record<string, string>> = {
  'mainnet-beta': 'https://explorer.solana.com/tx/{transaction}',
  devnet: 'https://explorer.solana.com/tx/{transaction}?cluster=devnet',
  sonicTestnet: 'https://testnet.sonicscan.org/tx/{transaction}',
};

/** Returns the module with all networks: the chain, and the address of a transaction in the explorer. */
export function consoleNetworks(): string {
  const networks = NETWORKS.map((row) => ({ network: row.network, chain: row.chain, explorer: explorerOf(row) }));
  return `/** The networks with the address of a transaction in their explorer. */
export const NETWORKS = ${JSON.stringify(networks, undefined, 2)};
`;
}

function explorerOf(row: Network): string {
  const known = EXPLORERS[row.network];
  if (known !== undefined) return known;
  const chainId = 'chainId' in row ? row.chainId : undefined;
  const url = Object.values(viemChains).find(({ id }) => id === chainId)?.blockExplorers?.default.url;
  if (url === undefined) throw new Error(`${row.network} has no explorer: add it to EXPLORERS`);
  return `${url.replace(/\/$/, '')}/tx/{transaction}`;
}

/** Returns the licenses of the libraries that the console loads. */
export function consoleLicenses(): string {
  const licenses = { htm: 'LICENSE', oauth4webapi: 'LICENSE.md', 'csv-parse': 'LICENSE', 'csv-stringify': 'LICENSE' };
  const texts = Object.entries(licenses).map(
    ([name, file]) => `${name}\n\n${readFileSync(join(MODULES, name, file), 'utf8').trim()}\n`,
  );
  return [
    'htm/preact/standalone contains Preact: MIT License, Copyright (c) 2015-present Jason Miller\n',
    ...texts,
  ].join('\n---\n\n');
}
