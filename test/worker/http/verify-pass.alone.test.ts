import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import { addRemovedGatekeeper, deleteRemovedGatekeeper, storeCoverage } from '../../../src/store/validity.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { walletOf } from '../store/rows.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { aCheck, aNetwork, anybody, ask, bodyOf, type Facts, fresh, NOW, OWN_DOMAIN, ours, pathOf } from './a-check.ts';
import type { Answer } from './answer.ts';
import { enablePublicVerify, register, workerWith } from './api.ts';
import { newClientId, newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** The public check of a wallet's pass. */

const { DB } = env as Env;
const errors = vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  errors.mockClear();
});

const closed = await aNetwork({ isPublic: false });

describe('a check', () => {
  it.each<[Facts & { readonly valid: boolean; readonly shown?: number }]>([
    [{ onChain: 'ACTIVE', state: 'ACTIVE', until: null, valid: true }],
    [{ onChain: 'ACTIVE', state: 'ACTIVE', until: 600, wanted: 600, valid: true, shown: 600 }],
    [{ onChain: 'ACTIVE', state: 'ACTIVE', until: -5, wanted: -5, valid: false, shown: -5 }],
    // A renewal is under way: the chain still has the old expiry.
    [{ onChain: 'ACTIVE', state: 'ACTIVE', until: -5, wanted: 600, valid: false, shown: -5 }],
    [{ onChain: 'ACTIVE', state: 'FROZEN', until: null, valid: false }],
    [{ onChain: 'ACTIVE', state: 'REVOKED', until: null, valid: false }],
    [{ onChain: 'FROZEN', state: 'ACTIVE', until: null, valid: false }],
    [{ onChain: 'FROZEN', state: 'FROZEN', until: 600, wanted: 600, valid: false, shown: 600 }],
    [{ onChain: 'REVOKED', state: 'REVOKED', until: null, valid: false }],
    [{ onChain: 'NONE', state: 'REQUESTED', until: null, wanted: 600, valid: false }],
    [{ onChain: 'NONE', state: 'REJECTED', until: null, valid: false }],
  ])('says for %o what chain and partner agree on', async ({ valid, shown, ...facts }) => {
    const answer = await ask(await aCheck(facts));
    expect(answer.status).toBe(200);
    const expiryTimestamp = shown === undefined ? {} : { expiryTimestamp: NOW + shown };
    const contract = defaultContract({ network: 'sepolia' });
    expect(bodyOf(answer)).toEqual({
      valid,
      state: facts.onChain,
      ...expiryTimestamp,
      contract,
      asOf: expect.any(Number),
      coveredUntil: null,
    });
    expect(Math.abs(bodyOf(answer).asOf - Date.now() / 1000)).toBeLessThan(10);
  });

  it('says NONE for a wallet without a pass', async () => {
    const answer = await ask(pathOf(ours, walletOf(999_999)));
    const contract = defaultContract({ network: 'sepolia' });
    const { asOf } = bodyOf(answer);
    expect(bodyOf(answer)).toEqual({ valid: false, state: 'NONE', contract, asOf, coveredUntil: asOf });
    const onSolana = await ask(pathOf(ours, SOLANA_WALLET, 'solana/devnet'));
    expect(bodyOf(onSolana)).toMatchObject({ state: 'NONE', contract: defaultContract({ network: 'devnet' }) });
  });

  it('names the contract of the gatekeeper network, if it is another one than the default', async () => {
    const gatekeeperNetwork = await aNetwork();
    const contracts = JSON.stringify({ sepolia: CIVIC_CONTRACT });
    await DB.prepare('UPDATE gatekeeper_networks SET contracts = ? WHERE key = ?')
      .bind(contracts, gatekeeperNetwork)
      .run();
    const send = fresh();
    expect(bodyOf(await ask(pathOf(gatekeeperNetwork, walletOf(1)), send))).toMatchObject({ contract: CIVIC_CONTRACT });
    const elsewhere = await ask(pathOf(gatekeeperNetwork, walletOf(1), 'ethereum/baseSepolia'), send);
    expect(bodyOf(elsewhere)).toMatchObject({ contract: defaultContract({ network: 'baseSepolia' }) });
  });

  it('answers any page, without a token, and HEAD as GET', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
    const send = fresh();
    for (const origin of ['https://dapp.example', 'null']) {
      const { headers } = await ask(path, send, { origin });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('cache-control')).toBe('public, max-age=15');
      expect(headers.get('vary')).toBeNull();
    }
    const head = await anybody.through(send).call('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    const preflight = { origin: 'https://dapp.example', 'access-control-request-method': 'GET' };
    const allowed = await send(new Request(`https://api.example${path}`, { method: 'OPTIONS', headers: preflight }));
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });

  it('keeps that with configured origins, which other routes are limited to', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
    const send = workerWith({ CORS_ORIGINS: 'https://dash.example' });
    for (const origin of ['https://dash.example', 'https://dapp.example']) {
      const { headers } = await ask(path, send, { origin });
      expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual(['*', null]);
    }
  });

  it('refuses bad input with a problem that any page can read', async () => {
    const bad = [
      ['bitcoin/sepolia', walletOf(1), 'unknown_network', '/chain'],
      ['ethereum/devnet', walletOf(1), 'unknown_network', '/chainNetwork'],
      ['ethereum/sepolia', SOLANA_WALLET, 'invalid_wallet', '/wallet'],
      ['ethereum/sepolia', wrongChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'invalid_wallet', '/wallet'],
      ['ethereum/sepolia', '%00', 'invalid_wallet', '/wallet'],
    ] as const;
    for (const [network, wallet, code, pointer] of bad) {
      const answer = await ask(pathOf(ours, wallet, network));
      expectProblem(answer, code, { pointers: [pointer] });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('counts toward the limit of the address, and any page can read that', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
    const answer = await ask(path, workerWith({ ADDRESS_LIMIT: { limit: async () => ({ success: false }) } }));
    expectProblem(answer, 'rate_limited');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a change by others', () => {
  const removed = '0x1111111111111111111111111111111111111111';
  const kept = '0x2222222222222222222222222222222222222222';

  it.each([false, true])('that takes access away makes the check invalid at once (%s)', async (isPending) => {
    for (const onChain of ['ACTIVE', 'FROZEN', 'REVOKED', 'NONE'] as const) {
      const facts = { onChain, state: 'ACTIVE', until: null, isPending } as const;
      const answer = JSON.parse((await ask(await aCheck(facts))).text);
      expect(answer).toMatchObject({ valid: onChain === 'ACTIVE' && !isPending, state: onChain });
      if (isPending && onChain !== 'NONE') expect(answer.pending).toBe(true);
      else expect(answer).not.toHaveProperty('pending');
    }
  });

  it('that removed a gatekeeper makes its tokens, and those of an unknown one, invalid until it is back', async () => {
    const gatekeeperNetwork = await aNetwork();
    const contract = defaultContract({ network: 'sepolia' });
    const pair = { gatekeeperNetwork, network: 'sepolia', gatekeeper: removed, contract };
    const active = { onChain: 'ACTIVE', state: 'ACTIVE', until: null } as const;
    const paths = {
      removed: await aCheck({ ...active, issuedBy: removed }, gatekeeperNetwork),
      kept: await aCheck({ ...active, issuedBy: kept }, gatekeeperNetwork),
      unknown: await aCheck(active, gatekeeperNetwork),
      elsewhere: await aCheck({ ...active, issuedBy: removed, network: 'baseSepolia' }, gatekeeperNetwork),
      ofAnother: await aCheck({ ...active, issuedBy: removed }),
    };
    const validNow = async () => {
      const answers = Object.entries(paths).map(async ([name, path]) => [name, bodyOf(await ask(path)).valid] as const);
      return (await Promise.all(answers)).flatMap(([name, valid]) => (valid ? [name] : []));
    };
    expect(await validNow()).toEqual(Object.keys(paths));
    await addRemovedGatekeeper(DB, { ...pair, contract: CIVIC_CONTRACT }, NOW as UnixSeconds);
    expect(await validNow()).toEqual(Object.keys(paths));
    await addRemovedGatekeeper(DB, { ...pair, contract: contract.toLowerCase() }, NOW as UnixSeconds);
    expect(await validNow()).toEqual(['kept', 'elsewhere', 'ofAnother']);
    await deleteRemovedGatekeeper(DB, pair);
    expect(await validNow()).toEqual(Object.keys(paths));
  });
});

describe('the age that a caller accepts', () => {
  const active = { onChain: 'ACTIVE', state: 'ACTIVE', until: null } as const;
  /** Sets the clock, and how many seconds ago the watcher has covered the network. */
  const coveredAgo = async (network: string, seconds: number) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(NOW * 1000 + 400);
    await storeCoverage({ DB }, network, (NOW - seconds) as UnixSeconds);
  };

  it.each([
    { ago: 0, maxAge: 1, browser: 1 },
    { ago: 10, maxAge: 9 },
    { ago: 10, maxAge: 10, browser: 0 },
    { ago: 10, maxAge: 12, browser: 2 },
    { ago: 10, maxAge: 25, browser: 15 },
    { ago: 10, maxAge: 86_400, browser: 15 },
    { ago: -3, maxAge: 1, browser: 4 },
    { ago: 86_401, maxAge: 86_400 },
    { ago: 86_401, browser: 15 },
  ])('bounds how long a browser keeps the answer: %o', async ({ ago, maxAge, browser }) => {
    await coveredAgo('polygonAmoy', ago);
    for (const facts of [active, { ...active, isPending: true }, { ...active, onChain: 'NONE', state: 'REQUESTED' }]) {
      const path = await aCheck({ ...facts, network: 'polygonAmoy' } as Facts);
      const answer = await ask(maxAge === undefined ? path : `${path}?maxAge=${maxAge}`);
      if (browser === undefined) {
        expectProblem(answer, 'not_fresh_enough');
      } else {
        expect(bodyOf(answer)).toMatchObject({ asOf: NOW, coveredUntil: NOW - ago });
        const { headers } = answer;
        expect([headers.get('cache-control'), headers.get('age')]).toEqual([`public, max-age=${browser}`, '0']);
      }
    }
  });

  it.each([
    ['polygonAmoy', '5'],
    ['mainnet', '24'],
  ])('cannot be met on %s: the answer says when to ask again, and no cache keeps it', async (network, interval) => {
    await coveredAgo(network, 61);
    const path = await aCheck({ ...active, network });
    const { send, uses } = recordedWorker();
    await ask(path, send);
    forget(uses);
    const answer = await ask(`${path}?maxAge=60`, send, { origin: 'https://dapp.example' });
    expectProblem(answer, 'not_fresh_enough');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'retry-after': interval,
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(answer.headers.get('age')).toBeNull();
    expect([uses.statements.length, uses.calls, uses.messages]).toEqual([1, [], []]);
    expect((await anybody.through(send).call('HEAD', `${path}?maxAge=60`)).status).toBe(503);
  });

  it('cannot be met where no watcher has ever been', async () => {
    const path = await aCheck({ ...active, network: 'xdcApothem' });
    expectProblem(await ask(`${path}?maxAge=86400`), 'not_fresh_enough');
    expect(bodyOf(await ask(path))).toMatchObject({ valid: true, coveredUntil: null });
  });

  it('is always met for a wallet without a pass, because no change on chain gives it one', async () => {
    await coveredAgo('polygonAmoy', 1_000);
    for (const network of ['polygonAmoy', 'xdcApothem']) {
      const answer = await ask(`${pathOf(ours, walletOf(999_997), `ethereum/${network}`)}?maxAge=1`);
      expect(bodyOf(answer)).toMatchObject({ valid: false, asOf: NOW, coveredUntil: NOW });
      expect(answer.headers.get('cache-control')).toBe('public, max-age=1');
    }
  });

  it.each([['', '0', '-1', '+5', '1.5', '1e3', '0x10', '%205', '5%20', '5s', '86401', '99999999999', '%D9%A5', 'NaN']])(
    'is refused if it is no whole number from 1 to 86400',
    async (...values) => {
      const path = await aCheck(active);
      for (const value of values) {
        const answer = await ask(`${path}?maxAge=${value}`);
        expectProblem(answer, 'invalid_request', { pointers: ['/maxAge'] });
        expect(answer.text, value).toContain('must be a whole number from 1 to 86400');
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      }
      for (const query of ['maxAge=60&maxAge=60', 'maxAge=&maxAge=60', 'max%41ge=60&a=b&maxAge=61']) {
        const answer = await ask(`${path}?${query}`);
        expectProblem(answer, 'invalid_request', { pointers: ['/maxAge'] });
        expect(answer.text).toContain('must not be repeated');
      }
    },
  );

  it('is no other parameter, which the check ignores as before', async () => {
    const path = await aCheck({ ...active, network: 'xdcApothem' });
    for (const query of ['maxage=0', 'max_age=0', 'maxAge%20=0', '=&&a&a', 'a=1&a=2'])
      expect((await ask(`${path}?${query}`)).status, query).toBe(200);
  });
});

describe('a gatekeeper network without public checks', () => {
  const withoutId = ({ status, text, headers }: Answer) => {
    const { requestId: _, ...problem } = JSON.parse(text);
    return { status, problem, headers: [...headers].filter(([name]) => name !== 'x-request-id') };
  };

  it.each([
    ['is registered', closed],
    ['is unknown', newGatekeeperNetwork()],
    ['is no key', 'gatekeeper'],
    ['has a small slot', `${'1'.repeat(24)}${ours.slice(24)}`],
  ])('is answered as an unknown path if it %s', async (_, gatekeeperNetwork) => {
    const send = workerWith({ CORS_ORIGINS: 'https://dash.example' });
    const headers = { origin: 'https://dapp.example' };
    const unknown = withoutId(await ask('/nowhere', send, headers));
    for (const path of [
      pathOf(gatekeeperNetwork, walletOf(1)),
      `${pathOf(gatekeeperNetwork, walletOf(1))}?maxAge=rubbish`,
      pathOf(gatekeeperNetwork, 'rubbish'),
      pathOf(gatekeeperNetwork, walletOf(1), 'bitcoin/rubbish'),
    ]) {
      expect(withoutId(await ask(path, send, headers))).toEqual(unknown);
    }
    expect(unknown.status).toBe(404);
  });

  it('is switched within a minute', async () => {
    const gatekeeperNetwork = await aNetwork({ isPublic: false });
    const path = pathOf(gatekeeperNetwork, walletOf(1));
    const send = fresh();
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    const statusAfter = async (seconds: number) => {
      vi.setSystemTime(start + seconds * 1000);
      return (await ask(path, send)).status;
    };
    expect(await statusAfter(0)).toBe(404);
    await enablePublicVerify(gatekeeperNetwork);
    expect([await statusAfter(59), await statusAfter(60)]).toEqual([404, 200]);
    await enablePublicVerify(gatekeeperNetwork, false);
    expect([await statusAfter(119), await statusAfter(120)]).toEqual([200, 404]);
  });
});

describe('a fault', () => {
  it('of the cache costs only a read', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null });
    const broken = () => Promise.reject(new Error('no cache'));
    vi.stubGlobal('caches', { open: async () => ({ match: broken, put: broken }) });
    expect(bodyOf(await ask(path, workerWith(OWN_DOMAIN))).valid).toBe(true);
    expect(errors.mock.calls.join()).toContain('verify.cache_unavailable');
  });

  it('of the first shard does not stop checks for a day, with the last known list', async () => {
    const path = await aCheck(
      { onChain: 'ACTIVE', state: 'ACTIVE', until: null },
      await aNetwork({ shard: SECOND }),
      second,
    );
    const first = new UnreliableDatabase(DB);
    const send = workerWith({ DB: first, [SECOND]: second });
    expect((await ask(path, send)).status).toBe(200);
    first.manner = failing('D1_ERROR: away');
    vi.useFakeTimers({ toFake: ['Date'] });
    const start = Date.now();
    const statusAfter = async (seconds: number) => {
      vi.setSystemTime(start + seconds * 1000);
      return (await ask(path, send)).status;
    };
    expect([await statusAfter(120), await statusAfter(86_000), await statusAfter(87_000)]).toEqual([200, 200, 503]);
  });

  it('of the shard with the pass gives 503, which any page can read', async () => {
    const path = await aCheck(
      { onChain: 'ACTIVE', state: 'ACTIVE', until: null },
      await aNetwork({ shard: SECOND }),
      second,
    );
    const away = new UnreliableDatabase(second);
    away.manner = failing('D1_ERROR: away');
    const answer = await ask(path, workerWith({ [SECOND]: away }));
    expectProblem(answer, 'temporarily_unavailable');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});

it('a suspended partner does not change the check of its passes', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  await register({ clientId: newClientId(), gatekeeperNetwork, status: 'suspended' });
  await enablePublicVerify(gatekeeperNetwork);
  const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: null }, gatekeeperNetwork);
  expect(bodyOf(await ask(path)).valid).toBe(true);
});
