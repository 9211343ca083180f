import { startCaller } from '../load.ts';
import type { Measure } from '../measure.ts';
import { compareInTurn } from '../rounds.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
const BLOCK_MS = 1_000;
/** As many of an account as geth promises to keep: what bounds one key on a real network. */
const UNMINED_MAX_COUNT = 16;

/**
 * What several gatekeeper keys of a network settle, where each may have few transactions on their way: a new pass goes to
 * the one or the other, and none waits for another.
 */
export const keysMeasure: Measure = {
  name: 'keys',
  async run(context) {
    const passes = context.quick ? 96 : 160;
    const built = await buildService(context);
    const localnet = await startSettlementLocalnet(context, NETWORK, BLOCK_MS);
    const caller = await startCaller();
    context.atEnd(caller.stop);
    // A service of its own each time, and all have ended what they sent: of those that share a key one may run at a time.
    const settledBy = (count: number) => async () => {
      const settings = { blockMs: BLOCK_MS, unmined: UNMINED_MAX_COUNT };
      const service = await startService(context, { built, localnet, keys: count, settings });
      await issueAll(service, caller, NETWORK, UNMINED_MAX_COUNT);
      const { seconds } = await issueAll(service, caller, NETWORK, passes);
      await service.stop();
      return passes / seconds;
    };
    const contenders = { 'four keys': settledBy(4), 'two keys': settledBy(2), 'one key': settledBy(1) };
    const { medians, ratios, rounds } = await compareInTurn(contenders, context.quick ? 1 : 5);
    const { 'four keys': value, ...peers } = medians;
    return [
      {
        what: `issued → ACTIVE, four keys, ${UNMINED_MAX_COUNT} transactions of each unmined`,
        unit: 'passes/s',
        value,
        peers,
        ratios,
        rounds,
        targets: [
          { of: 'one key', atLeast: 3 },
          { of: 'two keys', atLeast: 1.5 },
        ],
      },
    ];
  },
};
