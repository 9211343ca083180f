import { styleText } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { withTimeout } from '../../src/lib/with-timeout.ts';

/**
 * What a check has found: in order, wrong with what puts it right, that it could not be made, or what may be meant so and may
 * not: only the operator can say.
 */
export type Verdict =
  | { readonly type: 'ok'; readonly note: string }
  | { readonly type: 'failed'; readonly why: string; readonly remedy: string }
  | { readonly type: 'skipped'; readonly why: string }
  | { readonly type: 'notice'; readonly note: string };

/** A check that was made: a line of what the doctor prints. */
export interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
}

export const ok = (note: string): Verdict => ({ type: 'ok', note });
export const fail = (why: string, remedy: string): Verdict => ({ type: 'failed', why, remedy });
export const skip = (why: string): Verdict => ({ type: 'skipped', why });
export const notice = (note: string): Verdict => ({ type: 'notice', note });

/** More than the ten seconds that the Worker waits for a node. */
const CHECK_TIMEOUT_MS = 15_000;

/** Makes a check. It always ends in time and with a verdict, so that no check spoils another. */
export async function check(
  name: string,
  work: () => Verdict | Promise<Verdict>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Finding> {
  const late = fail(`no answer within ${timeoutMs / 1000} seconds`, 'see whether it answers others, and try again');
  const made = Promise.resolve().then(work).catch(verdictOf);
  return { name, verdict: await withTimeout(timeoutMs, made, late) };
}

/** Names only the kind of an unexpected error, because its message may quote an endpoint. */
function verdictOf(fault: unknown): Verdict {
  if (fault instanceof RpcFault) return skip(`the nodes do not answer (${nodeErrorIn(fault)}): see the endpoints`);
  if (fault instanceof Failure) return fail(fault.message, 'put that right, and try again');
  const kind = fault instanceof Error ? fault.name : typeof fault;
  return fail(`the check itself failed (${kind})`, 'try again; if it stays so, it is a bug of the doctor');
}

/** The nodes' own part of what the Worker says when none has answered. */
export function nodeErrorIn({ message }: RpcFault): string {
  return message.replace(/^no endpoint answered: /, '');
}

const LABELS = {
  ok: ['green', 'ok'],
  failed: ['red', 'FAIL'],
  skipped: ['dim', '--'],
  notice: ['dim', '--'],
} as const;

/** One line; in colour where the terminal shows it. */
export function lineOf({ name, verdict }: Finding): string {
  const [colour, word] = LABELS[verdict.type];
  return `${styleText(colour, word.padEnd(4))}  ${name}: ${textOf(verdict)}`;
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

/** How many of each there are, for the last line. */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (type: Verdict['type']) => findings.filter(({ verdict }) => verdict.type === type).length;
  const left = count('notice') > 0 ? `, ${count('notice')} for you to judge` : '';
  return `${count('ok')} ok, ${count('failed')} failed, ${count('skipped')} not checked${left}`;
}
