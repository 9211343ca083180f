import { setTimeout as sleep } from 'node:timers/promises';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { findFreePort } from '../../localnet/state/ports.ts';
import { startCaller } from '../load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { median } from '../rounds.ts';
import { type MemoryUse, openInspector } from '../settlement/inspector.ts';
import { issueAll } from '../settlement/issue-all.ts';
import { CHAINS, startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
/** Messages in a batch of the consumer. */
const BATCH_MESSAGES_COUNT = 100;
/** Batches between two readings of the memory. */
const STRIDE_BATCHES_COUNT = 50;
/** Passes that change in the meantime. */
const CHANGED_PASSES_COUNT = 20;
const POLL_INTERVAL_MS = 20;
/** The year 2100, in Unix seconds. */
const YEAR_2100_UNIX_SECONDS = 4_102_444_800;

/**
 * The memory of the Worker while its consumer processes batch after batch of messages for settled passes and for some that change.
 * The measure compares the memory late in the run with that of an early time, when all code and all objects had been used once. The
 * passes stay the same, because the local runtime keeps each object with its database for more than a minute after its last use.
 */
export const memoryMeasure: Measure = {
  name: 'memory',
  async run(context) {
    const strides = context.quick ? 6 : 20;
    const built = await buildService(context, 'tools/bench/counting/queue-control/worker.ts');
    const localnet = await startSettlementLocalnet(context, NETWORK);
    const service = await startService(context, { built, localnet, inspectorPort: await findFreePort() });
    const caller = await startCaller();
    context.atEnd(caller.stop);
    await issueAll(service, caller, NETWORK, BATCH_MESSAGES_COUNT);
    const settled = await readSettledPasses(service);
    const inspector = await openInspector(service.inspectorUrl ?? '', service.pid);
    context.atEnd(inspector.close);

    const taken: MemoryUse[] = [];
    for (let stride = 0; stride < strides; stride++) {
      await Promise.all([
        processBatches(service, settled, STRIDE_BATCHES_COUNT),
        changeExpiries(service, settled, stride),
      ]);
      taken.push(await inspector.readMemory());
    }
    const { batches, messages } = await readQueueCounts(service);
    context.say(
      `${batches} batches, ${messages} messages, heap ${taken.map(({ heapBytes }) => megabytesOf(heapBytes)).join(' ')} MB`,
    );
    return [
      {
        ...outcomeOf('JavaScript heap', taken, ({ heapBytes }) => heapBytes),
        targets: [{ of: 'value', atMost: 1.1 }],
        note: `${batches} batches of ${Math.round(messages / batches)}`,
      },
      {
        ...outcomeOf('process', taken, ({ residentBytes }) => residentBytes),
        // An idle Worker that only receives them grows by 11 MB in 5,000 messages.
        note: 'the queue of the local runtime is in it, and grows with each message',
      },
    ];
  },
};

/** Compares the second quarter with the last. In the first, the compiler still works, and objects are used for the first time. */
function outcomeOf(what: string, taken: readonly MemoryUse[], sizeOf: (memory: MemoryUse) => number): Outcome {
  const sizes = taken.map(sizeOf);
  const quarter = Math.ceil(sizes.length / 4);
  const early = median(sizes.slice(quarter, 2 * quarter));
  const late = median(sizes.slice(-quarter));
  return {
    what: `memory over ${sizes.length * STRIDE_BATCHES_COUNT} batches of ${BATCH_MESSAGES_COUNT}: ${what}, late by early`,
    unit: '×',
    value: late / early,
    rounds: { ours: sizes.map(megabytesOf) },
    targets: [],
  };
}

const megabytesOf = (bytes: number) => Math.round(bytes / 1e5) / 10;

async function readSettledPasses({ client }: Service): Promise<PassKey[]> {
  const { gatekeeperNetwork } = client;
  const records = await client.search({ limit: BATCH_MESSAGES_COUNT });
  return records.map(({ walletAddress: wallet }) => {
    return { gatekeeperNetwork, chain: CHAINS[NETWORK], network: NETWORK, wallet: wallet as Wallet };
  });
}

/** Sends batches to the consumer, and waits until it has processed them. */
async function processBatches(service: Service, passes: readonly PassKey[], batches: number): Promise<void> {
  const before = await readQueueCounts(service);
  const body = JSON.stringify(Array.from({ length: batches }, () => passes).flat());
  await fetch(`${service.baseUrl}/__queue`, { method: 'POST', body });
  while ((await readQueueCounts(service)).messages < before.messages + batches * BATCH_MESSAGES_COUNT)
    await sleep(POLL_INTERVAL_MS);
}

/** Changes the expiry of some passes, each with a transaction. */
async function changeExpiries({ client }: Service, passes: readonly PassKey[], stride: number): Promise<void> {
  const from = (stride * CHANGED_PASSES_COUNT) % passes.length;
  for (const { wallet } of passes.slice(from, from + CHANGED_PASSES_COUNT)) {
    await client.update(NETWORK, wallet, { expiryTimestamp: YEAR_2100_UNIX_SECONDS + stride });
  }
}

async function readQueueCounts({ baseUrl }: Service): Promise<{ batches: number; messages: number }> {
  return (await fetch(`${baseUrl}/__queue`)).json() as Promise<{ batches: number; messages: number }>;
}
