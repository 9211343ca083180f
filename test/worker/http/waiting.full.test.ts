import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { findPass } from '../../../src/store/search.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { withoutTimers } from '../without-timers.ts';
import { aPass } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { seededPartner, workerWith } from './api.ts';
import { withoutBlocks } from './node.ts';
import { anActivePass } from './sepolia-contract.ts';
import {
  acme,
  appliedPreference,
  fetchWaiting,
  issueWaiting,
  measure,
  pathTo,
  requestWaiting,
  SEPOLIA,
} from './waiting-requests.ts';
import { aWallet } from './wallets.ts';

/** `Prefer: wait=N`: the service replies when the pass is settled, so that the partner need not poll. */

const { DB, PASSES } = env as unknown as Env;
const { gatekeeperNetwork } = seededPartner('acme');
const errors = vi.spyOn(console, 'error');
beforeEach(() => void errors.mockReset());

const bookmark = ({ headers }: Answer) => ({ 'gatepass-bookmark': headers.get('gatepass-bookmark') ?? '' });

const sendBatch = vi.fn(async () => {});
/** Returns the partner at a service whose pass objects have these methods. Nothing works on its passes. */
const withObject = (methods: Readonly<Record<string, () => unknown>>) =>
  acme.through(
    workerWith({
      PASS_QUEUE: { sendBatch },
      PASSES: {
        getByName: (name: string) =>
          new Proxy(PASSES.getByName(name), {
            get: (stub, method) => methods[String(method)] ?? ((request: never) => stub[method as 'update'](request)),
          }),
      },
    }),
  );

/** Expects that a caller with the bookmark of this reply sees at least its content. */
async function isSeenEverywhere(answer: Answer) {
  const { id, walletAddress, state } = answer.record;
  const headers = { ...bookmark(answer), 'content-type': 'application/json' };
  const fetched = await acme.call('GET', pathTo(walletAddress), { headers });
  expect(fetched.record).toEqual(answer.record);
  const body = JSON.stringify({ filter: { walletAddress, state } });
  expect((await acme.call('POST', '/pass', { body, headers })).records.map((each) => each.id)).toEqual([id]);
}

describe('Prefer: wait', () => {
  it('replies to the POST with the active pass', async () => {
    const issued = await issueWaiting(aWallet());
    expect([issued.status, appliedPreference(issued), issued.headers.get('vary')]).toEqual([202, 'wait=20', 'Prefer']);
    expect(issued.record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(issued.record.events.map(({ eventType }) => eventType)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    await isSeenEverywhere(issued);
  });

  it('replies to PATCH with the frozen pass, and to DELETE with the revoked one', async () => {
    const wallet = await anActivePass(acme);
    const frozen = await requestWaiting(acme, 'PATCH', pathTo(wallet), { state: 'FROZEN' });
    expect([frozen.status, appliedPreference(frozen)]).toEqual([200, 'wait=20']);
    expect(frozen.updated).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    const revoked = await requestWaiting(acme, 'DELETE', pathTo(wallet));
    expect([revoked.status, appliedPreference(revoked)]).toEqual([200, 'wait=20']);
    expect(revoked.record).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    await isSeenEverywhere(revoked);
  });

  it('replies as soon as another request settles the pass without a transaction', async () => {
    const wallet = aWallet();
    await withoutBlocks('sepolia', async () => {
      await acme.through(workerWith({ PASS_QUEUE: { sendBatch: async () => {} } })).issue(SEPOLIA, wallet);
      const answer = await withoutTimers(async () => {
        const waiting = fetchWaiting(wallet);
        await scheduler.wait(100);
        await acme.revoke(SEPOLIA, wallet);
        return waiting;
      });
      expect([answer.record.state, answer.record.onChainState]).toEqual(['REVOKED', 'NONE']);
    });
  });

  it('replies to a repeated change only once the settled pass can be read everywhere', async () => {
    const patching = (wallet: string) => requestWaiting(acme, 'PATCH', pathTo(wallet), { state: 'ACTIVE' });
    const repeating = [issueWaiting, patching].map(async (repeat) => {
      const key = await aPass({ gatekeeperNetwork, place: 'object' });
      const [answer, ms] = await measure(repeat(key.wallet));
      expect([answer.text, appliedPreference(answer)]).toEqual([
        expect.stringContaining('"state":"ACTIVE"'),
        'wait=20',
      ]);
      // Before the time that the request may wait is over.
      expect(ms).toBeLessThan(20_000);
      expect(await findPass(DB, key)).toMatchObject({
        id: (await PASSES.getByName(passName(key)).readPublication())?.id,
      });
    });
    await Promise.all(repeating);
  });

  it('replies with the current pass when the time is over', async () => {
    await withoutBlocks('sepolia', async () => {
      const replyAfter = async (seconds: number) => {
        const [issued, ms] = await measure(issueWaiting(aWallet(), `wait=${seconds}`));
        const applied = [issued.status, appliedPreference(issued), issued.record.state];
        expect(applied).toEqual([202, `wait=${seconds}`, 'REQUESTED']);
        expect(ms).toBeGreaterThanOrEqual(seconds * 1_000);
        return issued;
      };
      const isSent = ({ record }: Answer) => record.events[0]?.transaction?.status === 'sent';
      let issued = await replyAfter(1);
      // A busy machine needs more time to send the transaction.
      for (const seconds of [4, 16]) if (!isSent(issued)) issued = await replyAfter(seconds);
      expect(isSent(issued)).toBe(true);
      await isSeenEverywhere(issued);
    });
  });
});

describe('requests that do not wait', () => {
  it('replies at once for a settled pass', async () => {
    const { wallet } = await aPass({ gatekeeperNetwork });
    const pass = PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
    const { version = 0, eventsInFeed = 0 } = (await pass.readPublication()) ?? {};
    await pass.markPublished({ version, eventsInFeed });
    const active = { state: 'ACTIVE' };
    const answers = await withoutTimers(async () => [
      await issueWaiting(wallet),
      await fetchWaiting(wallet),
      await requestWaiting(acme, 'HEAD', pathTo(wallet)),
      await requestWaiting(acme, 'PATCH', pathTo(wallet), active),
    ]);
    expect(answers.map((answer) => [answer.status, appliedPreference(answer)])).toEqual(
      [202, 200, 200, 200].map((status) => [status, 'wait=20']),
    );
  });

  it('replies at once to a refused request, so that no delay reveals the pass of another partner', async () => {
    const theirs = await aPass({ gatekeeperNetwork: seededPartner('globex').gatekeeperNetwork, state: 'REQUESTED' });
    const frozen = await aPass({ gatekeeperNetwork, state: 'FROZEN' });
    const rejected = await aPass({ gatekeeperNetwork, state: 'REJECTED' });
    const answers = await withoutTimers(() =>
      Promise.all([
        fetchWaiting(theirs.wallet),
        fetchWaiting(aWallet()),
        requestWaiting(acme, 'DELETE', pathTo(theirs.wallet)),
        requestWaiting(acme, 'PATCH', pathTo(aWallet()), { state: 'FROZEN' }),
        issueWaiting(frozen.wallet),
        requestWaiting(acme, 'DELETE', pathTo(rejected.wallet)),
        fetchWaiting('nowhere'),
        requestWaiting(acme, 'POST', '/pass/ethereum/nowhere', { walletAddress: aWallet() }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 409, 409, 400, 400]);
    expect(answers.map(appliedPreference)).toEqual(answers.map(() => null));
  });

  it.each(['wait=0', 'wait=soon', 'respond-async', ''])(
    'replies without a wait to a request that does not ask for one: %s',
    async (prefer) => {
      const awaitSettlement = vi.fn();
      const api = withObject({ awaitSettlement });
      const { wallet } = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
      for (const answer of [await fetchWaiting(wallet, prefer, api), await issueWaiting(wallet, prefer, api)]) {
        expect([answer.record.state, appliedPreference(answer), answer.headers.get('vary')]).toEqual([
          'REQUESTED',
          null,
          'Prefer',
        ]);
      }
      expect(awaitSettlement).not.toHaveBeenCalled();
    },
  );
});

describe('faults while a request waits', () => {
  const reset = () => Promise.reject(Object.assign(new Error('reset'), { durableObjectReset: true }));

  it.each([
    ['the object is restarted', reset],
    ['the pass is gone', async () => undefined],
  ])('replies as without waiting when %s', async (_, awaitSettlement) => {
    sendBatch.mockClear();
    const api = withObject({ awaitSettlement });
    const { wallet } = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
    for (const answer of [await issueWaiting(wallet, 'wait=20', api), await fetchWaiting(wallet, 'wait=20', api)]) {
      expect([answer.record.state, appliedPreference(answer), answer.status < 300]).toEqual(['REQUESTED', null, true]);
      await isSeenEverywhere(answer);
    }
    // The repeated request cannot wait, so it enqueues a message for the pass.
    expect(sendBatch).toHaveBeenCalledTimes(1);
    expect(errors.mock.calls.flat().join()).not.toContain('request.failed');
  });

  it('replies with the later state when the pass object restarts after the pass has changed', async () => {
    const wallet = aWallet();
    const real = PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
    const awaitSettlement = async () => {
      const settled = real.awaitSettlement(20_000);
      // No message comes, and its own alarm only after ten seconds.
      await runDurableObjectAlarm(real);
      return settled.then(reset);
    };
    const api = withObject({ awaitSettlement });
    const issued = await issueWaiting(wallet, 'wait=20', api);
    expect([issued.status, issued.record.state, appliedPreference(issued)]).toEqual([202, 'ACTIVE', null]);
    await isSeenEverywhere(issued);
  });

  it('replies soon with the accepted change when the pass object restarts and then hangs', async () => {
    const api = withObject({ awaitSettlement: reset, readPublication: () => new Promise(() => undefined) });
    // The object never answers, so only a limit of its own ends the request.
    const issued = await issueWaiting(aWallet(), 'wait=20', api);
    expect([issued.status, issued.record.state, appliedPreference(issued)]).toEqual([202, 'REQUESTED', null]);
  });

  it('waits for the pass while D1 fails', async () => {
    const database = new UnreliableDatabase();
    const api = acme.through(workerWith({ DB: database }));
    await api.search({});
    database.manner = failing('D1_ERROR: away');
    const issued = await issueWaiting(aWallet(), 'wait=20', api);
    expect([issued.status, issued.record.state, appliedPreference(issued)]).toEqual([202, 'ACTIVE', 'wait=20']);
  });
});

it('counts a waiting request once in the rate limits, and logs the time it may wait', async () => {
  const asked: string[] = [];
  const limit = async ({ key }: RateLimitOptions) => {
    asked.push(key);
    return { success: true };
  };
  const api = acme.through(workerWith({ READ_LIMIT: { limit }, WRITE_LIMIT: { limit }, ADDRESS_LIMIT: { limit } }));
  const { wallet } = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
  const printed = vi.spyOn(console, 'log');
  await Promise.all([fetchWaiting(wallet, 'wait=1', api), issueWaiting(wallet, 'wait=1', api)]);
  const lines = printed.mock.calls
    .map(([line]) => JSON.parse(String(line)))
    .filter(({ event }) => event === 'request.answered');
  expect(asked).toHaveLength(4);
  expect(lines).toMatchObject([{ wait_s: 1 }, { wait_s: 1 }]);
});

it('lets pages of other sites send Prefer and read Preference-Applied', async () => {
  const origin = 'https://dash.example';
  const { wallet } = await aPass({ gatekeeperNetwork });
  const page = acme.through(workerWith({ CORS_ORIGINS: origin }));
  const { headers } = await page.call('GET', pathTo(wallet), { headers: { origin, prefer: 'wait=20' } });
  expect(headers.get('vary')).toBe('Prefer, Origin');
  for (const header of ['ETag', 'Preference-Applied']) {
    expect(headers.get('access-control-expose-headers')).toContain(header);
    expect(headers.has(header)).toBe(true);
  }
});
