import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type ProcessPass, parseProcessPass, sendProcessPasses } from '../message/process-pass.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import { type Answer, isOutcome, passIdOf, type Submission } from '../pass/step.ts';
import type { RecordResult } from '../pass-object/pass-object.ts';
import type { SignerObject } from '../signer-object/signer-object.ts';
import { type Publication, publishToShards } from '../store/passes.ts';

/** How long a batch waits for one of its passes: that one comes again, and keeps no others waiting. */
const PASS_TIMEOUT_MS = 3_000;
const HANGS = Symbol('hangs');

/** A pass of a batch, and what its signer is to be asked. */
export interface PassWork {
  readonly key: PassKey;
  readonly signer: string;
  readonly submission: Submission;
  /** The pass as it was taken; undefined when only its signer is asked for news. */
  readonly publication?: Publication;
}

type RecordedPass = RecordResult & { readonly answers: readonly Answer[] };

/**
 * The passes of a queue batch, each of which has said what is next. Where a signer has news of a pass, it is that which is
 * asked. Once its pass object is reached a message is acknowledged, whatever happens after: the object's alarm watches over
 * the rest.
 */
export async function claimPasses(messages: readonly Message[], env: Env): Promise<PassWork[]> {
  return dropRepeated(await Promise.all(messages.map((message) => claimPass(message, env))));
}

/** The signers do what is next, the passes record their answers, the read model follows. Never throws. */
export async function processPasses(looks: readonly PassWork[], env: Env): Promise<void> {
  const bySigner = Map.groupBy(looks, ({ signer }) => signer);
  await Promise.all([...bySigner].map(([signer, group]) => processWithSigner(signer, group, env)));
}

async function claimPass(message: Message, env: Env): Promise<PassWork | undefined> {
  const look = parseProcessPass(message.body);
  if (look === undefined) {
    // It will never be readable: the dead-letter queue keeps it for a person to see.
    logFault('message-unreadable', 'not a message of this service', { message: message.id });
    message.retry();
    return undefined;
  }
  const { pass: key, news } = look;
  if (news === undefined) return pinStep(key, message, env);
  // The signer tells it again until it is heard.
  message.ack();
  return { key, signer: news.signer, submission: { pass: news.id } };
}

async function pinStep(key: ProcessPass['pass'], message: Message, env: Env): Promise<PassWork | undefined> {
  try {
    const taken = await answerInTime(env.PASSES.getByName(passName(key)).pinStep());
    message.ack();
    if (taken === undefined) return undefined;
    const { signer, publication, step, vanished } = taken;
    return { key, signer, publication, submission: { pass: publication.id, step, vanished } };
  } catch (fault) {
    logFault('pass-unreachable', fault, { message: message.id });
    message.retry();
    return undefined;
  }
}

async function answerInTime<T>(answer: Promise<T>): Promise<T> {
  const come = await withTimeout(PASS_TIMEOUT_MS, answer, HANGS);
  if (come === HANGS) throw new Error('it does not answer');
  return come;
}

/** The same pass may be in a batch several times: who took its step asks for its news as well. */
function dropRepeated(looks: readonly (PassWork | undefined)[]): PassWork[] {
  const all = looks.filter((look) => look !== undefined);
  const ordered = [...all.filter(({ publication }) => !publication), ...all.filter(({ publication }) => publication)];
  return [...new Map(ordered.map((look) => [passName(look.key), look])).values()];
}

async function processWithSigner(signerName: string, looks: readonly PassWork[], env: Env): Promise<void> {
  try {
    const signer = env.SIGNERS.getByName(signerName);
    const answers = await signer.submit(looks.map(({ submission }) => submission));
    const byPass = Map.groupBy(answers, ({ step }) => passIdOf(step));
    const heard = (
      await Promise.all(looks.map((look) => recordAnswers(byPass.get(look.submission.pass) ?? [], look, env)))
    ).filter((recorded) => recorded !== undefined);
    // The next steps do not wait for the read model; the outcomes are heard once it has them.
    const due = heard.filter(({ needsStep }) => needsStep).map(({ publication }) => ({ pass: publication.key }));
    if (due.length > 0) await sendProcessPasses(env.LOOKS, due).catch((fault) => logFault('settle', fault));
    const byShard = Map.groupBy(heard, ({ publication }) => publication.shard);
    const works = await Promise.allSettled(
      [...byShard.values()].map((group) => publishAndAcknowledge(group, signer, env)),
    );
    for (const work of works) if (work.status === 'rejected') throw work.reason;
  } catch (fault) {
    logFault('settle', fault, { signer: signerName, passes: looks.length });
  }
}

/** Passes of one database: where another one does not answer, these are heard all the same. */
async function publishAndAcknowledge(
  heard: readonly RecordedPass[],
  signer: DurableObjectStub<SignerObject>,
  env: Env,
): Promise<void> {
  await publishToShards(
    env,
    heard.map(({ publication }) => publication),
  );
  const outcomes = heard.flatMap(({ answers }) => answers.filter(isOutcome));
  const marks = outcomes.map(({ step: id, revision }) => ({ id, revision }));
  await Promise.all([markPublished(heard, env), marks.length > 0 ? signer.acknowledge(marks) : undefined]);
}

/** Undefined when there is nothing to record, or the pass could not be reached: then its alarm asks again. */
async function recordAnswers(
  answers: readonly Answer[],
  { key, submission, publication }: PassWork,
  env: Env,
): Promise<RecordedPass | undefined> {
  if (answers.length === 0) return publication && { publication, needsStep: false, isSettled: false, answers };
  try {
    const recorded = await answerInTime(env.PASSES.getByName(passName(key)).recordAnswers(answers));
    return recorded && { ...recorded, answers };
  } catch (fault) {
    logFault('pass-unreachable', fault, { pass: submission.pass });
    return undefined;
  }
}

/** Settled, and the read model has it: nothing needs to look after these passes. Who does not hear it does so once more. */
async function markPublished(heard: readonly RecordedPass[], env: Env): Promise<void> {
  const settled = heard.filter(({ isSettled }) => isSettled).map(({ publication }) => publication);
  const rests = settled.map(({ key, version }) => env.PASSES.getByName(passName(key)).markPublished(version));
  await Promise.allSettled(rests);
}
