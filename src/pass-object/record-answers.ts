import { configOf } from '../config/parse-config.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import { log, logSuccess } from '../log/log.ts';
import { collectFeedEvents } from '../pass/feed-events.ts';
import type { Pass } from '../pass/pass.ts';
import { recordAnswer } from '../pass/record-answer.ts';
import type { Answer } from '../pass/step.ts';
import type { StepKind } from '../pass/step-kinds.ts';

/**
 * Returns the pass after the answers of its signer, and logs each status that changes the record. An old answer
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
    // Each feed event has the record of its own time, so the next answer must not change it first.
    const after = collectFeedEvents(before, recordAnswer(before, answer, now));
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
  // The record does not show waiting steps.
  if (status.type === 'waiting') return;
  const transaction = 'transaction' in status ? status.transaction : undefined;
  const reason = 'reason' in status ? status.reason : undefined;
  const durationMs = takenAt === undefined ? undefined : Date.now() - takenAt;
  const facts = { pass: id, step, network: key.network, kind, transaction, reason, since_pinned_ms: durationMs };
  const event = `pass.step_${status.type}` as const;
  const wentWell = status.type === 'sent' || status.type === 'confirmed';
  if (wentWell) logSuccess(event, id, shareOf(env), facts);
  else log(event, facts);
}

function shareOf(env: Env): number {
  try {
    return configOf(env).logSuccesses;
  } catch {
    // Requests report a broken configuration.
    return 1;
  }
}
