import * as v from 'valibot';
import type { Milliseconds } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { SignerName } from '../network/network.ts';
import { CHAINS } from '../network/networks.ts';
import type { PassKey } from '../pass/pass.ts';

/** It carries no state, so it may arrive twice, late, out of order or not at all. Its kind on the wire is `process-pass`. */
const Message = v.object({
  kind: v.literal('process-pass'),
  pass: v.object({
    gatekeeperNetwork: v.string(),
    chain: v.picklist(CHAINS),
    network: v.string(),
    wallet: v.string(),
  }),
  news: v.optional(v.object({ signer: v.string(), id: v.string() })),
});

/** A pass to process. */
export interface ProcessPass {
  readonly pass: PassKey;
  /** The signer that announces an outcome of the pass, and the id of the pass. */
  readonly news?: { readonly signer: SignerName; readonly id: string } | undefined;
}

/** Maximum number of messages that the queue's `sendBatch` accepts. */
const SEND_MAX_MESSAGES = 100;
/** How long a sender waits for the queue, in an alarm as well as in a request. */
const SEND_TIMEOUT_MS = 10_000;

/** Sends the messages in batches. Throws if the queue refuses one, or does not answer in time. */
export async function sendProcessPasses(
  queue: Queue,
  passes: readonly ProcessPass[],
  timeoutMs: Milliseconds = SEND_TIMEOUT_MS,
): Promise<void> {
  for (let from = 0; from < passes.length; from += SEND_MAX_MESSAGES) {
    const some = passes.slice(from, from + SEND_MAX_MESSAGES);
    const sent = queue.sendBatch(some.map((each) => ({ body: { kind: 'process-pass', ...each } })));
    await within(timeoutMs, sent, 'the queue');
  }
}

/** Sends the messages, or logs why not. For work that the alarms of the passes do all the same. */
export async function trySendProcessPasses(queue: Queue, passes: readonly ProcessPass[]): Promise<void> {
  await sendProcessPasses(queue, passes).catch((fault) =>
    logFault('queue.send_failed', fault, { messages: passes.length }),
  );
}

/** Returns the pass to process; undefined for any other body. The Worker itself wrote the names, so it trusts them. */
export function parseProcessPass(body: unknown): ProcessPass | undefined {
  const result = v.safeParse(Message, body);
  if (!result.success) return undefined;
  const { pass, news } = result.output as Pick<v.InferOutput<typeof Message>, 'kind'> & ProcessPass;
  return { pass, news };
}

/**
 * Message for the next slice of the reconciliation. It names its night, so that a message of an earlier night does nothing.
 * It may arrive twice, late or not at all.
 */
const Reconcile = v.object({ kind: v.literal('reconcile'), night: v.pipe(v.number(), v.integer()) });

/** Enqueues the next slice. `night` in Unix seconds. */
export async function sendReconcile(queue: Queue, night: number): Promise<void> {
  const sent = queue.send({ kind: 'reconcile', night } satisfies v.InferOutput<typeof Reconcile>);
  await within(SEND_TIMEOUT_MS, sent, 'the queue');
}

/** Returns the night in Unix seconds; undefined for any other body. */
export function parseReconcile(body: unknown): number | undefined {
  const result = v.safeParse(Reconcile, body);
  return result.success ? result.output.night : undefined;
}

/** Sends the bodies again unchanged: at most 100, and at most 256 KB together. */
export async function resendMessages(queue: Queue, bodies: readonly string[]): Promise<void> {
  if (bodies.length === 0) return;
  const sent = queue.sendBatch(bodies.map((body) => ({ body: JSON.parse(body) })));
  await within(SEND_TIMEOUT_MS, sent, 'the queue');
}
