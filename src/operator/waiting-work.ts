import type { Config } from '../config/config.ts';
import { type Refusal, refuse, refuseUnavailable } from '../http/protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../http/protocol/reply.ts';
import { acts, adminRoute, reads } from '../http/route.ts';
import { type Cursor, formatCursor } from '../lib/cursor.ts';
import { nowSeconds } from '../lib/units.ts';
import { logFault } from '../log/log.ts';
import { callObject, reachObject } from '../message/call-object.ts';
import { resendMessages, trySendProcessPasses } from '../message/queue.ts';
import type { SignerName } from '../network/network.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import { progress } from '../pass/wait-reasons.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Unsettled } from '../store/unsettled.ts';
import { explainedJson, passKeyOf, readReasons } from './passes.ts';
import { type FullNames, PageQuery, RedriveBody, StuckQuery } from './requests.ts';
import { endingRoutes } from './waiting-steps.ts';

const redrive = adminRoute({
  ...acts('redrive', '/admin/redrive', 'operator.redrive'),
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, ...backend }) {
    if (pass !== undefined) return redrivePass(pass, config, backend);
    if (all !== undefined) return redriveStuck(olderThan, after, backend);
    return deadLetter === undefined ? redriveDeadLetters(backend) : redriveDeadLetter(deadLetter, backend);
  },
});

/** Replies with the number of passes or messages that the request retries, whether another one can retry more, and where it continues. */
const accepted = (redriven: number, more: boolean, next?: string) =>
  reply(202, JSON.stringify({ redriven, more, next }));

const listDeadLetters = adminRoute({
  ...reads('listDeadLetters', '/admin/dead-letters'),
  query: PageQuery,
  async handle({ query: { limit, after }, store }) {
    const letters = await store.findDeadLetters({ limit, after });
    const last = letters.length === limit ? letters.at(-1) : undefined;
    return reply(200, JSON.stringify({ deadLetters: letters.map(toJson), next: last ? formatCursor(last) : null }));
  },
});

/** Returns the letter with its body as it was sent. The body is null if it was too large to keep; it cannot be sent again. */
function toJson({ id, at, reason, body }: DeadLetter) {
  return { id, at, reason, body: body === undefined ? null : JSON.parse(body) };
}

const listStuckPasses = adminRoute({
  ...reads('listStuckPasses', '/admin/stuck'),
  query: StuckQuery,
  async handle({ query: { olderThan, limit, after }, ...backend }) {
    const before = Math.floor(Date.now() / 1000) - olderThan;
    const { passes: rows, unread } = await backend.store.findUnsettled({ before, limit, after });
    const inspected = await Promise.all(rows.map((row) => inspectPass(row, backend)));
    // A pass that has settled meanwhile removes itself from the list soon.
    const stuck = inspected.filter(({ inspection }) => inspection?.isSettled !== true);
    const reasons = await readReasons(
      stuck.map(({ row, inspection }) => ({ ...row, inspection })),
      backend,
    );
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last === undefined ? null : formatCursor({ at: last.since, id: last.id });
    const unreadShards = unread.length > 0 ? unread : undefined;
    const shown = stuck.map(({ row: { id, key, since }, inspection }) => {
      const reason = inspection === undefined ? progress('object-unreachable') : reasons.get(id);
      return { ...explainedJson(id, key, inspection, reason ?? progress('not-begun')), since };
    });
    return reply(200, JSON.stringify({ stuck: shown, next, unreadShards }));
  },
});

const inspectPass = async (row: Unsettled, { passObject }: Backend) => ({
  row,
  inspection: await callObject(async () => passObject(row.key).inspect(), 'pass', row.id),
});

/** Retries a pass now. Nothing is ever done twice: steps are pinned, and their signer adds each of them once. */
async function redrivePass(names: FullNames, config: Config, backend: Backend): Promise<Reply | Refusal> {
  const key = passKeyOf(names, '/pass', config);
  if (isRefusal(key)) return key;
  const pass = await redriveObject(key, backend);
  if (pass === undefined) return refuse('pass_not_found');
  await retryAll([pass], backend);
  return accepted(1, false);
}

const REQUEST_MAX_PASSES = 500;

/** Retries the passes that have been unsettled for longer than that number of seconds, oldest first. */
async function redriveStuck(olderThan: number, after: Cursor | undefined, backend: Backend): Promise<Reply> {
  const before = nowSeconds() - olderThan;
  const { passes: stuck, unread } = await backend.store.findUnsettled({ before, limit: REQUEST_MAX_PASSES, after });
  if (unread.length > 0) logFault('database.unread', 'databases do not answer', { databases: unread.join() });
  // An object that cannot be reached does not keep the others from it.
  const redriven = await Promise.all(
    stuck.map(({ key, id }) => reachObject(() => redriveObject(key, backend), 'pass', id)),
  );
  const passes = redriven.filter((pass) => pass !== undefined);
  await retryAll(passes, backend);
  const last = stuck.length === REQUEST_MAX_PASSES ? stuck.at(-1) : undefined;
  return accepted(passes.length, last !== undefined, last && formatCursor({ at: last.since, id: last.id }));
}

interface RedrivenPass {
  readonly key: PassKey;
  readonly signer: SignerName;
  readonly step?: { readonly id: string } | undefined;
}

async function redriveObject(key: PassKey, { passObject }: Backend): Promise<RedrivenPass | undefined> {
  const pass = await passObject(key).redrive();
  return pass && { key, ...pass };
}

async function retryAll(passes: readonly RedrivenPass[], backend: Backend): Promise<void> {
  const bySigner = Map.groupBy(passes, ({ signer }) => signer);
  await Promise.all([...bySigner].map(([signer, group]) => retrySteps(signer, group, backend)));
  const messages = passes.map(({ key }) => ({ pass: key }));
  // If the messages are lost, the alarms of the passes soon do the same.
  await trySendProcessPasses(backend.queue, messages);
}

/** Makes a signer retry these steps now. A signer that cannot be reached retries them later by itself. */
async function retrySteps(
  signer: SignerName,
  passes: readonly RedrivenPass[],
  { signerObject }: Backend,
): Promise<void> {
  const steps = passes.flatMap(({ key: { gatekeeperNetwork }, step }) =>
    step === undefined ? [] : { id: step.id, gatekeeperNetwork },
  );
  if (steps.length > 0) await reachObject(async () => signerObject(signer).retryNow(steps), 'signer', signer);
}

/** Maximum size of one `sendBatch` of the queue, and number of batches per request. */
const BATCH_MAX_LETTERS = 100;
const REQUEST_MAX_BATCHES = 5;

/** Sends one dead letter again. Refuses if no letter has this id, or if the queue accepts nothing. */
async function redriveDeadLetter(id: string, backend: Backend): Promise<Reply | Refusal> {
  const letter = await backend.store.findDeadLetter(id);
  if (letter === undefined)
    return refuse('not_found', { detail: 'No dead letter has this id. GET /admin/dead-letters lists the ids.' });
  const redriven = await resendDeadLetters([letter], backend);
  return redriven === undefined ? refuseUnavailable() : accepted(redriven, false);
}

/** Sends the dead letters again, newest first. Letters that were too large to keep stay in the list for the operator. */
async function redriveDeadLetters(backend: Backend): Promise<Reply | Refusal> {
  let redriven = 0;
  let after: DeadLetter | undefined;
  for (let batch = 0; batch < REQUEST_MAX_BATCHES; batch += 1) {
    const letters = await backend.store.findDeadLetters({ limit: BATCH_MAX_LETTERS, after });
    const resent = await resendDeadLetters(letters, backend);
    if (resent === undefined) return redriven === 0 ? refuseUnavailable() : accepted(redriven, true);
    redriven += resent;
    if (letters.length < BATCH_MAX_LETTERS) return accepted(redriven, false);
    after = letters.at(-1);
  }
  return accepted(redriven, true);
}

/** Sends the letters, then removes them: an interruption may repeat a letter, but loses none. Undefined if the queue refuses. */
async function resendDeadLetters(
  letters: readonly DeadLetter[],
  { store, queue }: Backend,
): Promise<number | undefined> {
  const whole = letters.filter(({ body }) => body !== undefined);
  const ids = whole.map(({ id }) => id);
  try {
    await resendMessages(
      queue,
      whole.map(({ body }) => body as string),
    );
  } catch (fault) {
    logFault('queue.send_failed', fault, { messages: ids.length });
    return undefined;
  }
  await store.removeDeadLetters(ids);
  return ids.length;
}

export const waitingWorkRoutes = [listStuckPasses, redrive, ...endingRoutes, listDeadLetters];
