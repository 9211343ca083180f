import { compareInLots } from '../compare-in-lots.ts';
import { outcomesOf } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { fetchRequests, generatePasses } from '../dataset.ts';
import type { Measure, Outcome } from '../measure.ts';
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
    const lots = context.quick ? { lots: 4, rounds: 2, seconds: 1 } : { lots: 8, rounds: 3, seconds: 2 };
    const contenders = await prepareContenders(context);
    const seeded = [...generatePasses(20_000, Math.floor(Date.now() / 1000))];
    const fetch = fetchRequests(seeded, contenders.headers);
    const compared = await compareInLots(context, contenders, { seeded, loads: { fetch } }, lots, (servers) =>
      demandSameAnswers(servers, fetch.slice(0, 20)),
    );
    const [speed, ...rest] = outcomesOf('fetch', compared.fetch, TARGETS) as [Outcome, ...Outcome[]];
    const server = await contenders.start('ours', seeded);
    await server.stop();
    return [{ ...speed, counts: await countOperations(context, server.options, fetch.slice(0, 200)) }, ...rest];
  },
};
