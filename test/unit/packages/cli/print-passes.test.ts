import { expect, it } from 'vitest';
import { newestTransactionOf } from '../../../../packages/cli/src/own-transaction.ts';
import { printEvents } from '../../../../packages/cli/src/print-passes.ts';
import type { Pass } from '../../../../packages/client/src/gatepass.ts';

/** How the command shows the history of a pass. */

const aPass = (events: Pass['events']) => ({ events }) as Pass;
const transaction = (identifier: string) => ({ identifier, status: 'confirmed' });
const HISTORY = aPass([
  { eventType: 'TOKEN_ISSUED', timestamp: 1, transaction: transaction('0x1') },
  { eventType: 'TOKEN_FROZEN', timestamp: 2, transaction: transaction('0x2'), byOthers: { gatekeeper: '0xa' } },
  { eventType: 'TOKEN_UNFROZEN', timestamp: 3, byOthers: {} },
  { eventType: 'TOKEN_FROZEN_FAILED', timestamp: 4, reason: 'superseded' },
]);

it('an event says whether others made the change, and which gatekeeper', () => {
  const lines: string[] = [];
  const print = (...printed: readonly string[]) => lines.push(...printed) > 0;
  printEvents(HISTORY, { print, printJson: () => true, stream: process.stdout });
  expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    'transaction or reason',
    '0x1 confirmed',
    '0x2 confirmed by others: 0xa',
    'by others',
    'superseded',
  ]);
});

it('the newest transaction of a pass is never that of others', () => {
  expect(newestTransactionOf(HISTORY)).toBe('0x1');
  expect(newestTransactionOf(aPass(HISTORY.events.slice(1)))).toBeUndefined();
});
