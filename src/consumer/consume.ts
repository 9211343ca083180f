import { waitUntil } from 'cloudflare:workers';
import { countSettlement, sendCounts, time } from '../counts/counts.ts';
import { MINUTE_MS, type Milliseconds, nowSeconds, SECOND_MS } from '../lib/units.ts';
import { withinTogether, withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { parseProcessPass, parseReconcile, trySendProcessPasses } from '../message/queue.ts';
import type { SignerName } from '../network/network.ts';
import { type Backend, openBackend, storeListeners } from '../operations/backend.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import { type Answer, isOutcome, passIdOf, type Submission } from '../pass/step.ts';
import type { PinResult, RecordResult } from '../pass-object/results.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import { openStore, type Store } from '../store/store.ts';

/** Maximum number of batches that an isolate continues in the background. Any other batch keeps its place in the queue. */
const MAX_BATCHES_ASIDE = 8;
/** The platform may end background work without notice, so a batch that takes longer than this no longer counts. */
const ASIDE_MAX_MS = MINUTE_MS;
/** When each batch was set aside, by a key that is unique to the batch. */
const batchesAside = new Map<symbol, Milliseconds>();

/** Counts the time of each message from its sending until this delivery. */
function timeInQueue({ queue, messages }: MessageBatch): void {
  const kind = queue.endsWith('-dead') ? 'dead' : queue.endsWith('-bulk-passes') ? 'bulk' : 'single';
  for (const { timestamp } of messages) time('queueSeconds', [kind], (Date.now() - timestamp.getTime()) / SECOND_MS);
}

/** Handles one batch of a queue: dead letters, passes to process, slices of the reconciliation. */
export async function consume(batch: MessageBatch, env: Env): Promise<void> {
  timeInQueue(batch);
  try {
    await consumeBatch(batch, env);
  } finally {
    sendCounts(env);
  }
}

async function consumeBatch(batch: MessageBatch, env: Env): Promise<void> {
  const backend = openBackend(env, openStore(env, storeListeners(env)), withinTogether());
  if (batch.queue.endsWith('-dead')) return storeDeadLetterBatch(batch, backend.store);
  const isSlice = ({ body }: Message) => parseReconcile(body) !== undefined;
  const slices = batch.messages.filter(isSlice);
  const passes = batch.messages.filter((message) => !isSlice(message));
  // Bulk requests keep their place in the queue until they are done: batches in the background are for waiting users.
  if (batch.queue.endsWith('-bulk-passes')) return processPasses(await claimPasses(passes, backend), backend);
  await Promise.all([claimAndProcess(passes, env, backend), reconcileSlices(slices, env, backend)]);
}

async function reconcileSlices(slices: readonly Message[], env: Env, backend: Backend): Promise<void> {
  if (slices.length === 0) return;
  const { reconcile } = await import('./reconcile.ts');
  await reconcile(slices, env, backend);
}

/**
 * Claims the passes of a batch and processes them in the background. The queue may deliver the next batch meanwhile, because
 * signers mostly wait for their nodes, and they sign and send together the steps that arrive together. A claimed message is
 * acknowledged or will be delivered again.
 */
async function claimAndProcess(messages: readonly Message[], env: Env, backend: Backend): Promise<void> {
  const work = processPasses(await claimPasses(messages, backend), backend);
  const now = Date.now();
  for (const [batch, since] of batchesAside) if (now - since >= ASIDE_MAX_MS) batchesAside.delete(batch);
  if (batchesAside.size >= MAX_BATCHES_ASIDE) return work;
  const batch = Symbol('batch');
  batchesAside.set(batch, now);
  waitUntil(
    work.finally(() => {
      batchesAside.delete(batch);
      sendCounts(env);
    }),
  );
}

/** Maximum size of a stored body as JSON. One call can resend a hundred of them. The service's messages have a tenth of it. */
const BODY_MAX_BYTES = 2_048;

/**
 * Stores dead letters, so that the operator can see them and send them again. No work is lost with them, because the alarms
 * of the passes continue.
 */
async function storeDeadLetterBatch(batch: Pick<MessageBatch, 'messages'>, store: Store): Promise<void> {
  for (const { id, body } of batch.messages) {
    const pass = parseProcessPass(body)?.pass;
    logFault('queue.dead_letter', reasonOf(body), { message: id, pass: pass && { ...pass } });
  }
  try {
    await store.storeDeadLetters(batch.messages.map(deadLetterOf));
    for (const message of batch.messages) message.ack();
  } catch (fault) {
    logFault('queue.dead_letters_not_stored', fault, { messages: batch.messages.length });
    for (const message of batch.messages) message.retry();
  }
}

function deadLetterOf({ id, body }: Message): DeadLetter {
  const json = JSON.stringify(body) ?? 'null';
  const isKept = new TextEncoder().encode(json).length <= BODY_MAX_BYTES;
  const at = nowSeconds();
  return { id, at, reason: reasonOf(body), ...(isKept && { body: json }) };
}

function reasonOf(body: unknown): string {
  if (parseProcessPass(body) !== undefined) return 'its pass object could not be reached';
  return parseReconcile(body) === undefined ? 'unreadable' : 'its slice could not be reconciled';
}

/** How long a batch waits for a pass object. Its message is then delivered again, so that it delays no other pass. */
const PASS_TIMEOUT_MS = 3_000;
/** How long a settled pass waits for its trail before it learns that it is published. Then its alarm appends its entries again. */
const TRAIL_WAIT_MS = SECOND_MS;

/** A pass of a batch, and the submission to its signer. */
interface PassWork {
  readonly key: PassKey;
  readonly signer: SignerName;
  readonly submission: Submission;
  /** The pass with its pinned step; undefined if the signer is only asked for outcomes. */
  readonly pinned?: PinResult;
}

/** Number of the newest entry that the trail of a pass has, by the id of the pass. */
type EntriesInTrail = ReadonlyMap<string, number>;

type RecordedPass = RecordResult & { readonly answers: readonly Answer[] };

/**
 * Asks each pass of a queue batch for its next step, except if a signer announced an outcome: then only the signer is asked.
 * A message is acknowledged once its pass object has answered, even if later work fails: the object's alarm guarantees the
 * rest.
 */
export async function claimPasses(messages: readonly Message[], backend: Backend): Promise<PassWork[]> {
  return dropRepeated(await Promise.all(messages.map((message) => claimPass(message, backend))));
}

/**
 * Submits the steps to their signers, records the answers, publishes, and acknowledges the outcomes. A pass that only needs to be
 * published is published even if their signer cannot answer. Never throws.
 */
export async function processPasses(passes: readonly PassWork[], backend: Backend): Promise<void> {
  const isDone = ({ pinned }: PassWork) => pinned?.isSettled && !pinned.isPublished;
  const bySigner = Map.groupBy(passes, (each) => (isDone(each) ? undefined : each.signer));
  await Promise.all([...bySigner].map(([signer, group]) => processGroup(signer, group, backend)));
}

async function claimPass(message: Message, backend: Backend): Promise<PassWork | undefined> {
  const request = parseProcessPass(message.body);
  if (request === undefined) {
    // It will never be readable. The dead-letter queue keeps it for the operator.
    logFault(
      'queue.message_unreadable',
      'the message has no format of this service: look for another producer of this queue',
      { message: message.id },
    );
    message.retry();
    return undefined;
  }
  const { pass: key, news } = request;
  if (news === undefined) return claimStep(key, message, backend);
  // Acknowledge the message now: the signer announces an outcome until the outcome itself is acknowledged.
  message.ack();
  return { key, signer: news.signer, submission: { pass: news.id } };
}

async function claimStep(
  key: PassKey,
  message: Message,
  { passObject, emergencyLists }: Backend,
): Promise<PassWork | undefined> {
  try {
    const pinned = await passObject(key, PASS_TIMEOUT_MS).pinStep(emergencyLists());
    message.ack();
    if (pinned === undefined) return undefined;
    const { signer, publication, step, vanished } = pinned;
    return { key, signer, pinned, submission: { pass: publication.id, step, vanished } };
  } catch (fault) {
    logFault('pass.unreachable', fault, { message: message.id });
    message.retry();
    return undefined;
  }
}

/** Returns each pass once. Work with a step also asks for outcomes, so it replaces work without a step. */
function dropRepeated(works: readonly (PassWork | undefined)[]): PassWork[] {
  const all = works.filter((work) => work !== undefined);
  const ordered = [...all.filter(({ pinned }) => !pinned), ...all.filter(({ pinned }) => pinned)];
  return [...new Map(ordered.map((work) => [passName(work.key), work])).values()];
}

/** @param signer Undefined: the passes only need to be published. */
async function processGroup(
  signer: SignerName | undefined,
  works: readonly PassWork[],
  backend: Backend,
): Promise<void> {
  try {
    const submissions = works.map(({ submission }) => submission);
    const submit = (name: SignerName) => backend.signerObject(name).submit(submissions, backend.emergencyLists());
    const answers = signer === undefined ? [] : await submit(signer);
    const byPass = Map.groupBy(answers, ({ step }) => passIdOf(step));
    const results = await Promise.all(
      works.map((work) => recordInObject(byPass.get(work.submission.pass) ?? [], work, backend)),
    );
    const recorded = results.filter((result) => result !== undefined);
    // The next steps do not wait for the read model. Outcomes are acknowledged once the read model has them.
    const due = recorded.filter(({ needsStep }) => needsStep).map(({ publication }) => ({ pass: publication.key }));
    await trySendProcessPasses(backend.queue, due);
    const inTrail = appendEntries(recorded, backend);
    const published = recorded.filter(({ isPublished }) => isPublished);
    await acknowledge(published, inTrail, signer, backend);
    const others = recorded.filter((each) => !published.includes(each));
    const byPublication = new Map(others.map((each) => [each.publication, each]));
    await backend.store.publishPasses([...byPublication.keys()], (batch) => {
      const passes = batch.flatMap((each) => byPublication.get(each) ?? []);
      return acknowledge(passes, inTrail, signer, backend);
    });
    await inTrail;
  } catch (fault) {
    logFault('queue.batch_failed', fault, { signer, passes: works.length });
  }
}

/**
 * Appends the entries of the passes that have settled, with one call for each trail, and returns what the trails have then. The alarm
 * of a pass that does not learn of its entries appends them again. Never throws.
 */
async function appendEntries(passes: readonly RecordedPass[], { auditTrail }: Backend): Promise<EntriesInTrail> {
  const inTrail = new Map<string, number>();
  const settled = passes.flatMap(({ publication: { id, key }, entriesToAppend: pending }) =>
    pending && pending.entries.length > 0 ? { id, trail: key.gatekeeperNetwork, ...pending } : [],
  );
  const append = async ([name, group]: [string, typeof settled]) => {
    try {
      await auditTrail(name).append(group.flatMap(({ entries }) => entries));
      for (const { id, last } of group) inTrail.set(id, last);
    } catch (fault) {
      logFault('audit.unavailable', fault, { trail: name, passes: group.length });
    }
  };
  await Promise.all([...Map.groupBy(settled, ({ trail }) => trail)].map(append));
  return inTrail;
}

/** Tells the settled passes and the signer that the read model has these passes. A pass that misses the call publishes once more. */
async function acknowledge(
  passes: readonly RecordedPass[],
  appending: Promise<EntriesInTrail>,
  signer: SignerName | undefined,
  { passObject, signerObject }: Backend,
): Promise<void> {
  const marks = passes
    .flatMap(({ answers }) => answers.filter(isOutcome))
    .map(({ step: id, revision }) => ({ id, revision }));
  const settled = passes.filter(({ isSettled }) => isSettled).map(({ publication }) => publication);
  const inTrail = settled.length === 0 ? undefined : withTimeout(TRAIL_WAIT_MS, appending, undefined);
  const notified = settled.map(async ({ id, key, version, eventsInFeed }) => {
    const entriesInTrail = (await inTrail)?.get(id) ?? 0;
    countSettlement(await passObject(key).markPublished({ version, eventsInFeed, entriesInTrail }));
  });
  await Promise.all([
    Promise.allSettled(notified),
    signer !== undefined && marks.length > 0 ? signerObject(signer).acknowledge(marks) : undefined,
  ]);
}

/** Records the answers in the pass object. Undefined if it could not be reached: its alarm then asks again. */
async function recordInObject(
  answers: readonly Answer[],
  { key, submission, pinned }: PassWork,
  { passObject }: Backend,
): Promise<RecordedPass | undefined> {
  // A settled pass that D1 has already knows it.
  if (answers.length === 0)
    return pinned && { ...pinned, isSettled: pinned.isSettled && !pinned.isPublished, needsStep: false, answers };
  try {
    const recorded = await passObject(key, PASS_TIMEOUT_MS).recordAnswers(answers);
    return recorded && { ...recorded, answers };
  } catch (fault) {
    logFault('pass.unreachable', fault, { pass: submission.pass });
    return undefined;
  }
}
