import { expect } from 'vitest';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';

/**
 * Returns the outcomes of a pass's steps in order, such as `TOKEN_FROZEN` or `TOKEN_FROZEN_FAILED: superseded`. Checks that
 * the event before each outcome announces it with the same transaction, which is confirmed unless the step failed.
 */
export function outcomesOf({ events }: PassRecord): string[] {
  const outcomes = events.filter((_, index) => index % 2 === 1);
  for (const [index, { eventType, transaction }] of outcomes.entries()) {
    const begun = events[2 * index];
    expect(begun?.eventType).toBe(`${eventType.replace(/_FAILED$/, '')}_INITIATED`);
    expect(transaction).toEqual(begun?.transaction);
    if (!eventType.endsWith('_FAILED')) expect(transaction?.status).toBe('confirmed');
  }
  expect(events.length % 2).toBe(0);
  return outcomes.map(({ eventType, reason }) => (reason === undefined ? eventType : `${eventType}: ${reason}`));
}

/** Returns the identifiers of the service's transactions in a record, each once, in order. An event by others may name theirs. */
export function transactionsOf({ events }: PassRecord): string[] {
  const own = events.filter(({ byOthers }) => byOthers === undefined);
  return [...new Set(own.flatMap(({ transaction }) => transaction?.identifier ?? []))];
}
