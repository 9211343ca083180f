import { compareIssuances, seededPasses } from '../compare-issuances.ts';
import { outcomesOf } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { issuanceRequests } from '../dataset.ts';
import type { Measure } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';

const TARGETS = [
  { of: 'floor', atLeast: 0.9 },
  { of: 'mainstream', atLeast: 1.3 },
];

/** POST for wallets without a pass: from the request to the 202. */
export const acceptMeasure: Measure = {
  name: 'accept',
  async run(context) {
    const contenders = await prepareContenders(context);
    const count = context.quick ? { rounds: 5, issued: 1_000 } : { rounds: 7, issued: 2_000 };
    const outcomes = outcomesOf('issue accepted', await compareIssuances(context, contenders, count), TARGETS);
    const server = await contenders.start('ours', seededPasses());
    await server.stop();
    const counts = await countOperations(context, server.options, issuanceRequests(200, 0, contenders.headers));
    return outcomes.map((outcome, index) => (index === 0 ? { ...outcome, counts } : outcome));
  },
};
