import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../localnet/state/ports.ts';
import type { PassKey } from '../../src/pass/pass.ts';
import { startCaller } from '../load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { median } from '../rounds.ts';
import { inspect, type Memory } from '../settlement/heap.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { CHAINS, startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
/** Messages in a batch of the consumer. */
const BATCH = 100;
/** Batches from one look at the memory to the next. */
const STRIDE = 50;
/** Passes that are changed in the meantime. */
const CHANGED = 20;
const LOOK_MS = 20;
/** The year 2100, in Unix seconds. */
const FAR_OFF = 4_102_444_800;

/**
 * What the Worker holds in memory while its consumer takes batch after batch: looks at settled passes, and at some that
 * change. What it holds late is compared with what it held early, when everything had been used once. The passes stay the
 * same: the local runtime keeps each object, with its database, for more than a minute after its last use.
 */
export const memory: Measure = {
  name: 'memory',
  async run(context) {
    const strides = context.quick ? 6 : 20;
    const built = await buildService(context, 'bench/counting/looks/worker.ts');
    const localnet = await startSettlementLocalnet(context, NETWORK);
    const service = await startService(context, { built, localnet, inspectorPort: await freePort() });
    const caller = await startCaller();
    context.atEnd(caller.stop);
    await issueAll(service, caller, NETWORK, BATCH);
    const settled = await settledPasses(service);
    const inspector = await inspect(service.inspectorUrl ?? '', service.pid);
    context.atEnd(inspector.close);

    const taken: Memory[] = [];
    for (let stride = 0; stride < strides; stride++) {
      await Promise.all([lookAt(service, settled, STRIDE), change(service, settled, stride)]);
      taken.push(await inspector.memory());
    }
    const { batches, messages } = await looked(service);
    context.say(
      `${batches} batches, ${messages} messages, heap ${taken.map(({ heap }) => megabytes(heap)).join(' ')} MB`,
    );
    return [
      {
        ...outcome('JavaScript heap', taken, ({ heap }) => heap),
        targets: [{ of: 'value', atMost: 1.1 }],
        note: `${batches} batches of ${Math.round(messages / batches)}`,
      },
      {
        ...outcome('process', taken, ({ resident }) => resident),
        // 11 MB in 5,000 messages, when they were taken by a Worker that does nothing.
        note: 'the queue of the local runtime is in it, and grows with each message',
      },
    ];
  },
};

/** Of the second quarter and of the last: in the first the compiler still works, and objects are met for the first time. */
function outcome(what: string, taken: readonly Memory[], sizeOf: (memory: Memory) => number): Outcome {
  const sizes = taken.map(sizeOf);
  const quarter = Math.ceil(sizes.length / 4);
  const early = median(sizes.slice(quarter, 2 * quarter));
  const late = median(sizes.slice(-quarter));
  return {
    what: `memory over ${sizes.length * STRIDE} batches of ${BATCH}: ${what}, late by early`,
    unit: '×',
    value: late / early,
    rounds: { ours: sizes.map(megabytes) },
    targets: [],
  };
}

const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;

async function settledPasses({ client }: Service): Promise<PassKey[]> {
  const { gatekeeperNetwork } = client;
  const records = await client.search({ limit: BATCH });
  return records.map(({ walletAddress: wallet }) => {
    return { gatekeeperNetwork, chain: CHAINS[NETWORK], network: NETWORK, wallet };
  });
}

/** Has the consumer take so many batches, and waits until it has. */
async function lookAt(service: Service, passes: readonly PassKey[], batches: number): Promise<void> {
  const before = await looked(service);
  const body = JSON.stringify(Array.from({ length: batches }, () => passes).flat());
  await fetch(`${service.baseUrl}/__looks`, { method: 'POST', body });
  while ((await looked(service)).messages < before.messages + batches * BATCH) await sleep(LOOK_MS);
}

/** Gives some of the passes another expiry: each takes a transaction. */
async function change({ client }: Service, passes: readonly PassKey[], stride: number): Promise<void> {
  const from = (stride * CHANGED) % passes.length;
  for (const { wallet } of passes.slice(from, from + CHANGED)) {
    await client.update(NETWORK, wallet, { expiryTimestamp: FAR_OFF + stride });
  }
}

async function looked({ baseUrl }: Service): Promise<{ batches: number; messages: number }> {
  return (await fetch(`${baseUrl}/__looks`)).json() as Promise<{ batches: number; messages: number }>;
}
