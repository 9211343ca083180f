import { compareIssuances } from './compare-issuances.ts';
import { type Compared, compareLoads, joined, outcomesOf } from './compare-loads.ts';
import { loadOn, prepareContenders, startAll } from './contenders.ts';
import { fetchRequests, generatePasses, searchRequests } from './dataset.ts';
import type { BenchContext, Outcome } from './measure.ts';
import { readResults } from './results.ts';
import { medianRatio } from './rounds.ts';
import { demandSameAnswers } from './same-answers.ts';

/** The measures of the short form, each as a comparison with the peers. */
export type ShortForm = Readonly<Record<'fetch' | 'search' | 'accept', () => Promise<Compared>>>;

const ROUNDS = { rounds: 7, seconds: 0.3 };
const ISSUANCES = { rounds: 6, issued: 200 };

/** Starts all three with a few passes. */
export async function prepareShortForm(context: BenchContext): Promise<ShortForm> {
  const contenders = await prepareContenders(context);
  const seeded = [...generatePasses(2_000, Math.floor(Date.now() / 1000))];
  const servers = await startAll(contenders, seeded);
  const { headers } = contenders;
  const fetches = fetchRequests(seeded, headers).slice(0, 50);
  const searches = searchRequests([undefined, seeded[1_000]?.id], headers);
  await demandSameAnswers(servers, [...fetches, ...searches]);
  return {
    fetch: () => compareLoads(context, loadOn(servers, fetches), ROUNDS),
    search: () => compareLoads(context, loadOn(servers, searches), ROUNDS),
    accept: () => compareIssuances(context, contenders, ISSUANCES),
  };
}

/**
 * Returns the rounds of all runs as one outcome. It is by processor time, which hardly depends on other work of the machine, or by
 * speed if the processor time is unknown.
 */
export function outcomeOf(runs: readonly Compared[]): Outcome {
  const [speed, cost] = outcomesOf('', joined(runs), []) as [Outcome, Outcome];
  return Number.isFinite(cost.value) ? cost : speed;
}

/**
 * Returns how many times as good the service is as the peer: the median over the rounds. Both run right after each other in a
 * round, so a slow moment of the machine slows both.
 */
export function advantageOver(peer: string, { unit, rounds = {} }: Pick<Outcome, 'unit' | 'rounds'>): number {
  const [ours = [], theirs = []] = [rounds.ours, rounds[peer]];
  return unit === 'ms' ? medianRatio(theirs, ours) : medianRatio(ours, theirs);
}

/** Returns the same for the newest stored run of this form, in the same unit. Throws if there is none. */
export async function storedAdvantage(peer: string, measure: keyof ShortForm, unit: string): Promise<number> {
  const outcomes = (await readResults())?.measures.short?.outcomes ?? [];
  const kept = outcomes.find(({ what, unit: its }) => what.endsWith(`: ${measure}`) && its === unit);
  if (kept === undefined)
    throw new Error(`tools/bench/results.json has no ${unit} of ${measure}: npm run bench -- --only short`);
  return advantageOver(peer, kept);
}
