import { expect, it } from 'vitest';
import { type Price, priceOf, replacementPrice } from '../../../../src/chain/ethereum/network-conditions.ts';
import { type EthereumNetwork, stuckAfterMs } from '../../../../src/network/network.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';

const GWEI = 1_000_000_000n;

function networkOf(name: string, overrides: Partial<EthereumNetwork> = {}): EthereumNetwork {
  const row = NETWORKS.find(({ network }) => network === name);
  if (row?.chain !== 'ethereum') throw new Error(`no network ${name}`);
  return { ...row, ...overrides };
}

/** Returns the price of a transaction after a day of replacements that no block includes. */
function priceAfterADay(network: EthereumNetwork, quoted: Parameters<typeof priceOf>[0]): Price {
  const { price } = priceOf(quoted, network);
  let paid = price;
  for (let ms = 0; ms < 86_400_000; ms += stuckAfterMs(network)) paid = replacementPrice(paid, price, network) ?? paid;
  return paid;
}

it.each`
  network          | baseFee        | tip              | floor      | limit
  ${'baseMainnet'} | ${GWEI / 200n} | ${GWEI / 1_000n} | ${5}       | ${GWEI / 50n}
  ${'baseMainnet'} | ${GWEI / 200n} | ${GWEI / 1_000n} | ${10 ** 9} | ${GWEI}
  ${'baseMainnet'} | ${GWEI / 200n} | ${0n}            | ${1_000}   | ${1_000n}
  ${'mainnet'}     | ${GWEI}        | ${2n * GWEI}     | ${10 ** 9} | ${40n * GWEI}
`(
  'raises the tip on $network from $tip wei to at most $limit wei in a day',
  ({ network, baseFee, tip, floor, limit }) => {
    const row = networkOf(network, { tipLimitFloor: floor });
    const quoted = { gasPrice: baseFee + tip, baseFee, tip };
    const after = priceAfterADay(row, quoted);
    expect(after.tip).toBeLessThanOrEqual(limit);
    // The last raise may end an eighth below the limit.
    expect(after.tip).toBeGreaterThan((limit * 8n) / 9n - 2n);
    expect(after.fee).toBeLessThanOrEqual(BigInt(row.maxFeePerGas));
  },
);

it('raises a legacy gas price to at most 20 times the market price in a day', () => {
  const row = networkOf('bscMainnet', { tipLimitFloor: 1 });
  const { fee, tip } = priceAfterADay(row, { gasPrice: GWEI });
  expect(fee).toBe(tip);
  // The first price is already a fifth above the market.
  expect(fee).toBeLessThanOrEqual(24n * GWEI);
});

it('follows the market above the limit of a replacement, and never above maxFeePerGas', () => {
  const row = networkOf('baseMainnet', { tipLimitFloor: 1, maxFeePerGas: 1_000 });
  const old = { fee: 100n, tip: 50n };
  expect(replacementPrice(old, { fee: 900n, tip: 60n }, row)).toEqual({ fee: 900n, tip: 60n });
  expect(replacementPrice(old, { fee: 5_000n, tip: 4_000n }, row)).toEqual({ fee: 1_000n, tip: 1_000n });
  // The market fell: a raise from 50 by an eighth would be above 20 times the new tip of 2.
  expect(replacementPrice(old, { fee: 100n, tip: 2n }, row)).toBeUndefined();
});

it('pays at least the gas price when the node does not show a base fee', () => {
  const row = networkOf('mainnet');
  const quoted = { gasPrice: 10n * GWEI };
  expect(priceOf({ ...quoted, tip: 2n * GWEI }, row).price).toEqual({ fee: 18n * GWEI, tip: 2n * GWEI });
  expect(priceOf(quoted, row).price.fee).toBeGreaterThanOrEqual(10n * GWEI);
});
