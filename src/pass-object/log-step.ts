import { configOf } from '../config/parse-config.ts';
import { log, logSuccess } from '../log/log.ts';
import type { Pass } from '../pass/pass.ts';
import type { Answer } from '../pass/step.ts';
import type { StepKind } from '../pass/task.ts';

/** One line for every standing of a step that shows in the record; milliseconds since the step was taken. */
export function logStep(
  { id, key }: Pass,
  { step, status }: Answer,
  kind: StepKind | undefined,
  takenAt: number | undefined,
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
