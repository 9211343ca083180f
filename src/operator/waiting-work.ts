import type { Config } from '../config/config.ts';
import { type Refusal, refuse, refuseUnavailable } from '../http/protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../http/protocol/reply.ts';
import { adminRoute } from '../http/route.ts';
import { type Cursor, formatCursor } from '../lib/cursor.ts';
import { nowSeconds } from '../lib/time.ts';
import { logFault } from '../log/log.ts';
import { callObject, reachObject } from '../message/call-object.ts';
import { resendMessages, trySendProcessPasses } from '../message/queue.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import { progress, remedyOf, type StuckReason } from '../pass/wait-reasons.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Unsettled } from '../store/unsettled.ts';
import { passKeyOf, readReasons } from './passes.ts';
import { PageQuery, type PassNames, RedriveBody, StuckQuery } from './requests.ts';
import { endingRoutes } from './waiting-steps.ts';

const redrive = adminRoute({
  operationId: 'redrive',
  method: 'POST',
  path: '/admin/redrive',
  right: 'act',
  action: 'operator.redrive',
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, ...backend }) {
    if (pass !== undefined) return redriveOne(pass, config, backend);
    if (all !== undefined) return accepted(await redriveStuck({ olderThanSeconds: olderThan, after }, backend));
    const redriven =
      deadLetter === undefined ? await redriveDeadLetters(backend) : await redriveDeadLetter(deadLetter, backend);
    if (redriven === 'not-found')
      return refuse('not_found', { detail: 'No dead letter has this id. GET /admin/dead-letters lists the ids.' });
    return redriven === 'queue-unavailable' ? refuseUnavailable() : accepted(redriven);
  },
});

async function redriveOne(names: PassNames, config: Config, backend: Backend): Promise<Reply | Refusal> {
  const key = passKeyOf(names, '/pass', config);
  if (isRefusal(key)) return key;
  const redriven = await redrivePass(key, backend);
  return redriven === undefined ? refuse('pass_not_found') : accepted(redriven);
}

const accepted = (redriven: RedriveResult) => reply(202, JSON.stringify(redriven));

const listDeadLetters = adminRoute({
  operationId: 'listDeadLetters',
  method: 'GET',
  path: '/admin/dead-letters',
  right: 'read',
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
  operationId: 'listStuckPasses',
  method: 'GET',
  path: '/admin/stuck',
  right: 'read',
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
    return reply(200, JSON.stringify({ stuck: stuck.map((each) => stuckJson(each, reasons)), next, unreadShards }));
  },
});

interface InspectedPass {
  readonly row: Unsettled;
  readonly inspection: Inspection | undefined;
}

async function inspectPass(row: Unsettled, { passObject }: Backend): Promise<InspectedPass> {
  return { row, inspection: await callObject(async () => passObject(row.key).inspect(), 'pass', row.id) };
}

function stuckJson({ row, inspection }: InspectedPass, reasons: ReadonlyMap<string, StuckReason>) {
  const { gatekeeperNetwork, chain, network, wallet } = row.key;
  const { code, text, remedy } =
    inspection === undefined ? progress('object-unreachable') : (reasons.get(row.id) ?? progress('not-begun'));
  return {
    pass: { id: row.id, gatekeeperNetwork, chain: { type: chain, network }, walletAddress: wallet },
    since: row.since,
    step: inspection?.step && { id: inspection.step.id, kind: inspection.step.kind },
    tries: inspection?.tries,
    code,
    reason: text,
    remedy: remedy ?? remedyOf(code),
  };
}

export const waitingWorkRoutes = [listStuckPasses, redrive, ...endingRoutes, listDeadLetters];

/** The number of passes or messages that a request retries. */
interface RedriveResult {
  readonly redriven: number;
  /** Whether another request can retry more. */
  readonly more: boolean;
  /** Position after which the next request continues. */
  readonly next?: string | undefined;
}

const REQUEST_MAX_PASSES = 500;

/**
 * Retries a pass now; undefined if there is no such pass. Nothing is ever done twice: steps are pinned, and their signer adds
 * each of them once.
 */
async function redrivePass(key: PassKey, backend: Backend): Promise<RedriveResult | undefined> {
  const pass = await redriveObject(key, backend);
  if (pass === undefined) return undefined;
  await retryAll([pass], backend);
  return { redriven: 1, more: false };
}

/** Retries the passes that have been unsettled for longer than `olderThanSeconds`, oldest first. */
async function redriveStuck(
  { olderThanSeconds, after }: { olderThanSeconds: number; after?: Cursor | undefined },
  backend: Backend,
): Promise<RedriveResult> {
  const before = nowSeconds() - olderThanSeconds;
  const { passes: stuck, unread } = await backend.store.findUnsettled({ before, limit: REQUEST_MAX_PASSES, after });
  if (unread.length > 0) logFault('database.unread', 'databases do not answer', { databases: unread.join() });
  // An object that cannot be reached does not keep the others from it.
  const redriven = await Promise.all(
    stuck.map(({ key, id }) => reachObject(() => redriveObject(key, backend), 'pass', id)),
  );
  const passes = redriven.filter((pass) => pass !== undefined);
  await retryAll(passes, backend);
  const last = stuck.length === REQUEST_MAX_PASSES ? stuck.at(-1) : undefined;
  const next = last && formatCursor({ at: last.since, id: last.id });
  return { redriven: passes.length, more: next !== undefined, next };
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
async function redriveDeadLetter(
  id: string,
  backend: Backend,
): Promise<RedriveResult | 'not-found' | 'queue-unavailable'> {
  const letter = await backend.store.findDeadLetter(id);
  if (letter === undefined) return 'not-found';
  const redriven = await resendDeadLetters([letter], backend);
  return redriven === undefined ? 'queue-unavailable' : { redriven, more: false };
}

/** Sends the dead letters again, newest first. Letters that were too large to keep stay in the list for the operator. */
async function redriveDeadLetters(backend: Backend): Promise<RedriveResult | 'queue-unavailable'> {
  let redriven = 0;
  let after: DeadLetter | undefined;
  for (let batch = 0; batch < REQUEST_MAX_BATCHES; batch += 1) {
    const letters = await backend.store.findDeadLetters({ limit: BATCH_MAX_LETTERS, after });
    const resent = await resendDeadLetters(letters, backend);
    if (resent === undefined) return redriven === 0 ? 'queue-unavailable' : { redriven, more: true };
    redriven += resent;
    if (letters.length < BATCH_MAX_LETTERS) return { redriven, more: false };
    after = letters.at(-1);
  }
  return { redriven, more: true };
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
