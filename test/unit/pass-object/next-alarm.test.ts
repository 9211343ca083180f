import { describe, expect, it } from 'vitest';
import { expectedConfirmationMs } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { MAX_TIMESTAMP } from '../../../src/pass/vocabulary.ts';
import { type AlarmRules, nextAlarm } from '../../../src/pass-object/pass-clock.ts';
import type { StoredPass } from '../../../src/pass-object/stored-pass.ts';
import { anActivePass, aPass, aStoredPass, NOW } from '../pass/a-pass.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const NOW_MS = NOW * SECOND;
const YEAR_MS = 365 * 24 * HOUR;
const EXPECTED = 27 * SECOND;
const RULES: AlarmRules = { noticeSeconds: 0, confirmationMs: EXPECTED, hasSigner: true };

const unpinned = aPass();
const pinned = aPass({ step: { isSubmitted: false } });
const bulk = { ...pinned, issuanceRank: 2 } as const;
const submitted = aPass({ step: { isSubmitted: true } });
const renewed = anActivePass({
  wanted: { expiry: NOW + 1 },
  onChain: { expiry: NOW },
  announced: [{ eventType: 'TOKEN_EXPIRED', expiry: NOW }],
});
const expiresIn = (seconds: number) =>
  anActivePass({ onChain: { expiry: NOW + seconds }, wanted: { expiry: NOW + seconds } });

/** Returns the stored pass of which D1 has everything. */
const published = (pass: Pass, overrides: Partial<StoredPass> = {}) =>
  aStoredPass(pass, { sent: { version: pass.version, eventsInFeed: pass.feed.last, entriesInTrail: 0 }, ...overrides });
const alarmOf = (stored: StoredPass, rules: Partial<AlarmRules> = {}) =>
  nextAlarm(stored, NOW_MS, { ...RULES, ...rules });
const delayOf = (pass: Pass, tries: number, rules: Partial<AlarmRules> = {}) =>
  (alarmOf(aStoredPass(pass, { tries }), rules)?.at ?? 0) - NOW_MS;

describe('the retry of a pass', () => {
  it.each`
    what                       | pass         | tries  | delay
    ${'not pinned'}            | ${unpinned}  | ${0}   | ${10 * SECOND}
    ${'not pinned'}            | ${unpinned}  | ${1}   | ${20 * SECOND}
    ${'pinned, not submitted'} | ${pinned}    | ${0}   | ${10 * SECOND}
    ${'pinned, not submitted'} | ${pinned}    | ${2}   | ${40 * SECOND}
    ${'pinned, not submitted'} | ${pinned}    | ${3}   | ${MINUTE}
    ${'pinned, not submitted'} | ${pinned}    | ${60}  | ${MINUTE}
    ${'pinned, not submitted'} | ${pinned}    | ${61}  | ${2 * MINUTE}
    ${'pinned, not submitted'} | ${pinned}    | ${500} | ${15 * MINUTE}
    ${'issued in bulk'}        | ${bulk}      | ${0}   | ${MINUTE}
    ${'submitted'}             | ${submitted} | ${0}   | ${2 * EXPECTED}
    ${'submitted'}             | ${submitted} | ${1}   | ${4 * EXPECTED}
    ${'submitted'}             | ${submitted} | ${4}   | ${32 * EXPECTED}
    ${'submitted'}             | ${submitted} | ${5}   | ${64 * EXPECTED}
    ${'submitted'}             | ${submitted} | ${500} | ${HOUR}
    ${'to be renewed'}         | ${renewed}   | ${0}   | ${10 * SECOND}
  `('comes $delay ms after $tries tries for a pass that is $what', ({ pass, tries, delay }) => {
    expect(delayOf(pass, tries)).toBe(delay);
  });

  it('comes within a minute while the signer has no room for the step', () => {
    expect(delayOf(pinned, 20)).toBeLessThanOrEqual(MINUTE);
  });

  it.each(NETWORKS.map((network) => [network.network, expectedConfirmationMs(network)] as const))(
    'appends the entry of an issuance on %s within two minutes, also if it is submitted just before the first alarm',
    (_, confirmationMs) => {
      const first = Math.max(...[pinned, bulk].map((pass) => delayOf(pass, 0, { confirmationMs })));
      expect(first + delayOf(submitted, 0, { confirmationMs })).toBeLessThanOrEqual(2 * MINUTE);
    },
  );

  it('backs off to an hour while no signer can do the step', () => {
    expect(delayOf(pinned, 12, { hasSigner: false })).toBe(HOUR);
  });

  it('backs off up to an hour for a settled pass that is not published', () => {
    const delays = [0, 1, 2, 3, 6, 7, 50].map((tries) => delayOf(anActivePass(), tries));
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays[0]).toBeGreaterThan(0);
    expect(delays[0]).toBeLessThan(MINUTE);
    expect(delays.at(-3)).toBeLessThan(HOUR);
    expect(delays.slice(-2)).toEqual([HOUR, HOUR]);
  });

  it('comes after at least 10 s on a fast chain, because the signer notifies the pass object anyway', () => {
    expect(delayOf(submitted, 0, { confirmationMs: SECOND })).toBe(10 * SECOND);
    expect(delayOf(submitted, 1, { confirmationMs: SECOND })).toBe(20 * SECOND);
  });

  it.each([SECOND, EXPECTED, 15 * MINUTE])(
    'leads to at most 30 alarms per day after the first hour for a submitted step with %d ms',
    (confirmationMs) => {
      const alarms: number[] = [];
      for (let at = 0; at < 25 * HOUR; at = alarms.at(-1) ?? 0)
        alarms.push(at + delayOf(submitted, alarms.length, { confirmationMs }));
      expect(alarms.filter((at) => at > HOUR).length).toBeLessThanOrEqual(30);
    },
  );

  it('leads to at most 96 alarms per day after the first two hours while no signer takes the step', () => {
    const alarms: number[] = [];
    for (let at = 0; at < 26 * HOUR; at = alarms.at(-1) ?? 0) alarms.push(at + delayOf(pinned, alarms.length));
    expect(alarms.filter((at) => at > 2 * HOUR && at <= 26 * HOUR).length).toBeLessThanOrEqual(96);
  });

  it('may come from half the delay to twice the delay, so that a present alarm can stay', () => {
    expect(alarmOf(aStoredPass(unpinned))).toEqual({
      at: NOW_MS + 10 * SECOND,
      earliest: NOW_MS + 5 * SECOND,
      latest: NOW_MS + 20 * SECOND,
    });
  });

  it('is not later than the next expiry event, and not earlier than now', () => {
    const expiry = alarmOf(published(expiresIn(60)))?.at ?? 0;
    expect(delayOf(expiresIn(60), 50)).toBe(expiry - NOW_MS);
    expect(alarmOf(aStoredPass(expiresIn(60), { tries: 50 }))?.latest).toBe(expiry);
    expect(delayOf(expiresIn(-3600), 0)).toBe(0);
  });
});

describe('a settled pass', () => {
  it('has no alarm once it is published, unless it expires', () => {
    expect(alarmOf(published(anActivePass()))).toBeUndefined();
    expect(alarmOf(published(expiresIn(60)))?.at).toBeGreaterThan(NOW_MS + 60 * SECOND);
  });

  it.each([
    ['its newest version is not published', { sent: { version: 2, eventsInFeed: 1, entriesInTrail: 0 } }],
    ['the feed may lack its events', { sent: { version: 3, eventsInFeed: 0, entriesInTrail: 0 } }],
    ['the operator’s list has it', { listed: { since: NOW, isWritten: true } }],
  ])('has a retry while %s', (_, overrides) => {
    const pass = { ...anActivePass(), feed: { examined: 2, last: 1, pending: [] } };
    expect(alarmOf(published(pass, overrides))?.at).toBe(NOW_MS + 30 * SECOND);
  });

  it('keeps an alarm that fires after a usual publication, because another one costs a row', () => {
    const unpublished = published(anActivePass(), { sent: { version: 2, eventsInFeed: 0, entriesInTrail: 0 } });
    expect(alarmOf(unpublished)).toEqual({
      at: NOW_MS + 30 * SECOND,
      earliest: NOW_MS + 3 * SECOND,
      latest: NOW_MS + 60 * SECOND,
    });
  });

  it('has its alarm exactly at its expiry event, and at most a year ahead, because the platform refuses later times', () => {
    const soon = alarmOf(published(expiresIn(60)));
    expect([soon?.earliest, soon?.latest]).toEqual([soon?.at, soon?.at]);
    const far = alarmOf(published(expiresIn(MAX_TIMESTAMP - NOW)));
    expect(far).toEqual({ at: NOW_MS + YEAR_MS, earliest: NOW_MS + YEAR_MS / 2, latest: NOW_MS + YEAR_MS });
  });
});
