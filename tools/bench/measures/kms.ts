import { setTimeout as sleep } from 'node:timers/promises';
import { KMS_GATEKEEPERS } from '../../localnet/kms/gatekeepers.ts';
import { startKms } from '../../localnet/kms/server.ts';
import type { Built } from '../build.ts';
import { startCaller } from '../load.ts';
import { type BenchContext, beginPart, type Measure, type Outcome } from '../measure.ts';
import { compareInTurn } from '../rounds.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { BLOCK_MS, CHAINS, type SettlementNetwork, startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, startService } from '../settlement/service.ts';

/** Slow blocks hide the time of the signatures, so Ethereum has two paces: the one of the localnet and the one of `settle`. */
const CASES: readonly (readonly [SettlementNetwork, blockMs: number])[] = [
  ['sepolia', 1_000],
  ['sepolia', BLOCK_MS.sepolia],
  ['devnet', BLOCK_MS.devnet],
];
const PASSES_COUNT = 200;
const WARM_UP_PASSES_COUNT = 100;
/** The time of a real KMS for an answer. */
const KMS_MS = 30;
/** The time until the transactions of a round are final. */
const FINALITY_PAUSE_MS = 4_000;

/**
 * The rate of settlement with a key in a KMS that needs 30 ms for each signature, beside the rate with a secret, on the same node. The
 * messages are held back until all passes are accepted, so that the signer has all of them at once. The KMS of the localnet and its
 * arithmetic run on the same machine, so the ratio includes their work.
 */
export const kmsMeasure: Measure = {
  name: 'kms',
  async run(context) {
    const built = await buildService(context, 'tools/bench/counting/queue-control/worker.ts');
    const outcomes: Outcome[] = [];
    for (const [network, blockMs] of CASES) outcomes.push(await compareOn(network, blockMs, built, context));
    return outcomes;
  },
};

async function compareOn(
  network: SettlementNetwork,
  blockMs: number,
  built: Built,
  context: BenchContext,
): Promise<Outcome> {
  const part = beginPart(context);
  const localnet = await startSettlementLocalnet(part, network, blockMs);
  const { stop, setFaults, ...kms } = await startKms();
  part.atEnd(stop);
  setFaults([{ kind: 'delay', ms: KMS_MS }]);
  const gatekeeper = { ethereum: KMS_GATEKEEPERS.ethereum.aws, solana: KMS_GATEKEEPERS.solana.gcp };
  const services = {
    'KMS of 30 ms': await startService(part, {
      built,
      localnet: { ...localnet, kms, gatekeeper },
      settings: { blockMs },
    }),
    secret: await startService(part, { built, localnet, settings: { blockMs } }),
  };
  const caller = await startCaller();
  part.atEnd(caller.stop);

  const settle = (name: keyof typeof services) => async () => {
    await sleep(FINALITY_PAUSE_MS);
    const { seconds, acceptedSeconds } = await issueAll(services[name], caller, network, PASSES_COUNT, {
      atOnce: true,
    });
    const settling = seconds - acceptedSeconds;
    context.say(`${network}, blocks of ${blockMs} ms, ${name}: ${PASSES_COUNT} passes in ${settling.toFixed(2)} s`);
    return PASSES_COUNT / settling;
  };
  for (const service of Object.values(services)) await issueAll(service, caller, network, WARM_UP_PASSES_COUNT);
  const contenders = { ours: settle('KMS of 30 ms'), secret: settle('secret') };
  const { medians, ratios, rounds } = await compareInTurn(contenders, context.quick ? 3 : 7);
  // The other chain has the whole machine.
  await part.end();
  return {
    what: `accepted → ACTIVE with a KMS of ${KMS_MS} ms, ${PASSES_COUNT} passes at once, ${CHAINS[network]}, blocks of ${blockMs} ms`,
    unit: 'passes/s',
    value: medians.ours,
    peers: { secret: medians.secret },
    ratios: { secret: ratios.secret },
    rounds,
    targets: [{ of: 'secret', atLeast: 0.7 }],
  };
}
