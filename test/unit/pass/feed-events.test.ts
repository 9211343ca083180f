import { describe, expect, it } from 'vitest';
import { collectFeedEvents, feedTypeOf } from '../../../src/pass/feed-events.ts';
import type { Pass, PassEvent } from '../../../src/pass/pass.ts';
import { requestIssuance } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { CHANGES, EVENT_TYPES, type EventType } from '../../../src/pass/vocabulary.ts';
import { anActivePass, anIssueRequest, aPass, NOW, PASS_ID } from './a-pass.ts';
import { PassTimeline } from './pass-timeline.ts';

const anEvent = (eventType: EventType): PassEvent => ({ eventType, timestamp: NOW });
const withEvents = (pass: Pass, ...types: EventType[]): Pass => ({
  ...pass,
  events: [...pass.events, ...types.map(anEvent)],
});
const typesOf = ({ feed }: Pass) => feed.pending.map(({ type }) => type);

describe('feedTypeOf', () => {
  it.each`
    entry                     | type
    ${'TOKEN_ISSUED'}         | ${'pass.issued'}
    ${'TOKEN_FROZEN'}         | ${'pass.frozen'}
    ${'TOKEN_UNFROZEN'}       | ${'pass.unfrozen'}
    ${'TOKEN_REVOKED'}        | ${'pass.revoked'}
    ${'TOKEN_EXPIRY_CHANGED'} | ${'pass.expiry_changed'}
    ${'TOKEN_EXPIRING'}       | ${'pass.expiring'}
    ${'TOKEN_EXPIRED'}        | ${'pass.expired'}
  `('shows $entry as $type', ({ entry, type }) => {
    expect(feedTypeOf(anEvent(entry), anActivePass(), anActivePass())).toBe(type);
  });

  it.each(CHANGES)('omits the beginning of %s, and shows its failure and its reorg', (change) => {
    const types = (['_INITIATED', '_FAILED', '_REORGED'] as const).map((stage) =>
      feedTypeOf(anEvent(`${change}${stage}`), anActivePass(), anActivePass()),
    );
    expect(types).toEqual([undefined, 'pass.change_failed', 'pass.reorged']);
  });

  it('knows every entry that a record can have', () => {
    const omitted = EVENT_TYPES.filter((type) => feedTypeOf(anEvent(type), aPass(), aPass()) === undefined);
    expect(omitted).toEqual(CHANGES.map((change) => `${change}_INITIATED`));
  });

  it('shows a final refusal of the issuance as pass.rejected, and a superseded issuance as a failed change', () => {
    const failed = anEvent('TOKEN_ISSUED_FAILED');
    expect(feedTypeOf(failed, aPass(), aPass({ rejected: true }))).toBe('pass.rejected');
    expect(feedTypeOf(failed, aPass(), aPass({ wanted: { state: 'REVOKED' } }))).toBe('pass.change_failed');
  });

  it.each`
    before       | after        | type
    ${NOW - 1}   | ${NOW + 99}  | ${'pass.renewed'}
    ${NOW - 1}   | ${undefined} | ${'pass.renewed'}
    ${NOW}       | ${NOW + 99}  | ${'pass.expiry_changed'}
    ${NOW - 9}   | ${NOW - 1}   | ${'pass.expiry_changed'}
    ${undefined} | ${NOW + 99}  | ${'pass.expiry_changed'}
  `('shows the change of the expiry from $before to $after as $type', ({ before, after, type }) => {
    const [was, is] = [before, after].map((expiry) => anActivePass({ onChain: { expiry } }));
    expect(feedTypeOf(anEvent('TOKEN_EXPIRY_CHANGED'), was, is as Pass)).toBe(type);
  });
});

describe('collectFeedEvents', () => {
  it('numbers the events of a pass, each with its entry and the record of that time', () => {
    const before = aPass();
    const once = collectFeedEvents(before, {
      ...anActivePass(),
      events: [...before.events, anEvent('TOKEN_ISSUED')],
      feed: before.feed,
    });
    const twice = collectFeedEvents(once, { ...withEvents(once, 'TOKEN_FROZEN'), wanted: { state: 'FROZEN' } });
    expect(twice.feed.pending.map(({ n, type, body }) => ({ n, type, ...JSON.parse(body) }))).toMatchObject([
      {
        n: 1,
        type: 'pass.issued',
        id: `${PASS_ID}.1`,
        timestamp: new Date(NOW * 1000).toISOString(),
        data: { event: anEvent('TOKEN_ISSUED'), pass: { id: PASS_ID, state: 'ACTIVE', onChainState: 'ACTIVE' } },
      },
      { n: 2, type: 'pass.frozen', id: `${PASS_ID}.2`, data: { pass: { state: 'FROZEN' } } },
    ]);
    expect(once.feed.pending[0]?.body).not.toContain('"events"');
  });

  it('collects an entry once, however often it runs', () => {
    const once = collectFeedEvents(aPass(), withEvents(aPass(), 'TOKEN_ISSUED'));
    expect(collectFeedEvents(once, once)).toBe(once);
    expect(collectFeedEvents(aPass(), once)).toBe(once);
  });

  it('shows nothing of the request for a new pass', () => {
    const result = requestIssuance(undefined, anIssueRequest(), NOW);
    if (result.type === 'refused') throw new Error(result.reason);
    expect(collectFeedEvents(undefined, result.pass).feed).toEqual({ examined: 1, last: 0, pending: [] });
  });

  it('shows a reorg and the outcome after it as separate events', () => {
    const line = new PassTimeline();
    const steps: ((line: PassTimeline) => PassTimeline)[] = [
      (each) => each.confirm(1, { state: 'ACTIVE', asOf: 1 }),
      (each) => each.record(1, { type: 'vanished', transaction: '0x1' }),
      (each) => each.record(1, { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE', asOf: 2 } }),
    ];
    let pass = line.pass;
    for (const step of steps) pass = line.pass = collectFeedEvents(pass, step(line).pass);
    expect(typesOf(pass)).toEqual(['pass.issued', 'pass.reorged', 'pass.issued']);
  });
});

describe('a transaction that the feed has shown', () => {
  const ACTIVE = { state: 'ACTIVE', asOf: 1 } as const;
  const confirmed = (transaction: string) => ({ type: 'confirmed', transaction, onChain: ACTIVE }) as const;
  const WITHDRAWN = { type: 'withdrawn' } as const;
  const shown = ({ feed }: Pass) =>
    feed.pending.flatMap(({ type, body }) => {
      const { transaction } = JSON.parse(body).data.event;
      return transaction ? `${type} ${transaction.identifier} ${transaction.status}` : [];
    });
  /** Records these answers about step 1, each as its pass object does. */
  function record(...statuses: StepStatus[]): Pass {
    const line = new PassTimeline().pin();
    for (const status of statuses) line.pass = collectFeedEvents(line.pass, line.record(1, status).pass);
    return line.pass;
  }
  const VANISHED = { type: 'vanished', transaction: '0x1' } as const;

  it.each<[string, StepStatus[], string[]]>([
    [
      'another one has overtaken it',
      [confirmed('0x1'), confirmed('0x2')],
      ['pass.issued 0x1 confirmed', 'pass.issued 0x2 confirmed'],
    ],
    [
      'another one has overtaken it after its reorg',
      [confirmed('0x1'), VANISHED, confirmed('0x2')],
      ['pass.issued 0x1 confirmed', 'pass.reorged 0x1 sent', 'pass.reorged 0x1 failed', 'pass.issued 0x2 confirmed'],
    ],
    [
      'it can never come back',
      [confirmed('0x1'), VANISHED, WITHDRAWN],
      ['pass.issued 0x1 confirmed', 'pass.reorged 0x1 sent', 'pass.reorged 0x1 failed'],
    ],
    ['it is gone at once', [confirmed('0x1'), WITHDRAWN], ['pass.issued 0x1 confirmed', 'pass.reorged 0x1 failed']],
    [
      'it is confirmed again',
      [confirmed('0x1'), VANISHED, confirmed('0x1')],
      ['pass.issued 0x1 confirmed', 'pass.reorged 0x1 sent', 'pass.issued 0x1 confirmed'],
    ],
    ['it is confirmed in another block', [confirmed('0x1'), confirmed('0x1')], ['pass.issued 0x1 confirmed']],
  ])('has one event for each change of it: %s', (_, statuses, events) => {
    const pass = record(...statuses);
    expect(shown(pass)).toEqual(events);
    // The usage counts the issuance once, however often its transaction changes.
    const sum = pass.feed.pending.reduce((total, { usage }) => total + (usage?.amount ?? 0), 0);
    expect(sum).toBe(statuses.at(-1)?.type === 'confirmed' ? 1 : 0);
    // Its object collects the same pass once more when it stores it.
    expect(collectFeedEvents(new PassTimeline().pin().pass, pass)).toBe(pass);
  });

  it('is still that of a renewal if another one has overtaken it', () => {
    const line = new PassTimeline();
    line.pass = {
      ...line.pass,
      onChain: { ...ACTIVE, expiry: NOW - 9 },
      wanted: { state: 'ACTIVE', expiry: NOW + 99 },
    };
    const renewal = (transaction: string) =>
      ({ type: 'confirmed', transaction, onChain: { state: 'ACTIVE', expiry: NOW + 99, asOf: 2 } }) as const;
    line.pin();
    line.pass = collectFeedEvents(line.pass, line.record(1, renewal('0x1')).pass);
    line.pass = collectFeedEvents(line.pass, line.record(1, renewal('0x2')).pass);
    expect(shown(line.pass)).toEqual(['pass.renewed 0x1 confirmed', 'pass.renewed 0x2 confirmed']);
  });
});
