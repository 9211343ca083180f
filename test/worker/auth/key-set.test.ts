import { errors, type FlattenedJWSInput, type JSONWebKeySet } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeysUnavailable, remoteKeySet } from '../../../src/auth/key-set.ts';
import { eventually } from '../../eventually.ts';
import type { StubbedAnswer } from '../../special-issuer.ts';
import { withOwnTimers } from '../own-timers.ts';
import { anEndpoint } from './an-endpoint.ts';
import { anIssuer, NOW } from './an-issuer.ts';

/** The keys of the issuer (JWKS): when they are fetched, how long they are valid, and which requests wait for them. */

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const [first, second] = await Promise.all([anIssuer('ES256', 'first'), anIssuer('ES256', 'second')]);

const TOKEN: FlattenedJWSInput = { payload: '', signature: '' };

const gives = (keys: JSONWebKeySet['keys']): StubbedAnswer => ({ body: JSON.stringify({ keys }) });
const FIRST = gives([first.jwk]);
const SECOND_ONE = gives([second.jwk]);
const BOTH = gives([first.jwk, second.jwk]);
const HANGS: StubbedAnswer = { hangs: true };
const DOWN: StubbedAnswer = { status: 503 };

/** Returns a key set of an issuer with these answers over HTTP. */
async function aKeySet(answer: StubbedAnswer) {
  const issuer = await anEndpoint(answer);
  const keys = remoteKeySet(issuer.url);
  const find = (kid: string, alg = 'ES256') => keys({ alg, kid }, TOKEN);
  return { issuer, find };
}

const found = { type: 'public' };
const unknown = errors.JWKSNoMatchingKey;

// Only the clock is fake. Fetching, and its duration, are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});
const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

describe('the cached key set', () => {
  it('fetches the keys on first use, once for a thousand simultaneous callers', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    expect(await issuer.asked()).toBe(0);
    const all = await Promise.all(Array.from({ length: 1000 }, () => find('first')));
    expect(all).toEqual(all.map(() => expect.objectContaining(found)));
    expect(await issuer.asked()).toBe(1);
  });

  it('caches the keys for five minutes', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    later(5 * MINUTE - 1);
    await find('first');
    expect(await issuer.asked()).toBe(1);
  });

  it('refreshes the keys in the background, and holds no request up while the issuer hangs', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    await issuer.answers(HANGS);
    later(5 * MINUTE);
    // None of its timers fires meanwhile.
    const now = Date.now();
    await withOwnTimers(async () => expect(await find('first')).toMatchObject(found));
    vi.useFakeTimers({ toFake: ['Date'], now });
    await eventually(async () => expect(await issuer.asked()).toBe(2));
    expect(await find('first')).toMatchObject(found);
    expect(await issuer.asked()).toBe(2);
  });

  it('follows a rotation without a restart: accepts a new key and refuses the removed one', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    await issuer.answers(BOTH);
    later(5 * MINUTE);
    await find('first');
    await eventually(async () => expect(await find('second')).toMatchObject(found));
    await issuer.answers(SECOND_ONE);
    later(5 * MINUTE);
    await find('second');
    await eventually(() => expect(find('first')).rejects.toThrow(unknown));
    expect(await find('second')).toMatchObject(found);
    expect(await issuer.asked()).toBe(3);
  });

  it('fetches keys again before it uses them after an idle hour, and refuses a removed key at once', async () => {
    const { issuer, find } = await aKeySet(BOTH);
    await find('first');
    await issuer.answers(SECOND_ONE);
    later(HOUR);
    await expect(find('first')).rejects.toThrow(unknown);
    expect(await find('second')).toMatchObject(found);
    expect(await issuer.asked()).toBe(2);
  });

  it('fetches keys again though the clock was set back', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    await issuer.answers(SECOND_ONE);
    later(-2 * HOUR);
    expect(await find('second')).toMatchObject(found);
  });
});

describe('an unknown key', () => {
  it('is refused only after a fetch that began after the request did not find it', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    await expect(find('second')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 5 });
    later(5 * SECOND - 1);
    await expect(find('second')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 1 });
    expect(await issuer.asked()).toBe(1);
    later(1);
    await expect(find('second')).rejects.toThrow(unknown);
    expect(await issuer.asked()).toBe(2);
  });

  it('that somebody invents delays no real key by more than five seconds, and nobody gets a refusal for the real one', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    later(31 * SECOND);
    await expect(find('made-up')).rejects.toThrow(unknown);
    await issuer.answers(BOTH);
    for (const retryAfter of [4, 3, 2, 1]) {
      later(SECOND);
      await expect(find('second')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter });
      expect(await find('first')).toMatchObject(found);
    }
    expect(await issuer.asked()).toBe(2);
    later(SECOND);
    expect(await find('second')).toMatchObject(found);
    expect(await issuer.asked()).toBe(3);
  });

  it('is not refused because of a fetch that was on its way before the request', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    later(31 * SECOND);
    await issuer.answers({ ...FIRST, delayMs: 500 });
    const invented = find('made-up');
    // `eventually` would move the clock.
    while ((await issuer.asked()) < 2) await scheduler.wait(1);
    later(1);
    await expect(find('second')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 5 });
    await expect(invented).rejects.toThrow(unknown);
    await issuer.answers(BOTH);
    later(5 * SECOND);
    expect(await find('second')).toMatchObject(found);
  });

  it.each([
    ['answers', FIRST],
    ['fails', DOWN],
    ['hangs', HANGS],
  ])(
    'costs one fetch in 5 seconds, however many there are, while the issuer %s, and known keys serve',
    async (_, answer) => {
      const { issuer, find } = await aKeySet(FIRST);
      await find('first');
      await issuer.answers(answer);
      for (const fetches of [2, 3]) {
        later(5 * SECOND);
        const names = Array.from({ length: 500 }, (_, index) => `made-up-${index}`);
        const asked = await Promise.allSettled(names.map((name) => find(name)));
        // Only an issuer that answers can say that it does not have the key.
        const reason = answer === FIRST ? expect.any(unknown) : expect.any(KeysUnavailable);
        expect(asked).toEqual(names.map(() => ({ status: 'rejected', reason })));
        expect(await find('first')).toMatchObject(found);
        expect(await issuer.asked()).toBe(fetches);
      }
    },
  );

  it('is not looked up at the issuer if only the algorithm of a known key differs', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    later(MINUTE);
    await expect(find('first', 'RS256')).rejects.toThrow(unknown);
    expect(await issuer.asked()).toBe(1);
  });
});

describe.each<[string, StubbedAnswer]>([
  ['answers 500', { status: 500 }],
  ['answers 404 with a key set', { ...BOTH, status: 404 }],
  ['sends elsewhere, where the keys are', { status: 302, headers: { location: '/jwks' } }],
  ['answers with a page', { body: '<html></html>' }],
  ['answers with nothing', { body: '' }],
  ['answers with other JSON', { body: '{"error":"later"}' }],
  ['answers with keys of rubbish', { body: '{"keys":"later"}' }],
  ['answers with no key', gives([])],
  ['answers with 200 kB', { body: JSON.stringify({ keys: [first.jwk, { kty: 'x'.repeat(200_000) }] }) }],
])('an issuer that %s', (_, answer) => {
  it('uses the last good keys for 24 hours, and asks the issuer again at growing intervals', async () => {
    const { issuer, find } = await aKeySet(FIRST);
    await find('first');
    await issuer.answers(answer);
    for (const [pause, fetches] of [
      [HOUR, 2],
      [10 * HOUR, 3],
      [13 * HOUR - 1, 4],
    ] as const) {
      later(pause);
      expect(await find('first')).toMatchObject(found);
      expect(await issuer.asked()).toBe(fetches);
    }
    later(1);
    await expect(find('first')).rejects.toThrow(KeysUnavailable);
  });

  it('reports unavailable keys at first, asks once in 30 seconds, and recovers with the issuer', async () => {
    const { issuer, find } = await aKeySet(answer);
    await expect(find('first')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 30 });
    later(30 * SECOND - 1);
    await expect(find('first')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 1 });
    expect(await issuer.asked()).toBe(1);
    await issuer.answers(FIRST);
    later(1);
    expect(await find('first')).toMatchObject(found);
    expect(await issuer.asked()).toBe(2);
  });
});

it('treats an issuer that cannot be reached as down', async () => {
  const { find } = await aKeySet(FIRST);
  const fails = vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('Network connection lost.'));
  await expect(find('first')).rejects.toMatchObject({ name: 'KeysUnavailable', retryAfter: 30 });
  fails.mockRestore();
  later(30 * SECOND);
  expect(await find('first')).toMatchObject(found);
});

it('holds requests up for two seconds when the issuer never answers, and asks it again later', async () => {
  const { issuer, find } = await aKeySet(HANGS);
  const fetches = vi.spyOn(globalThis, 'fetch');
  await withOwnTimers(async () => {
    let isOver = false;
    const finding = Promise.allSettled([find('first'), find('first'), find('second')]).finally(() => {
      isOver = true;
    });
    while ((await issuer.asked()) === 0) await scheduler.wait(1);
    await vi.advanceTimersByTimeAsync(2 * SECOND - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const asked = await finding;
    expect(asked).toEqual(asked.map(() => ({ status: 'rejected', reason: expect.any(KeysUnavailable) })));
    // The fetch is aborted, too.
    await expect(fetches.mock.results[0]?.value).rejects.toThrow(/timeout/);
    fetches.mockRestore();
    expect(await issuer.asked()).toBe(1);
    await issuer.answers(FIRST);
    later(30 * SECOND);
    expect(await find('first')).toMatchObject(found);
  });
});
