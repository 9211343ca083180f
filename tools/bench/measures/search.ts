import { type Compared, compareLoads, outcomesOf, type Rounds } from '../compare-loads.ts';
import { loadOn, NAMES, type Name, prepareContenders, startAll } from '../contenders.ts';
import { generatePasses, searchRequests } from '../dataset.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { medianRatio } from '../rounds.ts';
import { demandSameAnswers } from '../same-answers.ts';

const DEEP_PAGE_SKIP = 100_000;
/** The number of a partner's passes: the depth, and pages after it. */
const PASSES_COUNT = DEEP_PAGE_SKIP + 5_000;

const FIRST_PAGE_TARGETS = [
  { of: 'floor', atLeast: 0.97 },
  { of: 'mainstream', atLeast: 2.2 },
];
const DEEP_TARGETS = [
  { of: 'floor', atLeast: 0.9 },
  { of: 'mainstream', atLeast: 1.4 },
  { of: 'first page', atLeast: 1 / 1.1 },
];

/** The newest twenty passes, and twenty much older ones. */
export const searchMeasure: Measure = {
  name: 'search',
  async run(context) {
    const rounds = context.quick ? { rounds: 5, seconds: 2 } : { rounds: 9, seconds: 4 };
    const { outcomes, counts } = await measureSearch(context, rounds, PASSES_COUNT);
    const [first, , deep] = outcomes;
    const counted = await counts();
    return outcomes.map((outcome) => {
      if (outcome === first) return { ...outcome, counts: counted.first };
      return outcome === deep ? { ...outcome, counts: counted.deep } : outcome;
    });
  },
};

/** @param count Number of passes. The deep page begins at the depth, or in the middle of fewer passes. */
export async function measureSearch(context: BenchContext, rounds: Rounds, count: number) {
  const contenders = await prepareContenders(context);
  const seeded = [...generatePasses(count, Math.floor(Date.now() / 1000))];
  const servers = await startAll(contenders, seeded);
  const { headers } = contenders;
  const newest = searchRequests([undefined], headers);
  const behind = seeded.at(-Math.min(DEEP_PAGE_SKIP, count / 2))?.id;
  const far = searchRequests([behind], headers);
  await demandSameAnswers(servers, [...newest, ...far]);
  const [first, deep] = [loadOn(servers, newest), loadOn(servers, far)];
  const both = Object.fromEntries(
    NAMES.flatMap((name) => [
      [name, first[name]],
      [`${name}, deep`, deep[name]],
    ]),
  ) as Record<Name | `${Name}, deep`, (typeof first)[Name]>;
  const compared = await compareLoads(context, both, rounds);
  return {
    outcomes: outcomesOfBoth(compared),
    async counts() {
      await servers.ours.stop();
      const of = (requests: typeof newest) =>
        countOperations(context, servers.ours.options, Array(20).fill(requests).flat());
      return { first: await of(newest), deep: await of(far) };
    },
  };
}

function outcomesOfBoth({ speed, cost }: Compared<Name | `${Name}, deep`>): Outcome[] {
  const deep = <T>(rounds: Readonly<Record<`${Name}, deep`, T>>) =>
    Object.fromEntries(NAMES.map((name) => [name, rounds[`${name}, deep`]])) as Record<Name, T>;
  const only = <T>(rounds: Readonly<Record<Name, T>>) =>
    Object.fromEntries(NAMES.map((name) => [name, rounds[name]])) as Record<Name, T>;
  const first = outcomesOf('search, first page', { speed: only(speed), cost: only(cost) }, FIRST_PAGE_TARGETS);
  const [far, ...rest] = outcomesOf(
    `search, by after at depth ${DEEP_PAGE_SKIP.toLocaleString('en-US')}`,
    { speed: deep(speed), cost: deep(cost) },
    DEEP_TARGETS,
  ) as [Outcome, ...Outcome[]];
  const beside = {
    peers: { ...far.peers, 'first page': first[0]?.value ?? Number.NaN },
    ratios: { ...far.ratios, 'first page': medianRatio(speed['ours, deep'], speed.ours) },
  };
  return [...first, { ...far, ...beside }, ...rest];
}
