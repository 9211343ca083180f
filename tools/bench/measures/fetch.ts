import { compareLoads, outcomesOf, type Rounds } from '../compare-loads.ts';
import { loadOn, prepareContenders, startAll } from '../contenders.ts';
import { fetchRequests, generatePasses } from '../dataset.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { demandSameAnswers } from '../same-answers.ts';

const TARGETS = [
  { of: 'floor', atLeast: 0.97 },
  { of: 'mainstream', atLeast: 2.1 },
];

/** GET of an existing pass. */
export const fetchMeasure: Measure = {
  name: 'fetch',
  async run(context) {
    const rounds = context.quick ? { rounds: 5, seconds: 2 } : { rounds: 9, seconds: 4 };
    const { outcomes, counts } = await measureFetch(context, rounds);
    const [speed, ...rest] = outcomes as [Outcome, ...Outcome[]];
    return [{ ...speed, counts: await counts() }, ...rest];
  },
};

export async function measureFetch(context: BenchContext, rounds: Rounds) {
  const contenders = await prepareContenders(context);
  const seeded = [...generatePasses(20_000, Math.floor(Date.now() / 1000))];
  const servers = await startAll(contenders, seeded);
  const requests = fetchRequests(seeded, contenders.headers);
  await demandSameAnswers(servers, requests.slice(0, 20));
  const outcomes = outcomesOf('fetch', await compareLoads(context, loadOn(servers, requests), rounds), TARGETS);
  return {
    outcomes,
    async counts() {
      await servers.ours.stop();
      return countOperations(context, servers.ours.options, requests.slice(0, 200));
    },
  };
}
