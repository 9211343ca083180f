import { setTimeout as sleep } from 'node:timers/promises';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import type { Measure } from '../measure.ts';
import { median } from '../rounds.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
const BLOCK_MS = 1_000;
const POLL_INTERVAL_MS = 25;

/** A single pass on an idle service, with a block per second and one confirmation: from its POST to an ACTIVE record. */
export const onePassMeasure: Measure = {
  name: 'one-pass',
  async run(context) {
    const localnet = await startSettlementLocalnet(context, NETWORK, BLOCK_MS);
    const built = await buildService(context);
    const service = await startService(context, { built, localnet, settings: { blockMs: BLOCK_MS } });
    await measureSecondsToActive(service);
    const seconds: number[] = [];
    for (let pass = 0; pass < (context.quick ? 5 : 11); pass++) {
      // A random delay, so that requests are not synchronous with the blocks.
      await sleep(300 + pass * 170);
      seconds.push(await measureSecondsToActive(service));
    }
    return [
      {
        what: 'issued → ACTIVE, one pass, idle, a block per second',
        unit: 's',
        value: median(seconds),
        rounds: { ours: seconds },
        targets: [{ of: 'value', atMost: 3 }],
      },
    ];
  },
};

async function measureSecondsToActive({ client }: Service): Promise<number> {
  const wallet = freshWallet(NETWORK);
  const begun = performance.now();
  await client.issue(NETWORK, wallet);
  while ((await client.fetch(NETWORK, wallet)).state !== 'ACTIVE') await sleep(POLL_INTERVAL_MS);
  return (performance.now() - begun) / 1000;
}
