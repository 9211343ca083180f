import { ETHEREUM_LIES } from '../../lies/ethereum-lies.ts';
import type { Lie } from '../../lies/lie.ts';
import { SOLANA_LIES } from '../../lies/solana-lies.ts';
import type { NodesBehind } from './answer-with-fault.ts';
import type { Random } from './random.ts';
import type { Severity } from './random-faults.ts';
import type { FaultSource } from './rpc-fault.ts';

/** A period in which at most one endpoint of a node lies. */
interface Episode {
  readonly liar: number | undefined;
  readonly lies: readonly Lie<never>[];
  readonly endMs: number;
}

/** The duration of a phase of faults. A quiet phase and a phase of lies follow it, and the cycle repeats. */
const FAULTS_MS = 60_000;
/** The duration of a quiet phase. After a hung request the service avoids the endpoint for 30 s, and would ask only a liar. */
const QUIET_MS = 45_000;
const LIES_MS = 60_000;

const EPISODE_MIN_MS = 2_000;
const EPISODE_MAX_MS = 15_000;
const PAIR_CHANCE = 0.5;

/** The lies that need no pass in the scene. */
const LIES: Readonly<Record<NodesBehind['chain'], readonly Lie<never>[]>> = {
  ethereum: ETHEREUM_LIES.filter(({ needsPass }) => !needsPass),
  solana: SOLANA_LIES.filter(({ needsPass }) => !needsPass),
};

type Phase = 'faults' | 'quiet' | 'lies';

function phaseAfter(ms: number): Phase {
  const since = ms % (FAULTS_MS + QUIET_MS + LIES_MS);
  if (since < FAULTS_MS) return 'faults';
  return since < FAULTS_MS + QUIET_MS ? 'quiet' : 'lies';
}

/**
 * Returns the faults of each endpoint of a node. A phase of lies has no other faults: a service that gets answers only from
 * the liar must believe them. The phase consists of episodes in which at most one endpoint lies.
 * @param faults The faults of each endpoint in a phase of faults.
 */
export function withRandomLies(
  chain: NodesBehind['chain'],
  random: Random,
  severity: () => Severity,
  faults: readonly FaultSource[],
): FaultSource[] {
  let began: number | undefined;
  let episode: Episode = { liar: undefined, lies: [], endMs: 0 };
  function currentEpisode(): Episode {
    if (Date.now() < episode.endMs) return episode;
    const lies = random.chance(PAIR_CHANCE)
      ? [random.pick(LIES[chain]), random.pick(LIES[chain])]
      : [random.pick(LIES[chain])];
    const endMs = Date.now() + EPISODE_MIN_MS + random.below(EPISODE_MAX_MS - EPISODE_MIN_MS);
    const liar = random.chance(severity().lying ?? 0) ? random.below(faults.length) : undefined;
    episode = { liar, lies, endMs };
    return episode;
  }
  return faults.map((faultOf, endpoint) => (calls) => {
    if (severity().lying === undefined) return faultOf(calls);
    began ??= Date.now();
    const phase = phaseAfter(Date.now() - began);
    if (phase === 'faults') return faultOf(calls);
    if (phase === 'quiet') return undefined;
    const { liar, lies } = currentEpisode();
    return liar === endpoint ? { type: 'lie', lies } : undefined;
  });
}
