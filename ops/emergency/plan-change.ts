import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../terminal/failure.ts';
import { EFFECTIVE_WITHIN_MS } from './await-confirmation.ts';
import { changeList, type EmergencyList, nextNumber } from './lists.ts';
import type { EmergencyService } from './service.ts';
import { type EffectiveLists, isOutdated } from './unconfirmed.ts';

/** The change that an operator asks for. */
export interface Wanted {
  readonly list: EmergencyList;
  readonly given: readonly string[];
  readonly isUndo: boolean;
  /** The whole list before the change, if the operator names it. */
  readonly named?: readonly string[] | undefined;
}

/** A list before and after a change, and the number of the change. */
export interface PlannedChange {
  readonly known: readonly string[];
  readonly next: readonly string[];
  readonly number: number;
}

/**
 * Returns the change of the list that the service has now.
 * @param withinMs How long to ask again while an isolate answers that has older lists than the signers.
 */
export async function planChange(
  { list, given, isUndo, named }: Wanted,
  service: Pick<EmergencyService, 'read' | 'hasSecret'>,
  withinMs = EFFECTIVE_WITHIN_MS,
): Promise<PlannedChange> {
  const effective = await readNewest(service, named === undefined ? withinMs : 0);
  const known = await knownEntries(list, service, effective, named);
  const number = nextNumber(effective instanceof Error ? undefined : effective, Date.now());
  return { known, next: changeList(known, given, isUndo), number };
}

/** Throws Failure if the service no longer has the list that the operator has seen: another operator may have changed it. */
export function checkUnchanged(shown: PlannedChange, now: PlannedChange): void {
  if (shown.known.toSorted().join(' ') === now.known.toSorted().join(' ')) return;
  throw new Failure(
    `nothing was changed: the list has changed to ${now.known.join(' ') || 'none'} meanwhile. Run the command again`,
  );
}

async function readNewest(
  service: Pick<EmergencyService, 'read'>,
  withinMs: number,
): Promise<EffectiveLists | Failure> {
  const until = performance.now() + withinMs;
  for (;;) {
    const lists = await service.read().catch((fault: Failure) => fault);
    if (lists instanceof Error || !isOutdated(lists) || performance.now() >= until) return lists;
    await sleep(500);
  }
}

/** The value of a secret cannot be read, so the service says what it has. An entry that is not known here would be lost. */
async function knownEntries(
  { secret, field }: EmergencyList,
  service: Pick<EmergencyService, 'hasSecret'>,
  effective: EffectiveLists | Failure,
  named: readonly string[] | undefined,
): Promise<readonly string[]> {
  const isUnread = effective instanceof Error;
  if (!isUnread && (named !== undefined || !isOutdated(effective)))
    return [...new Set([...effective[field], ...(named ?? [])])];
  if (named !== undefined) return named;
  if (isUnread && !(await service.hasSecret(secret))) return [];
  const why = isUnread
    ? `${secret} is set, and the service does not say to which value (${effective.message})`
    : 'the service shows older lists than its signers obey';
  throw new Failure(
    `nothing was changed: ${why}. Name the whole list with --known: the audit trail and your notes have the earlier commands`,
  );
}
