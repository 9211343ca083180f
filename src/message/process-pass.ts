import * as v from 'valibot';
import { CHAINS } from '../network/networks.ts';
import type { PassKey } from '../pass/pass.ts';

/** The message carries no state, so it may come twice, late, out of order or not at all. */
const ProcessPassMessage = v.object({
  kind: v.literal('look'),
  pass: v.object({
    gatekeeperNetwork: v.string(),
    chain: v.picklist(CHAINS),
    network: v.string(),
    wallet: v.string(),
  }),
  news: v.optional(v.object({ signer: v.string(), id: v.string() })),
});

/** Look at this pass. */
export interface ProcessPass {
  readonly pass: PassKey;
  /** What became of a step of the pass waits to be heard: which signer has it, and the id of the pass. */
  readonly news?: { readonly signer: string; readonly id: string } | undefined;
}

/** What the queue's `sendBatch` takes at most. */
const SEND_MAX_MESSAGES = 100;

export async function sendProcessPasses(queue: Queue, looks: readonly ProcessPass[]): Promise<void> {
  for (let from = 0; from < looks.length; from += SEND_MAX_MESSAGES) {
    const messages = looks.slice(from, from + SEND_MAX_MESSAGES).map((look) => ({ body: { kind: 'look', ...look } }));
    await queue.sendBatch(messages);
  }
}

/** Undefined for anything that is not such a message. */
export function parseProcessPass(body: unknown): ProcessPass | undefined {
  const result = v.safeParse(ProcessPassMessage, body);
  return result.success ? { pass: result.output.pass, news: result.output.news } : undefined;
}
