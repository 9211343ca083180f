import { configOf } from '../config/parse-config.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { log, logSuccess } from '../log/log.ts';
import type { Pass } from '../pass/pass.ts';
import { recordAnswer } from '../pass/record-answer.ts';
import type { Answer } from '../pass/step.ts';
import type { StepKind } from '../pass/task.ts';

/**
 * Returns the pass after the answers of its signer, and logs each status of a step that shows in the record. An old answer
 * changes nothing.
 * @param takenAt When the newest step was pinned, in milliseconds.
 */
export function recordAnswers(
  pass: Pass,
  answers: readonly Answer[],
  now: UnixSeconds,
  takenAt: Milliseconds | undefined,
  env: Env,
): Pass {
  return answers.reduce((before, answer) => {
    const after = recordAnswer(before, answer, now);
    const kind = [before.step, ...(before.past ?? [])].find((each) => each?.id === answer.step)?.kind;
    if (after.version !== before.version) logStep(after, answer, kind, takenAt, env);
    return after;
  }, pass);
}

/** Logs a status of a step, with the milliseconds since the step was pinned. */
export function logStep(
  { id, key }: Pass,
  { step, status }: Answer,
  kind: StepKind | undefined,
  takenAt: Milliseconds | undefined,
  env: Env,
): void {
  const transaction = 'transaction' in status ? status.transaction : undefined;
  const reason = 'reason' in status ? status.reason : undefined;
  const ms = takenAt === undefined ? undefined : Date.now() - takenAt;
  const facts = { pass: id, step, network: key.network, kind, outcome: status.type, transaction, reason, ms };
  const wentWell = status.type === 'sent' || status.type === 'confirmed';
  if (wentWell) logSuccess('step', id, shareOf(env), facts);
  else log('step', facts);
}

function shareOf(env: Env): number {
  try {
    return configOf(env).logSuccesses;
  } catch {
    // A broken configuration is reported where requests are served.
    return 1;
  }
}
