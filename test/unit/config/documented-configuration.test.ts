import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RELEASE_VARIABLES } from '../../../ops/deploy/code-release.ts';
import { wranglerConfigOf } from '../../../ops/deploy/deployment-config.ts';
import { EMERGENCY_SECRETS, SECRET_NAMES } from '../../../ops/deploy/secret-names.ts';
import type { EthereumNetwork } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { projectFiles } from '../../../tools/project-files.ts';

/** docs/operators/configuration.md names every variable, and the defaults of every network. */

const PROJECT = join(import.meta.dirname, '../../..');
const text = readFileSync(join(PROJECT, 'docs/operators/configuration.md'), 'utf8');

it('the page has each variable and secret in the first column of a table', () => {
  const names = [...text.matchAll(/^\| (`[A-Z].*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/[A-Z_]{4,}/g) ?? []);
  const known = [...Object.keys(wranglerConfigOf(undefined).vars), ...SECRET_NAMES, ...EMERGENCY_SECRETS];
  expect(names.sort()).toEqual(known.sort());
});

it('wrangler.toml declares each variable that the configuration reads, so that a deployment may set it', () => {
  const sources = projectFiles('src/config/*.ts').map((file) => readFileSync(join(PROJECT, file), 'utf8'));
  const read = sources.flatMap((source) =>
    [...source.matchAll(/parse\w*\(\s*env,\s*'([A-Z_]+)'/g)].map(([, name = '']) => name),
  );
  expect(read).toContain('TOKEN_ISSUER');
  // `npm run deploy` itself sets the variables of the release.
  const set = Object.values(RELEASE_VARIABLES);
  const declared = [...Object.keys(wranglerConfigOf(undefined).vars), ...SECRET_NAMES, ...EMERGENCY_SECRETS, ...set];
  expect(read.filter((name) => !declared.includes(name))).toEqual([]);
});

const gwei = (wei: number) => wei / 1e9;

function rowOf(network: EthereumNetwork): string {
  const { final, fees } = network;
  const cells = [
    `\`${network.network}\``,
    network.confirmations,
    'tag' in final ? final.tag : `depth ${final.depth}`,
    gwei(network.maxFeePerGas),
    fees === 'legacy' ? '–' : gwei(network.maxTipPerGas),
    gwei(network.tipLimitFloor),
    gwei(network.dailyCeiling),
    gwei(network.dailyLaneCeiling),
    network.blockMs,
  ];
  return `| ${cells.join(' | ')} |`;
}

it('the table of defaults is that of the network data', () => {
  const [, table = ''] = text.split('### Defaults by network');
  const rows = table.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 11);
  expect(rows).toEqual(NETWORKS.filter((network) => network.chain === 'ethereum').map(rowOf));
});
