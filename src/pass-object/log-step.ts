import { configOf } from '../config/parse-config.ts';
import type { Milliseconds } from '../lib/units.ts';
import { log, logSampled } from '../log/log.ts';
import type { Pass } from '../pass/pass.ts';
import type { Answer } from '../pass/step.ts';

/**
 * Logs a status of a step, with the milliseconds since the newest step was pinned.
 * @param before The pass before it recorded the answer.
 */
export function logStep(before: Pass, { step, status }: Answer, pinnedAt: Milliseconds | undefined, env: Env): void {
  // The record does not show waiting steps.
  if (status.type === 'waiting') return;
  const { id, key } = before;
  const kind = [before.step, ...(before.past ?? [])].find((each) => each?.id === step)?.kind;
  const transaction = 'transaction' in status ? status.transaction : undefined;
  const reason = 'reason' in status ? status.reason : undefined;
  const durationMs = pinnedAt === undefined ? undefined : Date.now() - pinnedAt;
  const facts = { pass: id, step, network: key.network, kind, transaction, reason, since_pinned_ms: durationMs };
  const event = `pass.step_${status.type}` as const;
  const wentWell = status.type === 'sent' || status.type === 'confirmed';
  if (wentWell) logSampled(event, id, shareOf(env), facts);
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
