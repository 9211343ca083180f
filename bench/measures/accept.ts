import { comparedOf, outcomesOf, type Took, timed } from '../compare-loads.ts';
import { NAMES, type Name, prepareContenders } from '../contenders.ts';
import { generatePasses, issuanceRequests } from '../dataset.ts';
import { startCaller } from '../load.ts';
import type { BenchContext, Measure, Outcome } from '../measure.ts';
import { countOperations } from '../operation-counts.ts';
import { runInTurn } from '../rounds.ts';

const TARGETS = [
  { of: 'floor', atLeast: 0.8 },
  { of: 'mainstream', atLeast: 1.3 },
];

/** POST for wallets without a pass: from the request to the 202. */
export const acceptMeasure: Measure = {
  name: 'accept',
  async run(context) {
    const { outcomes, counts } = await measureAccept(context, context.quick ? 5 : 7, context.quick ? 1_000 : 2_000);
    const [speed, ...rest] = outcomes as [Outcome, ...Outcome[]];
    return [{ ...speed, counts: await counts() }, ...rest];
  },
};

/**
 * Issuances per round, on a server that has just started. Messages stay in the queue for an hour, and the round is over before the
 * first alarms of the passes (ten seconds), so that no work after the answer is measured.
 */
export async function measureAccept(context: BenchContext, rounds: number, issued: number) {
  const contenders = await prepareContenders(context);
  const caller = await startCaller();
  context.atEnd(caller.stop);
  const seeded = [...generatePasses(1_000, Math.floor(Date.now() / 1000))];
  let wallets = 0;
  const ask = async (name: Name): Promise<Took> => {
    const server = await contenders.start(name, seeded);
    const some = (count: number) => ({ server, requests: issuanceRequests(count, ++wallets, contenders.headers) });
    await timed(caller, some(200));
    const took = await timed(caller, some(issued));
    await server.stop();
    return took;
  };
  const asks = Object.fromEntries(NAMES.map((name) => [name, () => ask(name)])) as Record<Name, () => Promise<Took>>;
  const compared = comparedOf(await runInTurn(asks, rounds));
  return {
    outcomes: outcomesOf('issue accepted', compared, TARGETS),
    async counts() {
      const server = await contenders.start('ours', seeded);
      await server.stop();
      return countOperations(context, server.options, issuanceRequests(200, ++wallets, contenders.headers));
    },
  };
}
