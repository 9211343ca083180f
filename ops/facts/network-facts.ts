import { DAY_SECONDS, SECOND_MS, type UnixSeconds } from '../../src/lib/units.ts';
import { type Network, networkStatusOf } from '../../src/network/network.ts';
import { NETWORKS } from '../../src/network/networks.ts';

/**
 * Where the facts in the table of networks come from, and when a person last compared each with its source. The Worker needs the facts and
 * not this file. After you have checked a fact, correct `src/network/networks.ts`, and write the source and the day here.
 */

/** A fact of a network that others may change. */
export const FACT_NAMES = ['status', 'chain', 'block-time'] as const;
export type FactName = (typeof FACT_NAMES)[number];

interface Check {
  readonly source: string;
  /** The day (`YYYY-MM-DD`) on which a person last compared the fact with its source. */
  readonly checked: string;
}

const on = (checked: string) => (source: string) => ({ source, checked });
const november = on('2026-11-28');

const NO_END = november('public threads and documents: no end is announced');
const VIEM = november('viem 2.57.1, its definition of the chain');
/** The networks for which viem has a block time. */
const TIMED_BY_VIEM = [
  ['mainnet', 'polygonMainnet', 'optimismSepolia', 'optimismMainnet', 'arbitrumSepolia', 'arbitrumMainnet'],
  ['baseSepolia', 'baseMainnet', 'xlayerMainnet', 'unichainMainnet', 'unichainSepolia'],
  ['sonicMainnet'],
].flat();
const NO_BLOCK_TIME = november('no document was found: compare it with the chain');
const VOTED = november('Avalanche ACP-226: validators vote on it, so compare it with the chain');
const GENESIS = november('the clusters in the documents of Solana; the doctor compares it with getGenesisHash');
const SLOTS = november('solana-foundation/solana-com, "Reduced slot times": 300 ms by 2026-09-15, to become 200 ms');

/** The facts of a network whose source differs from the usual one. */
const OWN: Readonly<Record<string, Partial<Record<FactName, Check>>>> = {
  'mainnet-beta': { chain: GENESIS, 'block-time': SLOTS },
  devnet: { chain: GENESIS, 'block-time': SLOTS },
  polygonZKEVM: {
    status: november('chainstack/dev-portal PR 500 (2026-07-04): the sequencer stopped; also blockscout/docs PR 106'),
  },
  polygonZKEVMTestnet: {
    status: november('it ended with polygonZKEVM: neither providers nor the registry of The Graph list it'),
  },
  fantomMainnet: {
    status: november(
      'curvefi/curve-frontend PR 2839 (2026-07-03): at the end of the year; ethstorage/web3url-gateway PR 98 (2026-05-21) said by June',
    ),
  },
  fantomTestnet: {
    status: november(
      'no date was found, so it has that of fantomMainnet; chainstack/dev-portal PR 540: a provider stopped on 2026-07-30',
    ),
  },
  avalancheCChain: { 'block-time': VOTED },
  avalancheCChainFuji: { 'block-time': VOTED },
  bscMainnet: { 'block-time': november('alloy-rs/chains PR 288: 450 ms since January 2026') },
  bscTestnet: { 'block-time': november('alloy-rs/chains PR 288: 450 ms since November 2025') },
  sonicTestnet: { chain: november('alloy-rs/chains PR 202: 57054 and 64165 are dead') },
  xlayerTestnet: { chain: november('ethereum-lists/chains PR 8402: 195 is dead') },
};

function usualCheck(name: FactName, network: string): Check {
  if (name === 'status') return NO_END;
  return name === 'chain' || TIMED_BY_VIEM.includes(network) ? VIEM : NO_BLOCK_TIME;
}

/** A fact with its value, as the table of networks has it. */
export interface Fact extends Check {
  readonly network: string;
  readonly name: FactName;
  readonly value: string;
}

/** Returns a fact of each network and name, as it is at `now` (Unix seconds). */
export function factsAt(now: UnixSeconds): readonly Fact[] {
  return FACT_NAMES.flatMap((name) =>
    NETWORKS.map((row) => ({
      network: row.network,
      name,
      value: factValue(name, row, now),
      ...(OWN[row.network]?.[name] ?? usualCheck(name, row.network)),
    })),
  );
}

function factValue(name: FactName, row: Network, now: UnixSeconds): string {
  if (name === 'block-time') return `${row.blockMs} ms`;
  if (name === 'chain') return row.chain === 'ethereum' ? String(row.chainId) : row.genesisHash;
  const status = networkStatusOf(row, now);
  return status.type === 'live' ? 'live' : `${status.type} on ${status.endsOn}`;
}

/** Chains and the platform have changed within a quarter, without an announcement to this project. */
const MAX_AGE_DAYS = 90;

/** Returns a sentence for each fact that nobody has checked for 90 days at `now` (Unix seconds), or whose day is no day up to then. */
export function factFaults(facts: readonly Fact[], now: UnixSeconds): string[] {
  return facts.flatMap(({ network, name, checked }) => {
    const days = (now - Date.parse(checked) / SECOND_MS) / DAY_SECONDS;
    if (days >= 0 && days < MAX_AGE_DAYS + 1) return [];
    return `the ${name} of ${network} was last checked on ${checked}`;
  });
}
