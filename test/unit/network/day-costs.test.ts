import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Network, RESERVE_SHARE } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** Compares the maximum cost per day with docs/operators/security.md. All numbers are in coins. */

const NANO = 1e9;
/** The highest rent of a new token's account on Solana: 128 bytes more than its data. */
const SOLANA_RENT_BYTES = 128 + 109;
const SOLANA_RENT = (SOLANA_RENT_BYTES * 6_960) / NANO;
/** The fee for one signature on Solana. */
const SOLANA_SIGNATURE = 5_000 / NANO;
/** An endpoint can understate the cost of a transaction, but the signer counts at least a quarter of the maximum. */
const HIDDEN_FACTOR = 4;

/** The gas of an ordinary transaction in a period of high demand: about three times the gas of a mint today. */
const RUSH_GAS = 1_000_000;

function transactionMax(network: Network, gas = network.chain === 'ethereum' ? network.maxGas : 0): number {
  if (network.chain === 'solana')
    return SOLANA_RENT + SOLANA_SIGNATURE + (network.maxUnits * network.maxUnitPrice) / 1e6 / NANO;
  return (gas * network.maxFeePerGas + (network.maxL1Fee ?? 0)) / 1e18;
}

const withReserve = (nanoCoins: number) => (nanoCoins * (1 + 1 / RESERVE_SHARE)) / NANO;

function dayCosts(name: string): number[] {
  const network = NETWORKS.find((row) => row.network === name);
  if (network === undefined) throw new Error(`no network ${name}`);
  const most = withReserve(network.dailyCeiling);
  return [transactionMax(network), most, HIDDEN_FACTOR * most, withReserve(network.dailyLaneCeiling)];
}

describe('docs/operators/security.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operators/security.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (?:Solana )?(sepolia|baseMainnet|mainnet|mainnet-beta) \([^|]*\) \|(.*)\|$/gm)];

  it('has a testnet, an L2, the mainnet and Solana', () => {
    expect(rows.map(([, name]) => name)).toEqual(['sepolia', 'baseMainnet', 'mainnet', 'mainnet-beta']);
  });

  it.each(rows.map(([, name = '', cells = '']) => ({ name, cells })))(
    'names the maximum cost of a day on $name',
    ({ name, cells }) => {
      const told = cells.split('|').map(Number);
      const costs = dayCosts(name);
      expect(told).toHaveLength(costs.length);
      for (const [index, cost] of costs.entries()) expect(told[index]).toBeCloseTo(cost, 4);
    },
  );
});

describe('docs/operators/keys-and-databases.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operators/keys-and-databases.md'), 'utf8');
  const [, table = ''] = text.split('### Rent on Solana');
  const rows = [...table.matchAll(/^\| ([\d,]+)[^|]*\| ([\d.]+) \| ([\d,]+) \|$/gm)].map(([, ...cells]) =>
    cells.map((cell) => Number(cell.replaceAll(',', ''))),
  );

  it('has the steps of SIMD-0437', () => {
    expect(rows.map(([perByte]) => perByte)).toEqual([6_960, 6_333, 5_080, 2_575, 1_322, 696]);
  });

  it.each(rows)('names the cost of an issuance at %d lamports per byte: %d SOL, and %d passes for 40 SOL', (...row) => {
    const [perByte = 0, cost = 0, passes] = row;
    const { minUnitPrice = 0 } = NETWORKS.find(({ network }) => network === 'mainnet-beta') as {
      minUnitPrice?: number;
    };
    const lamports = SOLANA_RENT_BYTES * perByte + SOLANA_SIGNATURE * NANO + (60_000 * minUnitPrice) / 1e6;
    expect(cost).toBeCloseTo(lamports / NANO, 5);
    expect(passes).toBe(Math.floor((40 * NANO) / lamports));
  });
});

it.each(NETWORKS.map((network) => ({ name: network.network, network })))(
  'allows at least two ordinary transactions per day and lane on $name at the maximum gas price',
  ({ network }) => {
    const lane = network.dailyLaneCeiling / NANO;
    expect(lane).toBeLessThanOrEqual(network.dailyCeiling / NANO);
    expect(lane / transactionMax(network, RUSH_GAS)).toBeGreaterThanOrEqual(2);
    expect(network.dailyCeiling).toSatisfy(Number.isSafeInteger);
    expect(network.dailyLaneCeiling).toSatisfy(Number.isSafeInteger);
  },
);
