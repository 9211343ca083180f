import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { withOwnTimers } from '../own-timers.ts';
import { placeNetwork, SECOND, second } from '../setup/second-database.ts';
import { recording } from '../store/recorder.ts';
import { failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { type Api, QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { callsAbout, sendCall } from './route-calls.ts';
import { aWallet } from './wallets.ts';

/** Gatekeeper networks in different databases. */

const { DB, PASSES } = env as Env;
const SEPOLIA = 'ethereum/sepolia';

const databases = { DB: recording(DB), [SECOND]: recording(second) };
const bound = Object.fromEntries(Object.entries(databases).map(([name, { db }]) => [name, db]));
const send = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, ...bound });
const printed = vi.spyOn(console, 'error').mockReturnValue();
beforeEach(() => {
  for (const { ran } of Object.values(databases)) ran.length = 0;
  printed.mockClear();
});

async function aPartnerIn(shard: string, more: { gatekeeperNetwork?: GatekeeperNetwork; status?: 'suspended' } = {}) {
  const api = await aPartner({ shard, send, ...more });
  const { gatekeeperNetwork } = api;
  const keyOf = (wallet: Wallet): PassKey => ({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
  return { gatekeeperNetwork, keyOf, api };
}

const [here, there] = await Promise.all([aPartnerIn('DB'), aPartnerIn(SECOND)]);
const objectOf = (key: PassKey) => PASSES.getByName(passName(key));

/** Returns the gatekeeper networks of that wallet's passes in this database. */
async function networksIn(db: D1Database, { wallet }: Pick<PassKey, 'wallet'>): Promise<unknown[]> {
  const rows = await db.prepare('SELECT gatekeeper_network FROM passes WHERE wallet = ?').bind(wallet).all();
  return rows.results.map(({ gatekeeper_network }) => gatekeeper_network);
}
const inBoth = async (key: Pick<PassKey, 'wallet'>) => [await networksIn(DB, key), await networksIn(second, key)];
const tablesAsked = (name: keyof typeof databases) =>
  new Set(databases[name].ran.map(({ sql }) => /(?:FROM|INTO|UPDATE) (\w+)/.exec(sql)?.[1]));

describe('partners of two shards', () => {
  it('stores the passes of one wallet in the shard of each partner, and finds them there', async () => {
    const wallet = aWallet();
    const issued = [await here.api.issue(SEPOLIA, wallet), await there.api.issue(SEPOLIA, wallet)];
    expect(issued.map(({ status }) => status)).toEqual([202, 202]);
    expect(await inBoth({ wallet })).toEqual([[here.gatekeeperNetwork], [there.gatekeeperNetwork]]);

    for (const [index, { api }] of [here, there].entries()) {
      const id = issued[index]?.record.id;
      expect((await api.fetch(SEPOLIA, wallet)).record.id).toBe(id);
      const { records } = await api.search({ filter: { walletAddress: wallet } });
      expect(records.map((record) => record.id)).toEqual([id]);
      expect((await api.search({})).records.map((record) => record.id)).toContain(id);
    }
  });

  it('reads partners from the first shard, and reads passes only from the shard of the partner', async () => {
    const wallet = aWallet();
    const fresh = await aPartnerIn(SECOND);
    await fresh.api.issue(SEPOLIA, wallet);
    await fresh.api.search({});
    expect((await fresh.api.update(SEPOLIA, wallet, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
    expect((await fresh.api.fetch(SEPOLIA, wallet)).record.state).toBe('FROZEN');
    expect([tablesAsked('DB'), tablesAsked(SECOND)]).toEqual([
      new Set(['partners', 'gatekeeper_networks']),
      new Set(['passes', 'removed_gatekeepers', 'usage']),
    ]);
    databases.DB.ran.length = databases[SECOND].ran.length = 0;

    await here.api.issue(SEPOLIA, wallet);
    await here.api.fetch(SEPOLIA, wallet);
    expect([tablesAsked('DB').has('passes'), databases[SECOND].ran]).toEqual([true, []]);
  });

  it('shows no partner the passes of the other shard', async () => {
    const [ofHere, ofThere] = [here.keyOf(aWallet()), there.keyOf(aWallet())];
    await here.api.issue(SEPOLIA, ofHere.wallet);
    await there.api.issue(SEPOLIA, ofThere.wallet);
    for (const [{ api }, key] of [[here, ofThere] as const, [there, ofHere] as const]) {
      for (const call of callsAbout(key).filter(({ route }) => route.scope !== 'issue')) {
        const answer = await sendCall(api, call);
        expect(answer.text).not.toContain(key.wallet);
        if (call.path.includes(key.wallet)) expectProblem(answer, 'pass_not_found');
      }
    }
    expect(await inBoth(ofHere)).toEqual([[here.gatekeeperNetwork], []]);
    expect(await inBoth(ofThere)).toEqual([[], [there.gatekeeperNetwork]]);
  });

  it('suspends a partner of any shard', async () => {
    const { api } = await aPartnerIn(SECOND, { status: 'suspended' });
    expectProblem(await api.search({}), 'partner_suspended');
    expect(databases[SECOND].ran).toEqual([]);
  });
});

describe('the row of a pass', () => {
  it('restores a missing row in the shard of its partner on GET', async () => {
    const key = there.keyOf(aWallet());
    await there.api.issue(SEPOLIA, key.wallet);
    await second.prepare('DELETE FROM passes WHERE wallet = ?').bind(key.wallet).run();
    expect((await there.api.fetch(SEPOLIA, key.wallet)).status).toBe(200);
    expect(await inBoth(key)).toEqual([[], [there.gatekeeperNetwork]]);
  });

  it('writes the row of a pass to its shard and lists it there as unsettled, by the alarm', async () => {
    const key = there.keyOf(aWallet());
    await issueWithSigner(key);
    expect(await inBoth(key)).toEqual([[], []]);
    await runDurableObjectAlarm(objectOf(key));
    expect(await inBoth(key)).toEqual([[], [there.gatekeeperNetwork]]);
    const listed = (db: D1Database) => db.prepare('SELECT 1 FROM unsettled WHERE wallet = ?').bind(key.wallet).first();
    expect([await listed(DB), await listed(second)]).toEqual([null, { 1: 1 }]);
  });
});

describe('a shard that is not bound', () => {
  it('returns 500, stores nothing and logs the name of the shard for a partner of an unbound shard', async () => {
    const nowhere = await aPartnerIn('DB_7');
    const key = nowhere.keyOf(aWallet());
    for (const call of callsAbout(key)) {
      expectProblem(await sendCall(nowhere.api, call), 'internal_error');
      expect(printed.mock.lastCall?.join()).toMatch(/"request.failed".*no database is bound as DB_7/);
    }
    expect([tablesAsked('DB'), databases[SECOND].ran]).toEqual([new Set(['partners']), []]);
    expect(await objectOf(key).readPublication()).toBeUndefined();
    expect((await here.api.search({})).status).toBe(200);
  });

  it('publishes nothing of its passes', async () => {
    const key: PassKey = { ...there.keyOf(aWallet()), gatekeeperNetwork: newGatekeeperNetwork() };
    await placeNetwork(key.gatekeeperNetwork, 'DB_7');
    await issueWithSigner(key);
    await runDurableObjectAlarm(objectOf(key));
    expect(printed.mock.lastCall?.join()).toMatch(/"pass.alarm_failed".*no database is bound as DB_7/);
    expect(await inBoth(key)).toEqual([[], []]);
  });
});

describe('a shard that fills up', () => {
  const sizeOf = async (db: D1Database) => (await db.prepare('SELECT 1').all()).meta.size_after;
  /** Returns a Worker with a size limit of which the second database fills this share. */
  const workerAt = async (share: number) => {
    const limit = { DATABASE_MAX_BYTES: String(Math.floor((await sizeOf(second)) / share)) };
    return workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, [SECOND]: second, ...limit });
  };
  /** Makes the Worker read the size from a result of D1. */
  const learn = (api: Api) => api.search({});

  beforeAll(async () => {
    const filler = 'x'.repeat(500_000);
    await second.prepare("INSERT INTO dead_letters VALUES ('filler', 1, '', ?)").bind(filler).run();
    expect(await sizeOf(second)).toBeGreaterThan(2 * (await sizeOf(DB)));
  });

  it('warns in the log from 70 %, at limited intervals, and still accepts new passes', async () => {
    const warnings = () => printed.mock.calls.flat().filter((line) => String(line).includes('"database.filling"'));
    const [half, filling] = [await workerAt(0.6), await workerAt(0.725)];
    await learn(there.api.through(half));
    expect(warnings()).toEqual([]);
    for (const _ of [1, 2, 3]) await learn(there.api.through(filling));
    expect(warnings()).toHaveLength(1);
    expect(JSON.parse(String(warnings()[0]))).toMatchObject({ shard: SECOND, percent: 72 });
    expect((await there.api.through(filling).issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('refuses new passes of a shard from 95 % of its maximum, and still serves and changes existing ones', async () => {
    const existing = aWallet();
    await there.api.issue(SEPOLIA, existing);
    const full = await workerAt(0.951);
    const [ours, theirs] = [there.api.through(full), here.api.through(full)];
    await learn(ours);
    const fresh = there.keyOf(aWallet());
    const refused = await ours.issue(SEPOLIA, fresh.wallet);
    expectProblem(refused, 'temporarily_unavailable', { detail: /no new passes/ });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(60);
    expect(await objectOf(fresh).readPublication()).toBeUndefined();

    expect((await ours.issue(SEPOLIA, existing)).status).toBe(202);
    expect((await ours.update(SEPOLIA, existing, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
    expect((await ours.fetch(SEPOLIA, existing)).record.state).toBe('FROZEN');
    expect((await ours.revoke(SEPOLIA, existing)).record.state).toBe('REVOKED');
    expect((await theirs.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it('accepts new passes again after the maximum is raised or the database becomes smaller', async () => {
    const full = there.api.through(await workerAt(0.951));
    await learn(full);
    expect((await full.issue(SEPOLIA, aWallet())).status).toBe(503);
    expect((await there.api.through(await workerAt(0.5)).issue(SEPOLIA, aWallet())).status).toBe(202);
  });
});

it('serves partners of the other shard while one shard fails', async () => {
  const away = new UnreliableDatabase(second);
  away.manner = failing('D1_ERROR: away');
  const withoutSecond = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, [SECOND]: away });
  const wallet = aWallet();
  expect((await there.api.through(withoutSecond).search({})).status).toBe(503);
  expect((await there.api.through(withoutSecond).issue(SEPOLIA, wallet)).status).toBe(202);
  expect((await there.api.through(withoutSecond).fetch(SEPOLIA, wallet)).record.state).toBe('REQUESTED');
  expect((await here.api.through(withoutSecond).search({})).status).toBe(200);
});

it('serves partners of the other shard at once while one shard hangs', async () => {
  const hung = new UnreliableDatabase(second);
  hung.manner = hanging;
  const withoutSecond = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, [SECOND]: hung });
  await withOwnTimers(async () => {
    const waits = there.api.through(withoutSecond).search({});
    await eventually(() => expect(hung.asked).toBe(1));
    expect((await here.api.through(withoutSecond).search({})).status).toBe(200);
    vi.advanceTimersByTime(2_000);
    expect((await waits).status).toBe(503);
    expect((await there.api.through(withoutSecond).search({})).status).toBe(503);
    expect([hung.asked, (await here.api.through(withoutSecond).search({})).status]).toEqual([1, 200]);
  });
});
