import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { findPass } from '../../../src/store/passes.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { anActivePass } from './an-active-pass.ts';
import type { Answer } from './answer.ts';
import { seeded, workerWith } from './api.ts';
import { withoutBlocks } from './node.ts';
import { aPassOf } from './passes-of.ts';
import { acme, applied, asking, fetching, issuing, pathTo, SEPOLIA, timed } from './preferring.ts';
import { aWallet } from './wallets.ts';

/** `Prefer: wait=N`: an answer when the pass has settled, without asking again and again. */

const { DB, PASSES } = env as unknown as Env;
const { gatekeeperNetwork } = seeded('acme');
const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());

const bookmark = ({ headers }: Answer) => ({ 'gatepass-bookmark': headers.get('gatepass-bookmark') ?? '' });

/** Whoever goes on with the bookmark of that answer sees what it has shown. */
async function isSeenEverywhere(answer: Answer) {
  const { id, walletAddress, state } = answer.record;
  const headers = { ...bookmark(answer), 'content-type': 'application/json' };
  const fetched = await acme.call('GET', pathTo(walletAddress), { headers });
  expect(fetched.record).toEqual(answer.record);
  const body = JSON.stringify({ filter: { walletAddress, state } });
  expect((await acme.call('POST', '/pass', { body, headers })).records.map((each) => each.id)).toEqual([id]);
}

describe('a pass that is waited for', () => {
  it('is answered active by the POST that asked for it', async () => {
    const [issued, ms] = await timed(issuing(aWallet()));
    expect([issued.status, applied(issued), issued.headers.get('vary')]).toEqual([202, 'wait=20', 'Prefer']);
    expect(issued.record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(issued.record.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(ms).toBeLessThan(10_000);
    await isSeenEverywhere(issued);
  });

  it('is answered frozen by PATCH and revoked by DELETE', async () => {
    const wallet = await anActivePass(acme);
    const frozen = await asking(acme, 'PATCH', pathTo(wallet), { state: 'FROZEN' });
    expect([frozen.status, applied(frozen)]).toEqual([200, 'wait=20']);
    expect(frozen.updated).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    const revoked = await asking(acme, 'DELETE', pathTo(wallet));
    expect([revoked.status, applied(revoked)]).toEqual([200, 'wait=20']);
    expect(revoked.record).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    await isSeenEverywhere(revoked);
  });

  it('is answered at once where somebody else has it settled without a transaction', async () => {
    const wallet = aWallet();
    await withoutBlocks('sepolia', async () => {
      await acme.through(workerWith({ LOOKS: { sendBatch: async () => {} } })).issue(SEPOLIA, wallet);
      const waiting = fetching(wallet);
      await scheduler.wait(100);
      await acme.revoke(SEPOLIA, wallet);
      const [answer, ms] = await timed(waiting);
      expect([answer.record.state, answer.record.onChainState]).toEqual(['REVOKED', 'NONE']);
      expect(ms).toBeLessThan(1_700);
    });
  });

  it('is answered to who repeats a wish that came true a moment ago when it can be read everywhere', async () => {
    const patching = (wallet: string) => asking(acme, 'PATCH', pathTo(wallet), { state: 'ACTIVE' });
    const repeating = [issuing, patching].map(async (repeat) => {
      const key = await aPassOf(gatekeeperNetwork, { place: 'object' });
      const [answer, ms] = await timed(repeat(key.wallet));
      expect([answer.text, applied(answer)]).toEqual([expect.stringContaining('"state":"ACTIVE"'), 'wait=20']);
      expect(ms).toBeLessThan(5_000);
      expect(await findPass(DB, key)).toMatchObject({
        id: (await PASSES.getByName(passName(key)).readPublication())?.id,
      });
    });
    await Promise.all(repeating);
  });

  it('is answered as it is when the time is over', async () => {
    const wallet = aWallet();
    await withoutBlocks('sepolia', async () => {
      const [issued, ms] = await timed(issuing(wallet, 'wait=1'));
      expect([issued.status, applied(issued), issued.record.state]).toEqual([202, 'wait=1', 'REQUESTED']);
      expect(issued.record.events[0]?.transaction?.status).toBe('sent');
      expect([ms >= 1_000, ms < 8_000]).toEqual([true, true]);
      await isSeenEverywhere(issued);
    });
  });
});

describe('nobody waits', () => {
  const atOnce = async (work: Promise<Answer>) => {
    const [answer, ms] = await timed(work);
    expect(ms).toBeLessThan(1_800);
    return answer;
  };

  it('for what is settled already', async () => {
    const { wallet } = await aPassOf(gatekeeperNetwork);
    const pass = PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
    await pass.markPublished((await pass.readPublication())?.version ?? 0);
    const active = { state: 'ACTIVE' };
    const answers = [
      await atOnce(issuing(wallet)),
      await atOnce(fetching(wallet)),
      await atOnce(asking(acme, 'HEAD', pathTo(wallet))),
      await atOnce(asking(acme, 'PATCH', pathTo(wallet), active)),
    ];
    expect(answers.map((answer) => [answer.status, applied(answer)])).toEqual(
      [202, 200, 200, 200].map((status) => [status, 'wait=20']),
    );
  });

  it('for what is refused: no time tells whether another has such a pass', async () => {
    const theirs = await aPassOf(seeded('globex').gatekeeperNetwork, { state: 'REQUESTED' });
    const frozen = await aPassOf(gatekeeperNetwork, { state: 'FROZEN' });
    const rejected = await aPassOf(gatekeeperNetwork, { state: 'REJECTED' });
    const refused = [
      fetching(theirs.wallet),
      fetching(aWallet()),
      asking(acme, 'DELETE', pathTo(theirs.wallet)),
      asking(acme, 'PATCH', pathTo(aWallet()), { state: 'FROZEN' }),
      issuing(frozen.wallet),
      asking(acme, 'DELETE', pathTo(rejected.wallet)),
      fetching('nowhere'),
      asking(acme, 'POST', '/pass/ethereum/nowhere', { walletAddress: aWallet() }),
    ];
    const answers = await Promise.all(refused.map(atOnce));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 409, 409, 400, 400]);
    expect(answers.map(applied)).toEqual(answers.map(() => null));
  });

  it.each(['wait=0', 'wait=soon', 'respond-async', ''])('who does not ask for it: %s', async (prefer) => {
    const { wallet } = await aPassOf(gatekeeperNetwork, { state: 'REQUESTED' });
    for (const answer of [await atOnce(fetching(wallet, prefer)), await atOnce(issuing(wallet, prefer))]) {
      expect([answer.record.state, applied(answer), answer.headers.get('vary')]).toEqual(['REQUESTED', null, 'Prefer']);
    }
  });
});

describe('when something fails, the request is answered all the same', () => {
  const sendBatch = vi.fn(async () => {});
  const reset = () => Promise.reject(Object.assign(new Error('reset'), { durableObjectReset: true }));
  const withObject = (methods: Readonly<Record<string, () => unknown>>) =>
    acme.through(
      workerWith({
        LOOKS: { sendBatch },
        PASSES: {
          getByName: (name: string) =>
            new Proxy(PASSES.getByName(name), {
              get: (stub, method) => methods[String(method)] ?? ((wish: never) => stub[method as 'update'](wish)),
            }),
        },
      }),
    );

  it.each([
    ['the object is restarted', reset],
    ['the pass is gone', async () => undefined],
  ])('%s: as if nobody had waited', async (_, settled) => {
    sendBatch.mockClear();
    const api = withObject({ settled });
    const { wallet } = await aPassOf(gatekeeperNetwork, { state: 'REQUESTED' });
    for (const answer of [await issuing(wallet, 'wait=20', api), await fetching(wallet, 'wait=20', api)]) {
      expect([answer.record.state, applied(answer), answer.status < 300]).toEqual(['REQUESTED', null, true]);
      await isSeenEverywhere(answer);
    }
    // Who repeats a wish and cannot wait with the others has the pass looked at after all.
    expect(sendBatch).toHaveBeenCalledTimes(1);
    expect(errors.mock.calls.flat().join()).not.toContain('request-failed');
  });

  it('the object is restarted when the pass has moved on: as it is by then', async () => {
    const wallet = aWallet();
    const real = PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
    const settled = () => real.awaitSettlement(20_000).then(reset);
    const api = withObject({ settled });
    const issued = await issuing(wallet, 'wait=20', api);
    expect([issued.status, issued.record.state, applied(issued)]).toEqual([202, 'ACTIVE', null]);
    await isSeenEverywhere(issued);
  });

  it('the object is restarted, and does not answer any more: as it was when the wish was granted, soon', async () => {
    const api = withObject({ settled: reset, read: () => new Promise(() => undefined) });
    const [issued, ms] = await timed(issuing(aWallet(), 'wait=20', api));
    expect([issued.status, issued.record.state, applied(issued)]).toEqual([202, 'REQUESTED', null]);
    expect(ms).toBeLessThan(5_000);
  });

  it('D1 is away: it is waited as long as the pass takes', async () => {
    const database = new UnreliableDatabase();
    const api = acme.through(workerWith({ DB: database }));
    await api.search({});
    database.manner = failing('D1_ERROR: away');
    const issued = await issuing(aWallet(), 'wait=20', api);
    expect([issued.status, issued.record.state, applied(issued)]).toEqual([202, 'ACTIVE', 'wait=20']);
  });
});

it('a request that waits counts once, and the log tells that it did', async () => {
  const asked: string[] = [];
  const limit = async ({ key }: RateLimitOptions) => {
    asked.push(key);
    return { success: true };
  };
  const api = acme.through(workerWith({ READ_LIMIT: { limit }, WRITE_LIMIT: { limit }, ADDRESS_LIMIT: { limit } }));
  const { wallet } = await aPassOf(gatekeeperNetwork, { state: 'REQUESTED' });
  const printed = vi.spyOn(console, 'log');
  await Promise.all([fetching(wallet, 'wait=1', api), issuing(wallet, 'wait=1', api)]);
  const lines = printed.mock.calls.map(([line]) => JSON.parse(String(line))).filter(({ at }) => at === 'request');
  expect(asked).toHaveLength(4);
  expect(lines).toMatchObject([{ wait: 1 }, { wait: 1 }]);
});

it('pages of other sites may ask for it, and see what came of it', async () => {
  const origin = 'https://dash.example';
  const { wallet } = await aPassOf(gatekeeperNetwork);
  const page = acme.through(workerWith({ CORS_ORIGINS: origin }));
  const { headers } = await page.call('GET', pathTo(wallet), { headers: { origin, prefer: 'wait=20' } });
  expect(headers.get('vary')).toBe('Prefer, Origin');
  for (const header of ['ETag', 'Preference-Applied']) {
    expect(headers.get('access-control-expose-headers')).toContain(header);
    expect(headers.has(header)).toBe(true);
  }
});
