import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../terminal/failure.ts';
import { print } from '../../terminal/print.ts';
import { CODE_UPDATE_MAX_MS } from '../deploy/code-update.ts';
import { type EmergencyList, lineOf } from './lists.ts';
import type { EmergencyService } from './service.ts';
import { describeUnconfirmed, type EffectiveLists, isOutdated } from './unconfirmed.ts';

/** How long an isolate may keep the lists of before. */
export const EFFECTIVE_WITHIN_MS = 60_000;
/** A signer that answers confirms with its first call. One that does not answer has the list once it restarts. */
export const SIGNERS_WITHIN_S = (CODE_UPDATE_MAX_MS + EFFECTIVE_WITHIN_MS) / 1000;

/** A list that a secret has now, and its number. */
export interface Change {
  readonly list: EmergencyList;
  readonly next: readonly string[];
  readonly number: number;
}

/**
 * Waits until the service answers with the new list, and until every signer has confirmed it. The question brings the list to each signer,
 * which obeys it at once, also with the variables of before. Throws Failure that names the signers which do not confirm.
 * @param from When the secret was set, as `performance.now()`.
 * @param waitSeconds How long to wait for the signers since then.
 * @param shownWithinMs How long to wait for the service since then.
 */
export async function awaitConfirmation(
  change: Change,
  service: Pick<EmergencyService, 'read'>,
  from: number,
  waitSeconds: number,
  shownWithinMs = EFFECTIVE_WITHIN_MS,
): Promise<void> {
  const { secret } = change.list;
  const since = () => `${Math.ceil((performance.now() - from) / 1000)} s after the command`;
  let answer = 'it did not answer';
  let isShown = false;
  let isReplaced = false;
  let isCrossed = false;
  let waiting: readonly string[] = [];
  const signersWithinMs = () =>
    Math.min(waitSeconds * 1000, isCrossed ? EFFECTIVE_WITHIN_MS : Number.POSITIVE_INFINITY);
  const until = () => from + (isShown ? signersWithinMs() : shownWithinMs);
  for (; performance.now() < until(); await sleep(500)) {
    const lists = await service.read().catch((fault: Failure) => fault);
    if (lists instanceof Error) answer = lists.message;
    else if (!hasChange(lists, change)) {
      answer = lineOf(change.list, lists[change.list.field]);
      isReplaced = (lists.emergencyNumber ?? 0) > change.number;
    } else {
      if (!isShown) print(`the service has it, ${since()}`);
      isShown = true;
      isCrossed = isOutdated(lists);
      const before = waiting;
      waiting = describeUnconfirmed(lists);
      if (waiting.length === 0) return print(`every signer has confirmed it, ${since()}`);
      for (const line of waiting) if (!before.includes(line)) print(`waiting: ${line}`);
    }
  }
  if (!isShown)
    throw new Failure(
      `${secret} is set, and the service did not show it within a minute (${answer}). ` +
        (isReplaced ? 'Another command has replaced it: run the command again' : 'Run `list` until it does'),
    );
  // Time does not end that: the signers obey the highest number.
  const advice = isCrossed
    ? 'Run the command again with --known and the whole list: it then takes a higher number than they have'
    : 'Run `list` until it names none';
  throw new Failure(
    `${secret} is set, and ${waiting.length === 1 ? 'a signer has' : `${waiting.length} signers have`} not confirmed it: ` +
      `${waiting.join('; ')}. Every other signer has. ${advice}`,
  );
}

const hasChange = (lists: EffectiveLists, { list, next, number }: Change) =>
  (lists.emergencyNumber ?? 0) >= number && isSame(lists[list.field], next);

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((each) => other.includes(each));
