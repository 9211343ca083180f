import { describe, expect, it } from 'vitest';
import { decideOutcome } from '../../../../packages/cli/src/run/decide-outcome.ts';
import type { FeedEvent } from '../../../../packages/client/src/gatepass.ts';

/** The meaning of feed events for passes that wait. */

const T = { identifier: '0x1', status: 'confirmed' } as const;
const settled = (transaction?: string) => ({ type: 'settled', transaction });
const failed = (reason: string) => ({ type: 'failed', reason });
const AGAIN = { type: 'send-again' };

interface Given {
  readonly type: string;
  readonly eventType?: string;
  readonly transaction?: typeof T;
  readonly byOthers?: object;
  readonly reason?: string;
  readonly state?: string;
  readonly expiryTimestamp?: number;
}

function anEvent({ type, eventType = '', state = 'ACTIVE', expiryTimestamp, ...rest }: Given): FeedEvent {
  const event = { eventType, timestamp: 1, ...rest };
  return {
    id: 'a.1',
    sequence: 1,
    type,
    timestamp: '',
    data: { event, pass: { state, expiryTimestamp } },
  } as FeedEvent;
}

describe('decideOutcome', () => {
  it.each`
    verb            | expiry       | event                                                                                                   | decision
    ${'issue'}      | ${undefined} | ${{ type: 'pass.issued', transaction: T }}                                                              | ${settled('0x1')}
    ${'issue'}      | ${9}         | ${{ type: 'pass.issued', transaction: T }}                                                              | ${settled('0x1')}
    ${'issue'}      | ${undefined} | ${{ type: 'pass.issued' }}                                                                              | ${settled()}
    ${'issue'}      | ${9}         | ${{ type: 'pass.issued' }}                                                                              | ${AGAIN}
    ${'issue'}      | ${9}         | ${{ type: 'pass.issued', transaction: T, byOthers: {} }}                                                | ${AGAIN}
    ${'issue'}      | ${undefined} | ${{ type: 'pass.issued', transaction: T, byOthers: {} }}                                                | ${settled()}
    ${'revoke'}     | ${undefined} | ${{ type: 'pass.revoked', eventType: 'TOKEN_REVOKED', state: 'REVOKED', transaction: T, byOthers: {} }} | ${settled()}
    ${'issue'}      | ${9}         | ${{ type: 'pass.renewed', transaction: T }}                                                             | ${AGAIN}
    ${'issue'}      | ${9}         | ${{ type: 'pass.expiry_changed', transaction: T }}                                                      | ${AGAIN}
    ${'issue'}      | ${9}         | ${{ type: 'pass.rejected', reason: 'no' }}                                                              | ${failed('no')}
    ${'issue'}      | ${9}         | ${{ type: 'pass.revoked' }}                                                                             | ${failed('revoked')}
    ${'issue'}      | ${9}         | ${{ type: 'pass.change_failed', eventType: 'TOKEN_ISSUED_FAILED', reason: 'abandoned' }}                | ${failed('abandoned')}
    ${'issue'}      | ${9}         | ${{ type: 'pass.change_failed', eventType: 'TOKEN_EXPIRY_CHANGED_FAILED' }}                             | ${failed('failed')}
    ${'issue'}      | ${9}         | ${{ type: 'pass.change_failed', eventType: 'TOKEN_FROZEN_FAILED' }}                                     | ${undefined}
    ${'issue'}      | ${9}         | ${{ type: 'pass.expiring' }}                                                                            | ${undefined}
    ${'freeze'}     | ${undefined} | ${{ type: 'pass.frozen', eventType: 'TOKEN_FROZEN', transaction: T, state: 'FROZEN' }}                  | ${settled('0x1')}
    ${'freeze'}     | ${undefined} | ${{ type: 'pass.frozen', eventType: 'TOKEN_FROZEN', state: 'ACTIVE' }}                                  | ${failed('superseded')}
    ${'freeze'}     | ${undefined} | ${{ type: 'pass.issued', eventType: 'TOKEN_ISSUED', state: 'FROZEN' }}                                  | ${undefined}
    ${'freeze'}     | ${undefined} | ${{ type: 'pass.change_failed', eventType: 'TOKEN_FROZEN_FAILED', reason: 'superseded' }}               | ${failed('superseded')}
    ${'freeze'}     | ${undefined} | ${{ type: 'pass.revoked', eventType: 'TOKEN_REVOKED' }}                                                 | ${failed('revoked')}
    ${'unfreeze'}   | ${undefined} | ${{ type: 'pass.unfrozen', eventType: 'TOKEN_UNFROZEN', transaction: T }}                               | ${settled('0x1')}
    ${'revoke'}     | ${undefined} | ${{ type: 'pass.revoked', eventType: 'TOKEN_REVOKED', state: 'REVOKED', transaction: T }}               | ${settled('0x1')}
    ${'revoke'}     | ${undefined} | ${{ type: 'pass.rejected', reason: 'no' }}                                                              | ${failed('no')}
    ${'set-expiry'} | ${9}         | ${{ type: 'pass.renewed', eventType: 'TOKEN_EXPIRY_CHANGED', expiryTimestamp: 9 }}                      | ${settled()}
    ${'set-expiry'} | ${9}         | ${{ type: 'pass.expiry_changed', eventType: 'TOKEN_EXPIRY_CHANGED', expiryTimestamp: 8 }}               | ${failed('superseded')}
    ${'set-expiry'} | ${9}         | ${{ type: 'pass.change_failed', eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', reason: 'refused' }}          | ${failed('refused')}
    ${'set-expiry'} | ${9}         | ${{ type: 'pass.reorged', eventType: 'TOKEN_EXPIRY_CHANGED_REORGED' }}                                  | ${undefined}
  `('$event.type means $decision for $verb', ({ verb, expiry, event, decision }) => {
    expect(decideOutcome(verb, expiry, anEvent(event))).toEqual(decision);
  });

  it('ignores an event without a pass', () => {
    const restored = { id: 'restored.1', sequence: 1, type: 'feed.restored', timestamp: '' } as FeedEvent;
    expect(decideOutcome('issue', undefined, restored)).toBeUndefined();
  });
});
