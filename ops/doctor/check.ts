import { styleText } from 'node:util';
import { printable } from '../../packages/cli/src/printable.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { withTimeout } from '../../src/lib/with-timeout.ts';
import { Failure } from '../../terminal/failure.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';

/**
 * The result of a check:
 * - `ok`
 * - `failed`, with a remedy
 * - `skipped`: the check was not possible
 * - `notice`: the finding may be intended, and only the operator can judge it
 */
export type Verdict =
  | { readonly type: 'ok'; readonly note: string }
  | { readonly type: 'failed'; readonly why: string; readonly remedy: string }
  | { readonly type: 'skipped'; readonly why: string }
  | { readonly type: 'notice'; readonly note: string };

/** A completed check: one line of the doctor's output. */
export interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
}

export const ok = (note: string): Verdict => ({ type: 'ok', note });
export const fail = (why: string, remedy: string): Verdict => ({ type: 'failed', why, remedy });
export const skip = (why: string): Verdict => ({ type: 'skipped', why });
export const notice = (note: string): Verdict => ({ type: 'notice', note });

/** Longer than the ten seconds that the Worker waits for a node. */
const CHECK_TIMEOUT_MS = 15_000;

/** Runs a check and returns its finding. It catches errors and ends at the timeout, so that no check disturbs another. */
export async function check(
  name: string,
  work: () => Verdict | Promise<Verdict>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Finding> {
  const late = fail(
    `no answer within ${timeoutMs / 1000} seconds`,
    'see whether it answers other clients, and try again',
  );
  const made = Promise.resolve().then(work).catch(verdictOf);
  return { name, verdict: await withTimeout(timeoutMs, made, late) };
}

/** Names only the kind of an unexpected error, because its message may quote an endpoint. */
function verdictOf(fault: unknown): Verdict {
  if (fault instanceof RpcFault) return skip(`the nodes do not answer (${nodeErrorIn(fault)}): see the endpoints`);
  if (fault instanceof Failure) return fail(fault.message, 'correct it, and try again');
  const kind = fault instanceof Error ? fault.name : typeof fault;
  return fail(`the check itself failed (${kind})`, 'try again; if it fails again, report a bug of the doctor');
}

const LABELS = {
  ok: ['green', 'ok'],
  failed: ['red', 'FAIL'],
  skipped: ['dim', '--'],
  notice: ['dim', '--'],
} as const;

/** Returns the line that the doctor prints, in color if the terminal supports it. */
export function lineOf({ name, verdict }: Finding): string {
  const [colour, word] = LABELS[verdict.type];
  return `${styleText(colour, word.padEnd(4))}  ${printable(`${name}: ${textOf(verdict)}`)}`;
}

function textOf(verdict: Verdict): string {
  switch (verdict.type) {
    case 'ok':
    case 'notice':
      return verdict.note;
    case 'failed':
      return `${verdict.why} -> ${verdict.remedy}`;
    case 'skipped':
      return `not checked: ${verdict.why}`;
  }
}

/** Returns the last line: the number of findings of each type. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (type: Verdict['type']) => findings.filter(({ verdict }) => verdict.type === type).length;
  const left = count('notice') > 0 ? `, ${count('notice')} for you to judge` : '';
  return `${count('ok')} ok, ${count('failed')} failed, ${count('skipped')} not checked${left}`;
}
