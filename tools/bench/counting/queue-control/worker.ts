import type { PassKey } from '../../../../src/pass/pass.ts';
import worker from '../../../../src/worker.ts';

/**
 * The Worker with control over its consumer's messages. `POST /__queue` sends messages for passes (their keys).
 * `POST /__queue/hold` holds the messages of requests back until `POST /__queue/release`. `GET /__queue` returns how many
 * batches were consumed, and how many messages they had.
 */

export { AuditObject } from '../../../../src/audit-object/audit-object.ts';
export { MetricsObject } from '../../../../src/metrics-object/metrics-object.ts';
export { PassObject } from '../../../../src/pass-object/pass-object.ts';
export { QuotaObject } from '../../../../src/quota-object/quota-object.ts';
export { SandboxObject } from '../../../../src/sandbox-object/sandbox-object.ts';
export { SignerObject } from '../../../../src/signer-object/signer-object.ts';
export { SubjectObject } from '../../../../src/subject-object/subject-object.ts';
export { WatcherObject } from '../../../../src/watcher-object/watcher-object.ts';
export { WebhookObject } from '../../../../src/webhook-object/webhook-object.ts';

type Messages = MessageSendRequest[];

/** The maximum of messages for the queue's `sendBatch`. */
const BATCH_MAX_MESSAGES = 100;

let batches = 0;
let messages = 0;
/** Messages that are held back; undefined if messages are not held back. */
let held: Messages | undefined;
const known = new WeakMap<Env, Env>();

export default {
  ...worker,
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith('/__queue')) return worker.fetch(request, withHold(env));
    if (request.method === 'POST') await runCommand(pathname, request, env.PASS_QUEUE);
    return Response.json({ batches, messages });
  },
  async queue(batch, env) {
    await worker.queue(batch, env);
    batches += 1;
    messages += batch.messages.length;
  },
} satisfies ExportedHandler<Env>;

async function runCommand(pathname: string, request: Request, queue: Queue): Promise<void> {
  if (pathname.endsWith('/hold')) {
    held ??= [];
  } else if (pathname.endsWith('/release')) {
    const all = held ?? [];
    held = undefined;
    await send(all, queue);
  } else {
    const passes = await request.json<PassKey[]>();
    await send(
      passes.map((pass) => ({ body: { kind: 'process-pass', pass } })),
      queue,
    );
  }
}

async function send(all: Messages, queue: Queue): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_MAX_MESSAGES)
    await queue.sendBatch(all.slice(from, from + BATCH_MAX_MESSAGES));
}

/** Returns the bindings for requests; the same object for the same bindings, because the configuration is cached by them. */
function withHold(env: Env): Env {
  const sendBatch: Queue['sendBatch'] = async (some, options) => {
    if (held === undefined) return env.PASS_QUEUE.sendBatch(some, options);
    held.push(...some);
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  };
  const bindings = known.get(env) ?? { ...env, PASS_QUEUE: { sendBatch } as Queue };
  known.set(env, bindings);
  return bindings;
}
