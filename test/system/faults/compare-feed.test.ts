import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { type Arrival, feedDifferencesIn } from './compare-feed.ts';

/** The fault runs find only the errors that this comparison finds. */

type Evidence = Parameters<typeof feedDifferencesIn>[0];

const RECORD = {
  id: 'a',
  state: 'FROZEN',
  onChainState: 'FROZEN',
  events: [
    { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: 1 },
    { eventType: 'TOKEN_ISSUED', timestamp: 2 },
    { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: 3 },
    { eventType: 'TOKEN_FROZEN', timestamp: 4 },
  ],
} as unknown as PassRecord;

function anEvent(sequence: number, id: string, type: string, eventType: string, state: string): FeedEvent {
  const pass = { state, onChainState: state };
  return {
    id,
    sequence,
    type,
    timestamp: '',
    data: { event: { eventType, timestamp: sequence * 2 }, pass },
  } as unknown as FeedEvent;
}

const ISSUED = anEvent(1, 'a.1', 'pass.issued', 'TOKEN_ISSUED', 'ACTIVE');
const FROZEN = anEvent(2, 'a.2', 'pass.frozen', 'TOKEN_FROZEN', 'FROZEN');
const FEED = [ISSUED, FROZEN];

const digestOf = (event: FeedEvent) => JSON.stringify(event);
const arrivalOf = (event: FeedEvent, isKept = true): Arrival => ({ id: event.id, digest: digestOf(event), isKept });
const arrivals = (...all: Arrival[]) => ({ arrivals: { steady: all } });
const KEPT = FEED.map((event) => arrivalOf(event));

function kindsOf(evidence: Partial<Evidence>): string[] {
  const good = { feed: FEED, records: [RECORD], ...arrivals(...KEPT), digestOf };
  return [...new Set(feedDifferencesIn({ ...good, ...evidence }).map(({ type }) => type))].sort();
}

/** The first entry once more, after these statuses of its transaction. The record has the status `failed`. */
function withTransactions(...statuses: readonly string[]): Partial<Evidence> {
  const entryWith = (status: string) => ({ ...ISSUED.data?.event, transaction: { identifier: '0x1', status } });
  const feed = statuses.map((status, index) => ({
    ...ISSUED,
    id: `a.${index + 1}`,
    sequence: index + 1,
    data: { ...ISSUED.data, event: entryWith(status) },
  }));
  const record = { ...RECORD, onChainState: 'ACTIVE', events: [entryWith('failed')] };
  return { feed, records: [record], arrivals: {} } as unknown as Partial<Evidence>;
}

/** Two entries of one second, with a transaction each. */
function withTwoOfOneSecond(...identifiers: readonly string[]): Partial<Evidence> {
  const entryWith = (identifier: string) => ({
    ...ISSUED.data?.event,
    transaction: { identifier, status: 'confirmed' },
  });
  const feed = identifiers.map((identifier, index) => ({
    ...ISSUED,
    id: `a.${index + 1}`,
    sequence: index + 1,
    data: { ...ISSUED.data, event: entryWith(identifier) },
  }));
  const record = { ...RECORD, onChainState: 'ACTIVE', events: [entryWith('0x1'), entryWith('0x2')] };
  return { feed, records: [record], arrivals: {} } as unknown as Partial<Evidence>;
}

describe('feedDifferencesIn', () => {
  it.each<[evidenceName: string, kinds: string[], evidence: Partial<Evidence>]>([
    ['a feed, a record and deliveries that agree', [], {}],
    ['an event that arrives again', [], arrivals(...KEPT, ...KEPT)],
    ['an event that fails before the receiver keeps it', [], arrivals(arrivalOf(ISSUED, false), ...KEPT)],
    ['a gap in the sequences', ['lost'], { feed: [ISSUED, { ...FROZEN, sequence: 3 }], records: [], arrivals: {} }],
    [
      'a sequence that occurs twice',
      ['doubled'],
      { feed: [ISSUED, { ...FROZEN, sequence: 1 }], records: [], arrivals: {} },
    ],
    ['a feed that does not begin at 1', ['lost'], { feed: [{ ...ISSUED, sequence: 2 }], records: [], arrivals: {} }],
    ['a missing event of a pass', ['lost'], { feed: [ISSUED, { ...FROZEN, id: 'a.3' }], records: [], arrivals: {} }],
    [
      'an event that the feed has twice',
      ['doubled'],
      { feed: [ISSUED, { ...ISSUED, sequence: 2 }], records: [], arrivals: {} },
    ],
    ['an event of another type', ['different'], { feed: [ISSUED, { ...FROZEN, type: 'pass.revoked' }], arrivals: {} }],
    ['an entry without its event', ['different', 'lost'], { feed: [ISSUED], ...arrivals(arrivalOf(ISSUED)) }],
    [
      'an event without an entry',
      ['different', 'doubled'],
      { records: [{ ...RECORD, onChainState: 'ACTIVE', events: RECORD.events.slice(0, 2) }] },
    ],
    [
      'an event with the entry of another time',
      ['different'],
      { records: [{ ...RECORD, events: RECORD.events.map((each) => ({ ...each, timestamp: 4 as never })) }] },
    ],
    ['a record with another on-chain state', ['different'], { records: [{ ...RECORD, onChainState: 'ACTIVE' }] }],
    ['the events of a pass that is in no feed', ['different', 'lost'], { records: [{ ...RECORD, id: 'b' }] }],
    [
      'an event for the beginning of a change',
      ['different'],
      { feed: [{ ...ISSUED, data: { ...ISSUED.data, event: RECORD.events[0] } as never }], records: [], arrivals: {} },
    ],
    [
      'a rejected issuance that is called a failed change',
      ['different'],
      { feed: [anEvent(1, 'a.1', 'pass.change_failed', 'TOKEN_ISSUED_FAILED', 'REJECTED')], records: [], arrivals: {} },
    ],
    [
      'a rejected issuance',
      [],
      { feed: [anEvent(1, 'a.1', 'pass.rejected', 'TOKEN_ISSUED_FAILED', 'REJECTED')], records: [], arrivals: {} },
    ],
    ['an entry again with the status that its transaction has now', [], withTransactions('sent', 'failed')],
    ['two entries of one second', [], withTwoOfOneSecond('0x1', '0x2')],
    ['one of two entries of one second', ['different', 'lost'], withTwoOfOneSecond('0x1')],
    ['an entry again with the same transaction', ['doubled'], withTransactions('failed', 'failed')],
    ['a transaction whose last status the feed lacks', ['different'], withTransactions('failed', 'sent')],
    ['an event that never arrives', ['lost'], arrivals(arrivalOf(ISSUED))],
    [
      'an event that no arrival leaves at the receiver',
      ['lost'],
      arrivals(arrivalOf(ISSUED), arrivalOf(FROZEN, false)),
    ],
    ['events of a pass that arrive in the wrong order', ['different'], arrivals(arrivalOf(FROZEN), arrivalOf(ISSUED))],
    ['a failed arrival after a later event', ['different'], arrivals(arrivalOf(FROZEN, false), ...KEPT)],
    [
      'a delivered event that differs from the feed',
      ['different'],
      arrivals(...KEPT, { ...arrivalOf(FROZEN), digest: '' }),
    ],
    [
      'a delivered event that the feed does not have',
      ['different'],
      arrivals(...KEPT, { ...arrivalOf(FROZEN), id: 'a.3' }),
    ],
  ])('returns the kinds of differences for %s: %j', (_, kinds, evidence) => {
    expect(kindsOf(evidence)).toEqual(kinds);
  });

  it('compares only the newest entries of a record that omits older ones', () => {
    const entries = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => {
        const eventType = (from + index) % 2 === 1 ? 'TOKEN_ISSUED' : 'TOKEN_FROZEN';
        return anEvent(
          from + index,
          `a.${from + index}`,
          eventType === 'TOKEN_ISSUED' ? 'pass.issued' : 'pass.frozen',
          eventType,
          'FROZEN',
        );
      });
    const feed = entries(1, 120);
    const recordWith = (newest: FeedEvent[]) =>
      ({ ...RECORD, events: [feed[0], ...newest].map((event) => event?.data?.event) }) as PassRecord;
    expect(kindsOf({ feed, records: [recordWith(feed.slice(-99))], arrivals: {} })).toEqual([]);
    expect(kindsOf({ feed, records: [recordWith(feed.slice(-100, -1))], arrivals: {} })).toEqual(['different']);
  });
});
