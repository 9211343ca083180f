import { compareInLots } from '../compare-in-lots.ts';
import { outcomesOf } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { generatePasses, searchRequests } from '../dataset.ts';
import type { Measure, Outcome } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { median, medianRatio } from '../rounds.ts';
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
    const lots = context.quick ? { lots: 4, rounds: 2, seconds: 1 } : { lots: 8, rounds: 3, seconds: 2 };
    const contenders = await prepareContenders(context);
    const seeded = [...generatePasses(PASSES_COUNT, Math.floor(Date.now() / 1000))];
    const loads = {
      first: searchRequests([undefined], contenders.headers),
      deep: searchRequests([seeded.at(-DEEP_PAGE_SKIP)?.id], contenders.headers),
    };
    const { first, deep } = await compareInLots(context, contenders, { seeded, loads }, lots, (servers) =>
      demandSameAnswers(servers, Object.values(loads).flat()),
    );
    const server = await contenders.start('ours', seeded);
    await server.stop();
    const counted = async (what: keyof typeof loads, [speed, ...rest]: readonly Outcome[]) => {
      const counts = await countOperations(context, server.options, Array(20).fill(loads[what]).flat());
      return speed === undefined ? [] : [{ ...speed, counts }, ...rest];
    };
    const [far, ...rest] = outcomesOf(
      `search, by after at depth ${DEEP_PAGE_SKIP.toLocaleString('en-US')}`,
      deep,
      DEEP_TARGETS,
    ) as [Outcome, ...Outcome[]];
    const beside = {
      peers: { ...far.peers, 'first page': median(first.speed.ours) },
      ratios: { ...far.ratios, 'first page': medianRatio(deep.speed.ours, first.speed.ours) },
    };
    return [
      ...(await counted('first', outcomesOf('search, first page', first, FIRST_PAGE_TARGETS))),
      ...(await counted('deep', [{ ...far, ...beside }, ...rest])),
    ];
  },
};
