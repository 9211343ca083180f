import { describe, expect, it } from 'vitest';
import { appendExpiryEvents, nextExpiryEventAt } from '../../../src/pass/events.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { anActivePass, NOW, type Overrides } from './a-pass.ts';

const DAY = 86_400;
const NOTICE = 7 * DAY;
const EXPIRY = NOW + 30 * DAY;
const LATEST = 600;

/** Returns an active pass that was issued just now and expires in 30 days. */
const anExpiringPass = (overrides: Overrides = {}) =>
  anActivePass({ ...overrides, onChain: { expiry: EXPIRY, ...overrides.onChain } });
const at = (pass: Pass, now: number, notice = NOTICE) => appendExpiryEvents(pass, now, notice);
const addedTo = (pass: Pass, now: number, notice = NOTICE) =>
  at(pass, now, notice)
    .events.slice(pass.events.length)
    .map(({ eventType }) => eventType);
const nextAt = (pass: Pass, now: number, notice = NOTICE) => nextExpiryEventAt(pass, now, notice);

describe('appendExpiryEvents', () => {
  it.each`
    moment                                     | seconds                     | events
    ${'before the notice'}                     | ${EXPIRY - NOTICE - 1}      | ${[]}
    ${'ten minutes into the notice'}           | ${EXPIRY - NOTICE + LATEST} | ${['TOKEN_EXPIRING']}
    ${'in the second of the expiry'}           | ${EXPIRY}                   | ${['TOKEN_EXPIRING']}
    ${'ten minutes after the expiry, at once'} | ${EXPIRY + LATEST}          | ${['TOKEN_EXPIRED']}
  `('appends $events $moment', ({ seconds, events }) => {
    expect(addedTo(anExpiringPass(), seconds)).toEqual(events);
  });

  it('appends each event once per expiry, and again for a later expiry', () => {
    const expiring = at(anExpiringPass(), EXPIRY - NOTICE + LATEST);
    expect(addedTo(expiring, EXPIRY)).toEqual([]);
    const expired = at(expiring, EXPIRY + LATEST);
    expect(addedTo(expired, EXPIRY + DAY)).toEqual([]);
    const renewed: Pass = {
      ...expired,
      onChain: { state: 'ACTIVE', expiry: EXPIRY + 30 * DAY },
      events: [...expired.events, { eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: EXPIRY + DAY }],
    };
    expect(addedTo(renewed, EXPIRY + 23 * DAY + LATEST)).toEqual(['TOKEN_EXPIRING']);
    expect(addedTo(renewed, EXPIRY + 30 * DAY + LATEST)).toEqual(['TOKEN_EXPIRED']);
    const reorged: Pass = { ...renewed, onChain: expired.onChain };
    expect(addedTo(reorged, EXPIRY + 30 * DAY), 'the earlier expiry is back').toEqual([]);
  });

  it('changes no state, and makes a version', () => {
    const before = anExpiringPass({ wanted: { state: 'ACTIVE' } });
    const after = at(before, EXPIRY + LATEST);
    expect(after).toMatchObject({ wanted: before.wanted, onChain: before.onChain, version: before.version + 1 });
  });

  it('measures a lifetime from the request, however long the chain takes', () => {
    const transaction = { identifier: '0xabc', status: 'confirmed' } as const;
    const late = anActivePass({
      onChain: { expiry: NOW + NOTICE + DAY },
      events: [
        { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW, transaction },
        { eventType: 'TOKEN_ISSUED', timestamp: NOW + 2 * DAY, transaction },
      ],
    });
    expect(addedTo(late, NOW + 2 * DAY)).toEqual(['TOKEN_EXPIRING']);
  });

  it('announces no expiry of a lifetime that is shorter than the notice period, and none without a notice period', () => {
    const short = anActivePass({ onChain: { expiry: NOW + 6 * DAY } });
    expect(addedTo(short, NOW + 5 * DAY)).toEqual([]);
    expect(addedTo(short, NOW + 6 * DAY + LATEST)).toEqual(['TOKEN_EXPIRED']);
    expect(addedTo(anExpiringPass(), EXPIRY, 0)).toEqual([]);
  });

  it.each([{ state: 'REVOKED' }, { state: 'NONE' }, { state: 'ACTIVE', expiry: undefined }] as const)(
    'appends nothing for a token that is %o',
    (onChain) => {
      const pass = anExpiringPass({ onChain });
      expect(at(pass, EXPIRY + LATEST)).toBe(pass);
      expect(nextAt(pass, NOW)).toBeUndefined();
    },
  );

  it('appends the events of a frozen and of an unsettled pass too', () => {
    expect(addedTo(anExpiringPass({ onChain: { state: 'FROZEN' } }), EXPIRY + LATEST)).toEqual(['TOKEN_EXPIRED']);
    const unsettled = anExpiringPass({ wanted: { state: 'FROZEN' }, step: { kind: 'freeze' } });
    expect(addedTo(unsettled, EXPIRY + LATEST)).toEqual(['TOKEN_EXPIRED']);
  });
});

describe('nextExpiryEventAt', () => {
  it('names the notice, then the expiry, then nothing', () => {
    const pass = anExpiringPass();
    const notice = nextAt(pass, NOW) ?? 0;
    expect(notice - (EXPIRY - NOTICE)).toBeGreaterThanOrEqual(0);
    expect(notice - (EXPIRY - NOTICE)).toBeLessThan(LATEST);
    const expiring = at(pass, notice);
    const expiry = nextAt(expiring, notice) ?? 0;
    expect(expiry - EXPIRY).toBeGreaterThan(0);
    expect(expiry - EXPIRY).toBeLessThan(LATEST);
    expect(addedTo(expiring, expiry - 1)).toEqual([]);
    expect(nextAt(at(expiring, expiry), expiry)).toBeUndefined();
  });

  it('skips a notice whose time has passed', () => {
    expect(nextAt(anExpiringPass(), EXPIRY + 1)).toBeGreaterThan(EXPIRY);
  });

  it('spreads 100,000 passes with the same expiry over nine minutes', () => {
    const perSecond = new Map<number, number>();
    for (let n = 0; n < 100_000; n += 1) {
      const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
      const pass = anExpiringPass({ id: `019f0000-0000-7000-8000-0000${random.toString(16).padStart(8, '0')}` });
      const second = nextAt(pass, EXPIRY + 1) ?? 0;
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.min(...perSecond.keys())).toBeGreaterThan(EXPIRY);
    expect(Math.max(...perSecond.keys())).toBeLessThan(EXPIRY + LATEST);
    // 185 on average. A tenfold share of one second would mean that the hash fails.
    expect(Math.max(...perSecond.values())).toBeLessThan(300);
  });
});
