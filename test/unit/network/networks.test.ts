import { describe, expect, it } from 'vitest';
import {
  activeWithinMs,
  expectedConfirmationMs,
  type Network,
  networkStatusOf,
  SOLANA_SLOT_MIN_MS,
  stuckAfterMs,
  usualFinalityMs,
  watchIntervalMs,
} from '../../../src/network/network.ts';
import { CHAINS, findNetwork, NETWORKS, networkNamesOf } from '../../../src/network/networks.ts';
import { FINALITY_TRACK_MS, trackIntervalMs } from '../../../src/signer-object/schedule.ts';
import recorded from '../../vectors/networks.json' with { type: 'json' };

/** The names of the interface, in the order of its document. */
const NAMES = [
  ['mainnet-beta', 'devnet', 'mainnet', 'sepolia', 'polygonAmoy', 'polygonMainnet', 'polygonZKEVM'],
  ['polygonZKEVMTestnet', 'optimismSepolia', 'optimismMainnet', 'arbitrumSepolia', 'arbitrumMainnet'],
  ['avalancheCChain', 'avalancheCChainFuji', 'xdcMainnet', 'xdcApothem', 'fantomMainnet', 'fantomTestnet'],
  ['baseSepolia', 'baseMainnet', 'bscMainnet', 'bscTestnet', 'xlayerMainnet', 'xlayerTestnet', 'unichainMainnet'],
  ['unichainSepolia', 'sonicMainnet', 'sonicTestnet'],
].flat();

it('lists the networks of the interface once each, in its order', () => {
  expect(NETWORKS.map(({ network }) => network)).toEqual(NAMES);
});

describe.each(recorded)('$chain $network', (record) => {
  const row = findNetwork(NETWORKS, record.chain, record.network);

  it('has the recorded chain id, confirmations, finality and fees, or the recorded program', () => {
    const { chain, network, testnet } = record;
    expect(row).toMatchObject({ chain, network, testnet });
    if (row?.chain === 'ethereum') {
      const { chainId, confirmations, fees = 'eip1559' } = record;
      // A reorg of Ethereum itself can remove a block that its rollups call safe.
      const final = record.final.tag === 'safe' ? { tag: 'finalized' } : record.final;
      expect(row).toMatchObject({ chainId, confirmations, final, fees });
    } else {
      expect(row).toMatchObject({ program: record.program });
    }
  });

  it('limits unmined transactions and expects a confirmation within five minutes', () => {
    expect(row?.unmined).toBe(row?.chain === 'solana' ? 256 : 16);
    expect(row?.blockMs).toBeGreaterThan(0);
    const blocks = row?.chain === 'ethereum' ? row.confirmations : 1;
    expect(expectedConfirmationMs(row as Network)).toBeGreaterThanOrEqual(blocks * (row as Network).blockMs);
    // The alarm of a pass fires at least every 15 minutes. A longer expectation would delay it too much.
    expect(expectedConfirmationMs(row as Network)).toBeLessThan(5 * 60_000);
  });
});

it.each`
  network           | ms          | why
  ${'mainnet'}      | ${96_000}   | ${'eight blocks could have included it'}
  ${'baseMainnet'}  | ${30_000}   | ${'the time of eight blocks is too short'}
  ${'mainnet-beta'} | ${Infinity} | ${'it expires and the signer signs it again'}
`('counts a pending transaction of $network as stuck after $ms ms because $why', ({ network, ms }) => {
  const row = NETWORKS.find((each) => each.network === network);
  expect(stuckAfterMs(row as Network)).toBe(ms);
});

it('no time of a Solana network depends on the length of its slots by more than two seconds, from 150 to 400 ms', () => {
  const row = findNetwork(NETWORKS, 'solana', 'mainnet-beta') as Network;
  const [shortest, longest] = [SOLANA_SLOT_MIN_MS, 400].map((blockMs) => ({ ...row, blockMs })) as [Network, Network];
  expect(SOLANA_SLOT_MIN_MS).toBe(150);
  for (const timeOf of [trackIntervalMs, watchIntervalMs]) expect(timeOf(shortest)).toBe(timeOf(longest));
  for (const timeOf of [expectedConfirmationMs, activeWithinMs])
    expect(timeOf(longest) - timeOf(shortest)).toBeLessThanOrEqual(2_000);
  // A signer looks after that time anyway.
  for (const each of [row, longest]) expect(usualFinalityMs(each)).toBeLessThan(FINALITY_TRACK_MS);
  // A blockhash is valid for 150 blocks.
  expect((150 * SOLANA_SLOT_MIN_MS) / row.rebroadcastMs).toBeGreaterThanOrEqual(10);
});

it('limits the gas price of every network to a safe integer of at least one gwei', () => {
  for (const row of NETWORKS.flatMap((each) => (each.chain === 'ethereum' ? [each] : []))) {
    expect(row.maxFeePerGas).toSatisfy(Number.isSafeInteger);
    expect(row.maxFeePerGas).toBeGreaterThanOrEqual(1e9);
  }
});

it('never uses the tag "safe" for finality, because a reorg of the chain below can remove a safe block', () => {
  const finalities = NETWORKS.flatMap((row) => (row.chain === 'ethereum' ? row.final : []));
  expect(finalities).not.toContainEqual({ tag: 'safe' });
});

it('allows a mint to take several times the gas of today', () => {
  for (const row of NETWORKS) {
    if (row.chain === 'ethereum') expect(row.maxGas).toBeGreaterThanOrEqual(5 * 900_000);
    else expect(row.maxUnits).toBeGreaterThanOrEqual(4 * 60_000);
  }
});

it('gives every Ethereum-type network its own chain id, so that a signature is valid on only one network', () => {
  const ids = NETWORKS.flatMap((row) => (row.chain === 'ethereum' ? row.chainId : []));
  expect(new Set(ids).size).toBe(26);
});

it.each`
  network                  | day             | status
  ${'polygonZKEVM'}        | ${'2026-06-30'} | ${'ending'}
  ${'polygonZKEVM'}        | ${'2026-07-01'} | ${'ended'}
  ${'polygonZKEVMTestnet'} | ${'2026-11-28'} | ${'ended'}
  ${'fantomMainnet'}       | ${'2026-11-28'} | ${'ending'}
  ${'fantomMainnet'}       | ${'2026-12-30'} | ${'ending'}
  ${'fantomMainnet'}       | ${'2026-12-31'} | ${'ended'}
  ${'fantomTestnet'}       | ${'2026-11-28'} | ${'ending'}
  ${'fantomTestnet'}       | ${'2027-01-01'} | ${'ended'}
`('counts $network on $day as $status', ({ network, day, status }) => {
  const row = NETWORKS.find((each) => each.network === network) as Network;
  expect(networkStatusOf(row, Date.parse(day) / 1000)).toMatchObject({ type: status });
});

it('counts every other network as live', () => {
  const names = NETWORKS.filter((row) => networkStatusOf(row, 0).type === 'live').map(({ network }) => network);
  const ending = ['polygonZKEVM', 'polygonZKEVMTestnet', 'fantomMainnet', 'fantomTestnet'];
  expect(names).toEqual(NAMES.filter((name) => !ending.includes(name)));
});

it('lists the networks of each chain', () => {
  expect(CHAINS).toEqual(['solana', 'ethereum']);
  expect(networkNamesOf('solana')).toEqual(['mainnet-beta', 'devnet']);
  expect(networkNamesOf('ethereum')).toEqual(NAMES.slice(2));
});

it.each`
  chain         | network            | why
  ${'solana'}   | ${'mainnet'}       | ${'it is a network of the other chain'}
  ${'ethereum'} | ${'devnet'}        | ${'it is a network of the other chain'}
  ${'ethereum'} | ${'Sepolia'}       | ${'names are case-sensitive'}
  ${'ethereum'} | ${'polygonMumbai'} | ${'the network is unknown'}
  ${'ethereum'} | ${'constructor'}   | ${'the network is unknown'}
  ${'bitcoin'}  | ${'mainnet'}       | ${'the chain is unknown'}
  ${''}         | ${''}              | ${'both names are empty'}
`('finds no network $network on $chain because $why', ({ chain, network }) => {
  expect(findNetwork(NETWORKS, chain, network)).toBeUndefined();
});
