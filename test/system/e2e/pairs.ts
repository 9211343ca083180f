import { expect } from 'vitest';
import type { PassRecord } from '../../../localnet/partner/partner-client.ts';

/**
 * How the changes of a pass ended, one after the other: `TOKEN_FROZEN`, or `TOKEN_FROZEN_FAILED: superseded`. Each must
 * have been begun just before, and what was done carries the confirmed transaction that it was begun with.
 */
export function endsOf({ events }: PassRecord): string[] {
  const ends = events.filter((_, index) => index % 2 === 1);
  for (const [index, { eventType, transaction }] of ends.entries()) {
    const begun = events[2 * index];
    expect(begun?.eventType).toBe(`${eventType.replace(/_FAILED$/, '')}_INITIATED`);
    expect(transaction).toEqual(begun?.transaction);
    if (!eventType.endsWith('_FAILED')) expect(transaction?.status).toBe('confirmed');
  }
  expect(events.length % 2).toBe(0);
  return ends.map(({ eventType, reason }) => (reason === undefined ? eventType : `${eventType}: ${reason}`));
}

/** The transactions that a pass shows, each once, in order. */
export function transactionsOf({ events }: PassRecord): string[] {
  return [...new Set(events.flatMap(({ transaction }) => transaction?.identifier ?? []))];
}
