import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalnetFacts } from '../../localnet/state/localnet-facts.ts';
import type { Built } from '../build.ts';
import { startCaller } from '../load.ts';
import { type BenchContext, beginPart, type Measure, type Outcome } from '../measure.ts';
import { compareInTurn } from '../rounds.ts';
import { sendBare } from '../settlement/bare-sender.ts';
import { issueAll } from '../settlement/issue-all.ts';
import {
  CHAINS,
  SETTLEMENT_NETWORKS,
  type SettlementNetwork,
  startSettlementLocalnet,
} from '../settlement/localnet.ts';
import { buildService, startService } from '../settlement/service.ts';

const PASSES_COUNT = 1_000;
/** Passes that warm up the code of all parts. */
const WARM_UP_PASSES_COUNT = 100;
/** The time until the transactions of the warm-up are final. */
const FINALITY_PAUSE_MS = 4_000;

/**
 * How many passes per second one signer settles, compared with a sender that stores nothing. Measured once from the first POST to
 * the last ACTIVE record, and once from the moment when all are accepted, because the bare sender has all of them at once too.
 * Another measure covers accepting, and in the local runtime one thread does both.
 *
 * Each turn has new nodes and a new service: anvil holds the state of each block in memory, and after some thousand passes in four
 * minutes it has 8 GB and is ten times slower, also for the bare sender.
 */
export const settleMeasure: Measure = {
  name: 'settle',
  async run(context) {
    const built = await buildService(context, 'tools/bench/counting/queue-control/worker.ts');
    const outcomes: Outcome[] = [];
    for (const network of SETTLEMENT_NETWORKS) outcomes.push(...(await settleOn(network, built, context)));
    return outcomes;
  },
};

async function settleOn(network: SettlementNetwork, built: Built, context: BenchContext): Promise<Outcome[]> {
  const onNewNodes = (measure: (part: BenchContext, localnet: LocalnetFacts) => Promise<number>) => async () => {
    const part = beginPart(context);
    try {
      return await measure(part, await startSettlementLocalnet(part, network));
    } finally {
      await part.end();
    }
  };
  const issue = (atOnce: boolean) =>
    onNewNodes(async (part, localnet) => {
      const service = await startService(part, { built, localnet });
      const caller = await startCaller();
      part.atEnd(caller.stop);
      await issueAll(service, caller, network, WARM_UP_PASSES_COUNT);
      await sleep(FINALITY_PAUSE_MS);
      const { seconds, acceptedSeconds } = await issueAll(service, caller, network, PASSES_COUNT, { atOnce });
      const [all, accepted] = [seconds, acceptedSeconds].map((each) => each.toFixed(1));
      context.say(
        `${network}: ${PASSES_COUNT} passes in ${all} s, accepted in ${accepted} s${atOnce ? ', then sent at once' : ''}`,
      );
      return PASSES_COUNT / (atOnce ? seconds - acceptedSeconds : seconds);
    });
  const bare = onNewNodes(async (_part, localnet) => {
    await sendBare(localnet, network, WARM_UP_PASSES_COUNT);
    return PASSES_COUNT / (await sendBare(localnet, network, PASSES_COUNT));
  });
  const contenders = { ours: issue(true), 'bare sender': bare, 'from the first POST': issue(false) };
  const { medians, ratios, rounds } = await compareInTurn(contenders, context.quick ? 3 : 5);
  const fast = { of: 'value', atLeast: 200 };
  const line = { unit: 'passes/s', peers: { 'bare sender': medians['bare sender'] }, rounds };
  return [
    {
      ...line,
      what: `accepted → ACTIVE, 1,000 passes at once, ${CHAINS[network]}`,
      value: medians.ours,
      ratios: { 'bare sender': ratios['bare sender'] },
      targets: network === 'sepolia' ? [fast, { of: 'bare sender', atLeast: 0.6 }] : [fast],
    },
    {
      ...line,
      what: `first POST → last ACTIVE, 1,000 passes, ${CHAINS[network]}`,
      value: medians['from the first POST'],
      targets: [fast],
    },
  ];
}
