import { comparedOf, type Took, timed } from '../compare-loads.ts';
import { prepareContenders } from '../contenders.ts';
import { bulkRequests, generatePasses, issuanceRequests } from '../dataset.ts';
import { CONNECTIONS_COUNT, startCaller } from '../load.ts';
import type { Measure } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { median, medianRatio, runInTurn } from '../rounds.ts';

const ITEMS = 100;
/** A request for each connection of the load. */
const PASSES_MIN = ITEMS * CONNECTIONS_COUNT;

/**
 * POST /passes with a hundred items each, beside single POSTs for as many wallets: the accepted passes per second, and the
 * processor time of a pass. As in `accept`, each round has a new server, and messages stay in the queue.
 */
export const bulkMeasure: Measure = {
  name: 'bulk',
  async run(context) {
    const contenders = await prepareContenders(context);
    const caller = await startCaller();
    context.atEnd(caller.stop);
    const seeded = [...generatePasses(1_000, Math.floor(Date.now() / 1000))];
    const passes = context.quick ? PASSES_MIN : 2 * PASSES_MIN;
    let seed = 0;
    const { headers } = contenders;
    const requestsOf = {
      bulk: (count: number) => bulkRequests(count, ITEMS, ++seed, headers),
      single: (count: number) => issuanceRequests(count, ++seed, headers),
    };
    const ask = async (kind: keyof typeof requestsOf): Promise<Took> => {
      const server = await contenders.start('ours', seeded);
      await timed(caller, { server, requests: requestsOf[kind](PASSES_MIN) });
      const requests = requestsOf[kind](passes);
      const { perSecond, cost } = await timed(caller, { server, requests });
      await server.stop();
      const each = passes / requests.length;
      return { perSecond: perSecond * each, cost: cost / each };
    };
    const taken = await runInTurn({ bulk: () => ask('bulk'), single: () => ask('single') }, context.quick ? 3 : 7);
    const { speed, cost } = comparedOf(taken);
    const beside = ({ bulk, single }: typeof speed) => ({
      value: median(bulk),
      peers: { single: median(single) },
      ratios: { single: medianRatio(bulk, single) },
      rounds: { ours: bulk, single },
    });
    const server = await contenders.start('ours', seeded);
    await server.stop();
    const counts = await countOperations(context, server.options, requestsOf.bulk(PASSES_MIN));
    return [
      { what: 'bulk accepted', unit: 'passes/s', ...beside(speed), targets: [{ of: 'single', atLeast: 1.5 }], counts },
      { what: 'bulk accepted, processor time', unit: 'ms', ...beside(cost), targets: [{ of: 'single', atMost: 0.7 }] },
    ];
  },
};
