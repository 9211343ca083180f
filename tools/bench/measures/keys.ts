import { startCaller } from '../load.ts';
import type { Measure } from '../measure.ts';
import { compareInTurn } from '../rounds.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
const BLOCK_MS = 1_000;
/** The number of transactions of an account that geth promises to hold. It bounds one key on a real network. */
const UNMINED_MAX_COUNT = 16;

/**
 * How many passes several gatekeeper keys of a network settle, while each may have few transactions in flight. A new pass goes to
 * one of them, and no key waits for another.
 */
export const keysMeasure: Measure = {
  name: 'keys',
  async run(context) {
    const passes = context.quick ? 96 : 160;
    const built = await buildService(context);
    const localnet = await startSettlementLocalnet(context, NETWORK, BLOCK_MS);
    const caller = await startCaller();
    context.atEnd(caller.stop);
    // Each run has its own service, and no transaction is in flight: only one service at a time may use a key.
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
