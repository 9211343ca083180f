import type { Pass } from '@gatepass/client';

type PassEvent = Pass['events'][number];

/** Returns the transaction of the service in an event; undefined if the event has none, or that of others. */
export function ownTransactionOf({ transaction, byOthers }: PassEvent): string | undefined {
  return byOthers === undefined ? transaction?.identifier : undefined;
}

/** Returns the newest transaction of the service in the history of a pass. */
export function newestTransactionOf({ events }: Pass): string | undefined {
  return events.map(ownTransactionOf).findLast((identifier) => identifier !== undefined);
}
