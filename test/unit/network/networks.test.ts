import { describe, expect, it } from 'vitest';
import {
  CHAINS,
  expectedConfirmationMs,
  findNetwork,
  NETWORKS,
  type Network,
  networkNamesOf,
  stuckAfterMs,
} from '../../../src/network/networks.ts';
import recorded from '../../vectors/networks.json' with { type: 'json' };

/** The names of the interface, in the order of its document. */
const NAMES = [
  ['mainnet-beta', 'devnet', 'mainnet', 'sepolia', 'polygonAmoy', 'polygonMainnet', 'polygonZKEVM'],
  ['polygonZKEVMTestnet', 'optimismSepolia', 'optimismMainnet', 'arbitrumSepolia', 'arbitrumMainnet'],
  ['avalancheCChain', 'avalancheCChainFuji', 'xdcMainnet', 'xdcApothem', 'fantomMainnet', 'fantomTestnet'],
  ['baseSepolia', 'baseMainnet', 'bscMainnet', 'bscTestnet', 'xlayerMainnet', 'xlayerTestnet', 'unichainMainnet'],
  ['unichainSepolia', 'sonicMainnet', 'sonicTestnet'],
].flat();

it('knows the networks of the interface, each once and in its order', () => {
  expect(NETWORKS.map(({ network }) => network)).toEqual(NAMES);
});

describe.each(recorded)('$chain $network', (record) => {
  const row = findNetwork(NETWORKS, record.chain, record.network);

  it('is as recorded', () => {
    const { chain, network, testnet } = record;
    expect(row).toMatchObject({ chain, network, testnet });
    if (row?.chain === 'ethereum') {
      const { chainId, confirmations, final, fees = 'eip1559' } = record;
      expect(row).toMatchObject({ chainId, confirmations, final, fees });
    } else {
      expect(row).toMatchObject({ program: record.program });
    }
  });

  it('names a contract exactly where a record confirms it', () => {
    const address = '0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E';
    const gateway = row?.chain === 'ethereum' ? row.gateway : undefined;
    expect(gateway).toBe(record.gatewayConfirmed ? address : undefined);
  });

  it('bounds what is unmined by what nodes guarantee or answer at once, and expects a confirmation in good time', () => {
    expect(row?.unmined).toBe(row?.chain === 'solana' ? 256 : 16);
    expect(row?.blockMs).toBeGreaterThan(0);
    const blocks = row?.chain === 'ethereum' ? row.confirmations : 1;
    expect(expectedConfirmationMs(row as Network)).toBeGreaterThanOrEqual(blocks * (row as Network).blockMs);
    // A pass is looked after at most every 15 minutes: what is expected later would never be looked after in time.
    expect(expectedConfirmationMs(row as Network)).toBeLessThan(5 * 60_000);
  });
});

it.each`
  network           | ms          | why
  ${'mainnet'}      | ${96_000}   | ${'eight blocks had room for it'}
  ${'baseMainnet'}  | ${30_000}   | ${'eight blocks pass before a node has told others'}
  ${'mainnet-beta'} | ${Infinity} | ${'it lives for a minute only, and is signed anew then'}
`('replaces a pending transaction of $network after $ms ms: $why', ({ network, ms }) => {
  const row = NETWORKS.find((each) => each.network === network);
  expect(stuckAfterMs(row as Network)).toBe(ms);
});

it('lets gas cost no more than a signed number can hold, and some of every coin', () => {
  for (const row of NETWORKS.flatMap((each) => (each.chain === 'ethereum' ? [each] : []))) {
    expect(row.maxFeePerGas).toSatisfy(Number.isSafeInteger);
    expect(row.maxFeePerGas).toBeGreaterThanOrEqual(1e9);
  }
});

it('gives every Ethereum-type network a chain id of its own: a signature must not be good on two', () => {
  const ids = NETWORKS.flatMap((row) => (row.chain === 'ethereum' ? row.chainId : []));
  expect(new Set(ids).size).toBe(26);
});

it('pairs chains and networks', () => {
  expect(CHAINS).toEqual(['solana', 'ethereum']);
  expect(networkNamesOf('solana')).toEqual(['mainnet-beta', 'devnet']);
  expect(networkNamesOf('ethereum')).toEqual(NAMES.slice(2));
});

it.each`
  chain         | network            | why
  ${'solana'}   | ${'mainnet'}       | ${'it is a network of the other chain'}
  ${'ethereum'} | ${'devnet'}        | ${'it is a network of the other chain'}
  ${'ethereum'} | ${'Sepolia'}       | ${'names have one spelling'}
  ${'ethereum'} | ${'polygonMumbai'} | ${'nobody knows it'}
  ${'ethereum'} | ${'constructor'}   | ${'nobody knows it'}
  ${'bitcoin'}  | ${'mainnet'}       | ${'nobody knows the chain'}
  ${''}         | ${''}              | ${'nothing was named'}
`('finds no "$network" on "$chain": $why', ({ chain, network }) => {
  expect(findNetwork(NETWORKS, chain, network)).toBeUndefined();
});
