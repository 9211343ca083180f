import type { RecordEvent } from './learned-changes.ts';
import type { AskedPass, ShownPass } from './passes-asked.ts';

/** The events of a pass never change, except for their transactions. */

/** A record keeps the first event and the newest ones. */
const EVENTS_MAX = 100;

/** Returns the number of all events of a pass when it was shown; undefined: the record does not have all. */
export const placeOf = ({ events }: ShownPass): number | undefined =>
  events.length < EVENTS_MAX ? events.length : undefined;

const lasting = ({ eventType, timestamp, reason, requestId, byOthers }: RecordEvent): string =>
  [eventType, timestamp, reason, requestId, byOthers !== undefined].join(' ');

/** Returns the events that no record shows after an answer has shown them, or that have another content or place then. */
export function lostEvents(answers: readonly AskedPass[], last: ShownPass): string[] {
  if (placeOf(last) === undefined) return [];
  const final = last.events.map(lasting);
  const lost = answers.flatMap(({ record }) => {
    const shown = record?.events.map(lasting) ?? [];
    return shown.filter((event, index) => event !== final[index]);
  });
  return [...new Set(lost)];
}

/** Returns the transactions that have two statuses in one record. */
export function disputedTransactions({ events }: ShownPass): string[] {
  const statuses = new Map<string, string>();
  return events.flatMap(({ transaction }) => {
    if (transaction === undefined) return [];
    const { identifier, status } = transaction;
    const known = statuses.get(identifier) ?? status;
    statuses.set(identifier, status);
    return known === status ? [] : [identifier];
  });
}
