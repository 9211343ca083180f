import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Network, RESERVE_SHARE } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** What a day can cost, from the data of the networks, and as docs/security.md says it. All numbers in coins. */

const NANO = 1e9;
/** Bytes and rent of a new token's account on Solana, and the fee for one signature: `onchain` facts of the program. */
const SOLANA_RENT = 1_649_520 / NANO;
const SOLANA_SIGNATURE = 5_000 / NANO;
/** A transaction counts at least a quarter of what it can have cost. */
const HIDDEN_FACTOR = 4;

/** A gas limit of three times today's mint, at the highest price: an ordinary transaction in the worst rush. */
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

describe('docs/security.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');
  const rows = [...text.matchAll(/^\| (?:Solana )?(sepolia|baseMainnet|mainnet|mainnet-beta) \([^|]*\) \|(.*)\|$/gm)];

  it('has a testnet, an L2, the mainnet and Solana', () => {
    expect(rows.map(([, name]) => name)).toEqual(['sepolia', 'baseMainnet', 'mainnet', 'mainnet-beta']);
  });

  it.each(rows.map(([, name = '', cells = '']) => ({ name, cells })))(
    'names the most that a day costs on $name',
    ({ name, cells }) => {
      const told = cells.split('|').map(Number);
      const costs = dayCosts(name);
      expect(told).toHaveLength(costs.length);
      for (const [index, cost] of costs.entries()) expect(told[index]).toBeCloseTo(cost, 4);
    },
  );
});

it.each(NETWORKS.map((network) => ({ name: network.network, network })))(
  'leaves room on $name for some transactions in the worst rush',
  ({ network }) => {
    const lane = network.dailyLaneCeiling / NANO;
    expect(lane).toBeLessThanOrEqual(network.dailyCeiling / NANO);
    expect(lane / transactionMax(network, RUSH_GAS)).toBeGreaterThanOrEqual(2);
    expect(network.dailyCeiling).toSatisfy(Number.isSafeInteger);
    expect(network.dailyLaneCeiling).toSatisfy(Number.isSafeInteger);
  },
);
