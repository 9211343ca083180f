import { logFault } from '../log/log.ts';
import { readLook, sendLooks } from '../message/look.ts';
import { type PassKey, passName, type StepMark } from '../pass/pass.ts';
import { type Answer, isOver, type Step } from '../pass/step.ts';
import type { Recorded, Taken } from '../pass-object/pass-object.ts';
import { projectPasses } from '../store/passes.ts';

type Looked = Taken & { readonly key: PassKey };

/**
 * One queue batch: every pass says what is next, its signer does it, the pass records the answer, the read model
 * follows. Once its pass object is reached a message is acknowledged, whatever happens after: the object's alarm
 * watches over the rest.
 */
export async function settle(batch: MessageBatch, env: Env): Promise<void> {
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
    const taken = await env.PASSES.getByName(passName(key)).take();
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
    const steps = looks.flatMap(({ step }) => step ?? []);
    const answers = steps.length === 0 ? [] : await signer.submit(steps);
    const records = (
      await Promise.all(answers.map((answer, index) => record(answer, steps[index] as Step, env)))
    ).filter((recorded) => recorded !== undefined);

    const idle = looks.filter(({ step }) => step === undefined);
    await projectPasses(
      env.DB,
      [...records, ...idle].map(({ projection }) => projection),
    );
    const heard: StepMark[] = [
      ...records.flatMap(({ answer }) => (isOver(answer) ? [{ id: answer.step, revision: answer.revision }] : [])),
      ...idle.flatMap(({ ended }) => ended ?? []),
    ];
    if (heard.length > 0) await signer.acknowledge(heard);
    const due = records.filter(({ more }) => more).map(({ projection }) => projection.key);
    if (due.length > 0) await sendLooks(env.LOOKS, due);
  } catch (fault) {
    logFault('settle', fault, { signer: signerName, passes: looks.length });
  }
}

/** Undefined when the pass could not be reached: the others of the batch go on, its alarm asks again. */
async function record(answer: Answer, { key }: Step, env: Env): Promise<(Recorded & { answer: Answer }) | undefined> {
  try {
    const recorded = await env.PASSES.getByName(passName(key)).record(answer);
    return recorded && { ...recorded, answer };
  } catch (fault) {
    logFault('pass-unreachable', fault, { step: answer.step });
    return undefined;
  }
}
