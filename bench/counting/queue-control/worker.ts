import type { PassKey } from '../../../src/pass/pass.ts';
import worker from '../../../src/worker.ts';

/**
 * The Worker, with a say in what its consumer looks at, and when. `POST /__queue` sends messages for passes (their keys),
 * `POST /__queue/hold` keeps back those of requests until `POST /__queue/release`; `GET /__queue` tells how many batches
 * were taken, and how many messages were in them.
 */

export { PassObject } from '../../../src/pass-object/pass-object.ts';
export { QuotaObject } from '../../../src/quota-object/quota-object.ts';
export { SignerObject } from '../../../src/signer-object/signer-object.ts';

type Messages = MessageSendRequest[];

/** What the queue's `sendBatch` takes at most. */
const BATCH_MAX_MESSAGES = 100;

let batches = 0;
let messages = 0;
/** Messages that are kept back; undefined: none are. */
let held: Messages | undefined;
const known = new WeakMap<Env, Env>();

export default {
  ...worker,
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith('/__queue')) return worker.fetch(request, withHold(env));
    if (request.method === 'POST') await runCommand(pathname, request, env.LOOKS);
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
      passes.map((pass) => ({ body: { kind: 'look', pass } })),
      queue,
    );
  }
}

async function send(all: Messages, queue: Queue): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_MAX_MESSAGES)
    await queue.sendBatch(all.slice(from, from + BATCH_MAX_MESSAGES));
}

/** The bindings as requests have them; the same for the same ones, since the configuration is kept by them. */
function withHold(env: Env): Env {
  const sendBatch: Queue['sendBatch'] = async (some, options) => {
    if (held === undefined) return env.LOOKS.sendBatch(some, options);
    held.push(...some);
    return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
  };
  const bindings = known.get(env) ?? { ...env, LOOKS: { sendBatch } as Queue };
  known.set(env, bindings);
  return bindings;
}
