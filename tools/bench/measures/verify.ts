import { compareLoads } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { fetchRequests, generatePasses, verifyRequests } from '../dataset.ts';
import type { Measure } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { median, medianRatio } from '../rounds.ts';

/** The public check of a pass that no cache has, beside GET of the same passes with a token. */
export const verifyMeasure: Measure = {
  name: 'verify',
  async run(context) {
    const rounds = context.quick ? { rounds: 5, seconds: 2 } : { rounds: 9, seconds: 4 };
    const contenders = await prepareContenders(context);
    const seeded = [...generatePasses(20_000, Math.floor(Date.now() / 1000))];
    const server = await contenders.start('ours', seeded);
    const checks = verifyRequests(seeded);
    const loads = {
      check: { server, requests: checks },
      fetch: { server, requests: fetchRequests(seeded, contenders.headers) },
    };
    const { speed, cost } = await compareLoads(context, loads, rounds);
    await server.stop();
    const counts = await countOperations(context, server.options, checks);
    const beside = ({ check, fetch }: typeof speed) => ({
      value: median(check),
      peers: { fetch: median(fetch) },
      ratios: { fetch: medianRatio(check, fetch) },
      rounds: { ours: check, fetch },
    });
    return [
      { what: 'public check', unit: 'requests/s', ...beside(speed), targets: [{ of: 'fetch', atLeast: 1 }], counts },
      {
        what: 'public check, rows of D1 read',
        unit: 'rows',
        value: counts['d1.rows-read'] ?? Number.NaN,
        targets: [{ of: 'value', atMost: 1 }],
      },
      { what: 'public check, processor time', unit: 'ms', ...beside(cost), targets: [] },
    ];
  },
};
