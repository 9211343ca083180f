import { within } from '../lib/within.ts';
import { logFault } from '../log/log.ts';
import { readLook, sendLooks } from '../message/look.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import { type Answer, isOutcome, passOf } from '../pass/step.ts';
import type { Recorded, Taken } from '../pass-object/pass-object.ts';
import { projectPasses } from '../store/passes.ts';

/** How long a batch waits for one of its passes: that one comes again, and keeps no others waiting. */
const PATIENCE_MS = 3_000;
const HANGS = Symbol('hangs');

type Looked = Taken & { readonly key: PassKey };

/**
 * One queue batch: every pass says what is next, its signer does it, the pass records the answer, the read model
 * follows. Once its pass object is reached a message is acknowledged, whatever happens after: the object's alarm
 * watches over the rest.
 */
export async function settle(batch: Pick<MessageBatch, 'messages'>, env: Env): Promise<void> {
  const looks = await Promise.all(batch.messages.map((message) => take(message, env)));
  const bySigner = Map.groupBy(unique(looks), ({ signer }) => signer);
  await Promise.all([...bySigner].map(([signer, group]) => settleWith(signer, group, env)));
}

async function take(message: Message, env: Env): Promise<Looked | undefined> {
  const key = readLook(message.body);
  if (key === undefined) {
    // It will never be readable: the dead-letter queue keeps it for a person to see.
    logFault('message-unreadable', 'not a message of this service', { message: message.id });
    message.retry();
    return undefined;
  }
  try {
    const taken = await within(PATIENCE_MS, env.PASSES.getByName(passName(key)).take(), HANGS);
    if (taken === HANGS) throw new Error('it does not answer');
    message.ack();
    return taken && { ...taken, key };
  } catch (fault) {
    logFault('pass-unreachable', fault, { message: message.id });
    message.retry();
    return undefined;
  }
}

/** The same pass may be in a batch several times. */
function unique(looks: readonly (Looked | undefined)[]): Looked[] {
  return [...new Map(looks.flatMap((look) => (look ? [[passName(look.key), look]] : []))).values()];
}

async function settleWith(signerName: string, looks: readonly Looked[], env: Env): Promise<void> {
  try {
    const signer = env.SIGNERS.getByName(signerName);
    const inquiries = looks.map(({ projection: { id: pass }, step, vanished }) => ({ pass, step, vanished }));
    const answers = await signer.submit(inquiries);
    const byPass = Map.groupBy(answers, ({ step }) => passOf(step));
    const records = (
      await Promise.all(looks.map((look) => record(byPass.get(look.projection.id) ?? [], look, env)))
    ).filter((recorded) => recorded !== undefined);
    // The next steps do not wait for the read model; the outcomes are heard once it has them.
    const due = records.filter(({ more }) => more).map(({ projection }) => projection.key);
    if (due.length > 0) await sendLooks(env.LOOKS, due).catch((fault) => logFault('settle', fault));
    await projectPasses(
      env.DB,
      records.map(({ projection }) => projection),
    );
    const heard = records.flatMap(({ answers }) => answers.filter(isOutcome));
    if (heard.length > 0) await signer.acknowledge(heard.map(({ step: id, revision }) => ({ id, revision })));
  } catch (fault) {
    logFault('settle', fault, { signer: signerName, passes: looks.length });
  }
}

/** Undefined when the pass could not be reached: the others of the batch go on, its alarm asks again. */
async function record(
  answers: readonly Answer[],
  { key, projection }: Looked,
  env: Env,
): Promise<(Recorded & { readonly answers: readonly Answer[] }) | undefined> {
  if (answers.length === 0) return { projection, more: false, answers };
  try {
    const recorded = await env.PASSES.getByName(passName(key)).record(answers);
    return recorded && { ...recorded, answers };
  } catch (fault) {
    logFault('pass-unreachable', fault, { pass: projection.id });
    return undefined;
  }
}
