import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { OnChainState, PassState } from '../../../src/pass/vocabulary.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { aProjection, walletOf } from '../store/rows.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import type { Answer } from './answer.ts';
import { Api, enablePublicVerify, register, type Send, workerWith } from './api.ts';
import { newClientId, newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** The public check of a wallet's pass. */

const { DB } = env as Env;
const NOW = Math.floor(Date.now() / 1000);
const anybody = new Api();
const errors = vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  errors.mockClear();
});

async function aNetwork({ isPublic = true, shard = 'DB' } = {}): Promise<string> {
  const gatekeeperNetwork = newGatekeeperNetwork();
  await register({ clientId: newClientId(), gatekeeperNetwork, shard });
  if (isPublic) await enablePublicVerify(gatekeeperNetwork);
  return gatekeeperNetwork;
}

const ours = await aNetwork();
const closed = await aNetwork({ isPublic: false });
/** Knows the gatekeeper networks that are public now. */
const fresh = () => workerWith({});
let passes = 0;

interface Facts {
  readonly onChain: OnChainState;
  readonly state: PassState;
  /** The earlier expiry, in seconds from now; null: never. */
  readonly until: number | null;
  /** Wanted expiry, in seconds from now. */
  readonly wanted?: number;
}

/** Publishes a pass, and returns the path of its check. */
async function aCheck({ onChain, state, until, wanted }: Facts, gatekeeperNetwork = ours, db = DB): Promise<string> {
  passes += 1;
  const row = aProjection(passes, { gatekeeperNetwork, state, version: 2 });
  const record = {
    ...JSON.parse(row.record),
    onChainState: onChain,
    ...(wanted !== undefined && { expiryTimestamp: NOW + wanted }),
  };
  const end = typeof until === 'number' ? NOW + until : null;
  const validity = { onChainState: onChain, until: end, isPending: false, issuedBy: null };
  await publishPasses(db, [{ ...row, record: JSON.stringify(record), validity }]);
  return pathOf(gatekeeperNetwork, row.key.wallet);
}

const pathOf = (gatekeeperNetwork: string, wallet: string, network = 'ethereum/sepolia') =>
  `/verify/${gatekeeperNetwork}/${network}/${wallet}`;
const ask = (path: string, send: Send = fresh(), headers: HeadersInit = {}) =>
  anybody.through(send).call('GET', path, { headers });
const bodyOf = ({ text }: Answer) => JSON.parse(text) as { valid: boolean; state: string; asOf: number };

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
    });
    expect(Math.abs(bodyOf(answer).asOf - Date.now() / 1000)).toBeLessThan(10);
  });

  it('says NONE for a wallet without a pass', async () => {
    const answer = await ask(pathOf(ours, walletOf(999_999)));
    const contract = defaultContract({ network: 'sepolia' });
    expect(bodyOf(answer)).toEqual({ valid: false, state: 'NONE', contract, asOf: expect.any(Number) });
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

/** A deployment with a domain of its own, where the platform has a cache. */
const OWN_DOMAIN = { PUBLIC_ORIGIN: 'https://api.example.com' };

describe('the cost of checks', () => {
  it('is one row of D1 for a check that no cache has', async () => {
    const path = await aCheck({ onChain: 'ACTIVE', state: 'ACTIVE', until: 600, wanted: 600 });
    const { send, uses } = recordedWorker();
    await ask(pathOf(ours, walletOf(999_998)), send);
    forget(uses);
    expect(bodyOf(await ask(path, send)).valid).toBe(true);
    expect(uses.statements.map(({ meta }) => meta.rows_read)).toEqual([1]);
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
    await eventually(async () => {
      forget(uses);
      const again = await ask(`${path}?cache=bust`, send);
      expect(again.text).toBe(first.text);
      expect(Number(again.headers.get('age'))).toBeLessThanOrEqual(15);
      expect(uses.statements).toEqual([]);
    });
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
