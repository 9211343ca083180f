import * as v from 'valibot';
import { CHAINS } from '../network/networks.ts';
import type { PassKey } from '../pass/pass.ts';

/** Look at this pass. The message carries no state, so it may come twice, late, out of order or not at all. */
const Look = v.object({
  kind: v.literal('look'),
  pass: v.object({
    gatekeeperNetwork: v.string(),
    chain: v.picklist(CHAINS),
    network: v.string(),
    wallet: v.string(),
  }),
});

/** What the queue's `sendBatch` takes at most. */
const BATCH = 100;

export async function sendLooks(queue: Queue, passes: readonly PassKey[]): Promise<void> {
  for (let from = 0; from < passes.length; from += BATCH) {
    await queue.sendBatch(passes.slice(from, from + BATCH).map((pass) => ({ body: { kind: 'look', pass } })));
  }
}

/** The pass to look at; undefined for anything that is not such a message. */
export function readLook(body: unknown): PassKey | undefined {
  const result = v.safeParse(Look, body);
  return result.success ? result.output.pass : undefined;
}
