import { compareLoads } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { generatePasses, ON_NETWORK, searchRequests } from '../dataset.ts';
import type { Measure } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { median, medianRatio } from '../rounds.ts';

/** The newest twenty passes of a network, which merges five walks, beside the newest twenty of all. */
export const networkMeasure: Measure = {
  name: 'search-network',
  async run(context) {
    const rounds = context.quick ? { rounds: 5, seconds: 2 } : { rounds: 9, seconds: 4 };
    const contenders = await prepareContenders(context);
    const seeded = [...generatePasses(105_000, Math.floor(Date.now() / 1000))];
    const server = await contenders.start('ours', seeded);
    const { headers } = contenders;
    const onNetwork = searchRequests([undefined, seeded.at(5_000)?.id], headers, ON_NETWORK);
    const loads = {
      network: { server, requests: onNetwork },
      all: { server, requests: searchRequests([undefined, seeded.at(5_000)?.id], headers) },
    };
    const { speed } = await compareLoads(context, loads, rounds);
    await server.stop();
    const counts = await countOperations(context, server.options, Array(20).fill(onNetwork).flat());
    return [
      {
        what: 'search by network',
        unit: 'requests/s',
        value: median(speed.network),
        peers: { 'without a filter': median(speed.all) },
        ratios: { 'without a filter': medianRatio(speed.network, speed.all) },
        rounds: { ours: speed.network, 'without a filter': speed.all },
        targets: [],
        counts,
      },
      {
        what: 'search by network, rows of D1 read',
        unit: 'rows',
        value: counts['d1.rows-read'] ?? Number.NaN,
        targets: [{ of: 'value', atMost: 25 }],
      },
    ];
  },
};
