import { errors, type FlattenedJWSInput, type JSONWebKeySet } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeysUnavailable, remoteKeySet } from '../../src/auth/key-set.ts';
import { anIssuer, NOW } from './an-issuer.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const URL = 'https://issuer.example/jwks';
const [first, second] = await Promise.all([anIssuer('ES256', 'first'), anIssuer('ES256', 'second')]);

const TOKEN: FlattenedJWSInput = { payload: '', signature: '' };
const header = (kid: string) => ({ alg: 'ES256', kid });

/** What the issuer answers, one after the other; the last answer stays. Throws when asked for anything else. */
function anEndpoint(...answers: (() => Response | Promise<Response>)[]) {
  const asked = { times: 0 };
  const fetcher: typeof fetch = async (url) => {
    if (url !== URL) throw new Error('asked for something else');
    const answer = answers[Math.min(asked.times, answers.length - 1)];
    asked.times += 1;
    if (answer === undefined) throw new Error('asked, though nobody should');
    return answer();
  };
  return { keys: remoteKeySet(URL, fetcher), asked };
}

const gives = (jwks: JSONWebKeySet) => () => Response.json(jwks);
const isDown = () => Promise.reject<Response>(new TypeError('connection refused'));
const BOTH = { keys: [...first.jwks.keys, ...second.jwks.keys] };

// Only the clock is faked: the keys are made and imported by the runtime, in its own time.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});
const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

describe('the keys', () => {
  it('are fetched when they are first needed, once for all who ask', async () => {
    const { keys, asked } = anEndpoint(gives(first.jwks));
    expect(asked.times).toBe(0);
    const found = await Promise.all(Array.from({ length: 50 }, () => keys(header('first'), TOKEN)));
    expect(found).toHaveLength(50);
    await keys(header('first'), TOKEN);
    expect(asked.times).toBe(1);
  });

  it('verify what was signed', async () => {
    const { keys } = anEndpoint(gives(BOTH));
    expect(await keys(header('second'), TOKEN)).toMatchObject({ type: 'public' });
    await expect(keys(header('third'), TOKEN)).rejects.toThrow(errors.JWKSNoMatchingKey);
  });

  it('are fetched again after a while, so that a key the issuer withdrew is forgotten', async () => {
    const { keys, asked } = anEndpoint(gives(BOTH), gives(second.jwks));
    await keys(header('first'), TOKEN);
    later(HOUR);
    await expect(keys(header('first'), TOKEN)).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(await keys(header('second'), TOKEN)).toBeDefined();
    expect(asked.times).toBe(2);
  });
});

describe('a key that is not known yet', () => {
  it('is found once 30 seconds have passed since the last fetch, and not before', async () => {
    const { keys, asked } = anEndpoint(gives(first.jwks), gives(BOTH));
    await keys(header('first'), TOKEN);
    later(30 * SECOND - 1);
    await expect(keys(header('second'), TOKEN)).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(asked.times).toBe(1);
    later(1);
    expect(await keys(header('second'), TOKEN)).toMatchObject({ type: 'public' });
    expect(asked.times).toBe(2);
  });

  it('does not flood the issuer: a thousand made-up names are one fetch in 30 seconds', async () => {
    const { keys, asked } = anEndpoint(gives(first.jwks));
    await keys(header('first'), TOKEN);
    for (const round of [2, 3]) {
      later(30 * SECOND);
      const names = Array.from({ length: 500 }, (_, index) => header(`made-up-${index}`));
      const found = await Promise.allSettled(names.map((name) => keys(name, TOKEN)));
      expect(found.every(({ status }) => status === 'rejected')).toBe(true);
      expect(asked.times).toBe(round);
    }
  });
});

describe.each`
  trouble                           | answer
  ${'cannot be reached'}            | ${isDown}
  ${'answers 500'}                  | ${() => new Response('oops', { status: 500 })}
  ${'answers 404 with a key set'}   | ${() => Response.json(BOTH, { status: 404 })}
  ${'answers with a page'}          | ${() => new Response('<html></html>')}
  ${'answers with nothing'}         | ${() => new Response(null)}
  ${'answers with other JSON'}      | ${() => Response.json({ error: 'later' })}
  ${'answers with keys of rubbish'} | ${() => Response.json({ keys: 'later' })}
`('an issuer that $trouble', ({ answer }) => {
  it('goes on with the keys that are known, for a day', async () => {
    const { keys, asked } = anEndpoint(gives(first.jwks), answer);
    await keys(header('first'), TOKEN);
    for (const [pause, fetches] of [
      [HOUR, 2],
      [10 * HOUR, 3],
      [12 * HOUR, 4],
    ] as const) {
      later(pause);
      expect(await keys(header('first'), TOKEN)).toMatchObject({ type: 'public' });
      expect(asked.times).toBe(fetches);
    }
    later(HOUR + 1);
    await expect(keys(header('first'), TOKEN)).rejects.toThrow(KeysUnavailable);
  });

  it('leaves nothing to go on with at first, is not flooded, and serves again once it is well', async () => {
    const { keys, asked } = anEndpoint(answer, gives(first.jwks));
    for (let n = 0; n < 20; n++) await expect(keys(header('first'), TOKEN)).rejects.toThrow(KeysUnavailable);
    expect(asked.times).toBe(1);
    later(MINUTE);
    expect(await keys(header('first'), TOKEN)).toMatchObject({ type: 'public' });
    expect(asked.times).toBe(2);
  });
});

it('an issuer that never answers holds a request up for seconds, not for ever, and is asked again later', async () => {
  const { keys, asked } = anEndpoint(() => new Promise<Response>(() => {}), gives(first.jwks));
  await expect(keys(header('first'), TOKEN)).rejects.toThrow(KeysUnavailable);
  expect(asked.times).toBe(1);
  later(30 * SECOND);
  expect(await keys(header('first'), TOKEN)).toMatchObject({ type: 'public' });
}, 5_000);
