import { logFault } from '../log/log.ts';
import { resendMessages } from '../message/dead-letter.ts';
import { type DeadLetter, findDeadLetter, findDeadLetters, removeDeadLetters } from '../store/dead-letters.ts';
import { type Refusal, refuse } from './protocol/problem.ts';
import { refuseUnavailable } from './protocol/unavailable.ts';
import type { RedriveResult } from './redrive-passes.ts';

/** What the queue takes at once, and how often that is done in one request. */
const BATCH = 100;
const BATCHES = 5;

/** Sends a message once more that was given up. */
export async function redriveDeadLetter(id: string, env: Env): Promise<RedriveResult | Refusal> {
  const letter = await findDeadLetter(env.DB, id);
  if (letter === undefined) return refuse('not_found', { detail: 'There is no such dead letter.' });
  const redriven = await resendDeadLetters([letter], env);
  return redriven === undefined ? refuseUnavailable() : { redriven, more: false };
}

/** The newest first. Those that were too large to be kept stay, for a person to see. */
export async function redriveDeadLetters(env: Env): Promise<RedriveResult | Refusal> {
  let redriven = 0;
  let after: DeadLetter | undefined;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const letters = await findDeadLetters(env.DB, { limit: BATCH, after });
    const sent = await resendDeadLetters(letters, env);
    if (sent === undefined) return redriven === 0 ? refuseUnavailable() : { redriven, more: true };
    redriven += sent;
    if (letters.length < BATCH) return { redriven, more: false };
    after = letters.at(-1);
  }
  return { redriven, more: true };
}

/** First sent, then removed: what is interrupted here is sent twice, never lost. Undefined: the queue takes nothing. */
async function resendDeadLetters(letters: readonly DeadLetter[], env: Env): Promise<number | undefined> {
  const whole = letters.filter(({ body }) => body !== undefined);
  const bodies = whole.map(({ body }) => body as string);
  const ids = whole.map(({ id }) => id);
  try {
    await resendMessages(env.LOOKS, bodies);
  } catch (fault) {
    logFault('redrive', fault, { letters: ids.length });
    return undefined;
  }
  await removeDeadLetters(env.DB, ids);
  return ids.length;
}
