import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Network, RESERVE_SHARE } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** Compares the maximum cost per day with docs/operators/security.md. All numbers are in coins. */

const NANO = 1e9;
/** The rent of a new token's account on Solana. */
const SOLANA_RENT = 1_649_520 / NANO;
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
