import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import { storeCoverage } from '../../../src/store/validity.ts';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { walletOf } from '../store/rows.ts';
import { aCheck, ask, type Body, bodyOf, NOW, OWN_DOMAIN, ours, pathOf } from './a-check.ts';
import type { Answer } from './answer.ts';
import { workerWith } from './api.ts';
import { newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';

/** The cost of a public check, and the cache of the platform that saves it. */

const { DB } = env as Env;
const origin = OWN_DOMAIN.PUBLIC_ORIGIN;
const cached = async (path: string) => (await (await caches.open('gatepass-verify')).match(origin + path))?.text();
afterEach(() => void vi.useRealTimers());

describe('the cost of checks', () => {
  it('is one row of D1, and one for the coverage, for a check that no cache has', async () => {
    const path = await aCheck({
      onChain: 'ACTIVE',
      state: 'ACTIVE',
      until: 600,
      wanted: 600,
      network: 'fantomTestnet',
    });
    const { send, uses } = recordedWorker();
    await storeCoverage({ DB }, 'fantomTestnet', NOW as UnixSeconds);
    await ask(pathOf(ours, walletOf(999_998)), send);
    forget(uses);
    expect(bodyOf(await ask(path, send)).valid).toBe(true);
    expect(uses.statements.map(({ meta }) => meta.rows_read)).toEqual([2]);
    expect([uses.calls, uses.messages]).toEqual([[], []]);
  });

  it('is nothing for a thousand unknown gatekeeper networks', async () => {
    const { send, uses } = recordedWorker();
    await ask(pathOf(ours, walletOf(1)), send);
    forget(uses);
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => ask(pathOf(newGatekeeperNetwork(), walletOf(1)), send)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(uses.statements).toEqual([]);
  });

  it('is one query for a thousand of them at once in an isolate that has just started', async () => {
    const { send, uses } = recordedWorker();
    await Promise.all(Array.from({ length: 1_000 }, () => ask(pathOf(newGatekeeperNetwork(), walletOf(1)), send)));
    expect(uses.statements).toHaveLength(1);
  });

  it('is no row for a repetition within 15 seconds, whatever its query and the case of its wallet', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
    const { send, uses } = recordedWorker(OWN_DOMAIN);
    const first = await ask(path, send);
    await eventually(async () => expect(await cached(path)).toBe(first.text));
    forget(uses);
    const again = await ask(`${path}?cache=bust`, send);
    expect(again.text).toBe(first.text);
    expect(Number(again.headers.get('age'))).toBeLessThanOrEqual(15);
    expect(uses.statements).toEqual([]);
    const upper = path.replace(/0x.*/, (wallet) => `0x${wallet.slice(2).toUpperCase()}`);
    expect((await ask(upper, send)).text).toBe(first.text);
    expect(uses.statements).toEqual([]);
  });

  it.each([{}, { PUBLIC_ORIGIN: 'https://gatepass.acme.workers.dev' }])(
    'is a row for each check where the platform has no cache (%j)',
    async (settings) => {
      const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
      const { send, uses } = recordedWorker(settings);
      for (let times = 0; times < 3; times += 1) await ask(path, send);
      expect(uses.statements.filter(({ sql }) => sql.includes('FROM passes'))).toHaveLength(3);
    },
  );
});

describe('the cache of the platform', () => {
  const put = async (path: string, text: string) => {
    const response = new Response(text, { headers: { 'cache-control': 'public, max-age=15' } });
    await (await caches.open('gatepass-verify')).put(origin + path, response);
  };
  const at = (seconds: number) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime((NOW + seconds) * 1000);
  };
  const cover = (network: string, seconds: number) => storeCoverage({ DB }, network, (NOW + seconds) as UnixSeconds);
  const timesOf = ({ headers, text }: Answer) => ({
    coveredUntil: (JSON.parse(text) as Body).coveredUntil,
    keep: headers.get('cache-control'),
    age: headers.get('age'),
  });

  it('serves whoever accepts the age of its answer, and gets a new one for others', async () => {
    const network = 'optimismSepolia';
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null, network });
    const { send, uses } = recordedWorker(OWN_DOMAIN);
    at(0);
    await cover(network, -3);
    const first = await ask(path, send);
    await eventually(async () => expect(await cached(path)).toBe(first.text));
    await cover(network, 6);
    at(7);
    forget(uses);
    const old = { coveredUntil: NOW - 3, age: '7' };
    // A browser may keep it for 8 s, for 2 s, and for no time.
    expect(timesOf(await ask(`${path}?maxAge=20`, send))).toEqual({ ...old, keep: 'public, max-age=15' });
    expect(timesOf(await ask(`${path}?maxAge=12`, send))).toEqual({ ...old, keep: 'public, max-age=9' });
    expect(timesOf(await ask(`${path}?maxAge=10`, send))).toEqual({ ...old, keep: 'public, max-age=7' });
    expect(timesOf(await ask(path, send))).toEqual({ ...old, keep: 'public, max-age=15' });
    expect(uses.statements).toEqual([]);
    const fresh = await ask(`${path}?maxAge=9`, send);
    expect(timesOf(fresh)).toEqual({ coveredUntil: NOW + 6, age: '0', keep: 'public, max-age=8' });
    expect(uses.statements).toHaveLength(1);
    await eventually(async () => expect(await cached(path)).toBe(fresh.text));
    expect((await ask(path, send)).text).toBe(fresh.text);
    expect(uses.statements).toHaveLength(1);
  });

  it('gets the newest answer also if that is too old for the caller', async () => {
    const network = 'arbitrumSepolia';
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null, isPending: true, network });
    const { send, uses } = recordedWorker(OWN_DOMAIN);
    at(0);
    await cover(network, -30);
    expectProblem(await ask(`${path}?maxAge=29`, send), 'not_fresh_enough');
    await eventually(async () => expect(await cached(path)).toContain('"pending":true'));
    forget(uses);
    expect(bodyOf(await ask(path, send))).toMatchObject({ valid: false, pending: true });
    expect(uses.statements).toEqual([]);
  });

  it.each([
    ['an answer of the release before', { valid: true, state: 'ACTIVE', contract: CIVIC_CONTRACT, asOf: NOW }],
    ['rubbish', undefined],
  ])('may have %s, and the check then reads the database', async (_, body) => {
    const path = await aCheck({ onChain: 'FROZEN', state: 'FROZEN', until: null });
    for (const query of ['', '?maxAge=60']) {
      await put(path, body === undefined ? '<html>' : JSON.stringify(body));
      await cover('sepolia', 0);
      at(0);
      const answer = await ask(path + query, workerWith(OWN_DOMAIN));
      expect(bodyOf(answer)).toMatchObject({ valid: false, state: 'FROZEN', coveredUntil: NOW });
      await eventually(async () => expect(await cached(path)).toBe(answer.text));
    }
  });
});
