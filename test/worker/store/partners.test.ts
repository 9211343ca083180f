import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { findPartner, findSuspendedClients } from '../../../src/store/partners.ts';
import { type Registration, register } from '../http/api.ts';
import { recording } from './recorder.ts';
import { answering, failing, UnreliableDatabase } from './unreliable.ts';

/** Reads without the cache, which is per database. */
const readAnew = (db: D1Database, clientId: string) =>
  findPartner({ prepare: (sql: string) => db.prepare(sql) } as D1Database, 'client', clientId, 0);

/** Partners of clients, and how long they are cached. */

const THEIRS = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf' as GatekeeperNetwork;
const OURS = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD' as GatekeeperNetwork;
const acme: Registration = { clientId: 'acme', gatekeeperNetwork: OURS };
const NOW = 1_790_000_000_000;

beforeEach(() => env.DB.exec('DELETE FROM partners'));

describe('a partner', () => {
  it('finds a partner as it was registered', async () => {
    await register({
      ...acme,
      networks: ['sepolia', 'devnet'],
      passLifetime: 3600,
      dailyIssuances: 500,
      dailyChanges: 40,
    });
    expect(await readAnew(env.DB, 'acme')).toEqual({
      clientId: 'acme',
      name: 'acme',
      gatekeeperNetwork: OURS,
      contracts: {},
      rules: {},
      networks: ['sepolia', 'devnet'],
      passLifetime: 3600,
      dailyIssuances: 500,
      dailyChanges: 40,
      suspended: false,
    });
  });

  it('a partner has all networks, passes that do not expire and no daily quota by default', async () => {
    await register(acme);
    const partner = await readAnew(env.DB, 'acme');
    expect(partner).toMatchObject({ suspended: false });
    expect(partner?.networks).toBeUndefined();
    expect(partner?.passLifetime).toBeUndefined();
    expect(partner?.dailyIssuances).toBeUndefined();
  });

  it('the daily quota of a partner may be zero, and not less', async () => {
    await register({ ...acme, dailyIssuances: 0 });
    expect(await readAnew(env.DB, 'acme')).toMatchObject({ dailyIssuances: 0 });
    await expect(register({ ...acme, dailyIssuances: -1 })).rejects.toThrow('CHECK');
  });

  it('finds a suspended partner as suspended, and lists it', async () => {
    await register({ ...acme, clientId: 'globex' });
    await register({ ...acme, status: 'suspended' });
    expect(await readAnew(env.DB, 'acme')).toMatchObject({ suspended: true });
    expect(await findSuspendedClients(env.DB)).toEqual(['acme']);
  });

  it.each(['globex', 'ACME', 'acme ', 'acm', '%', ''])('finds no partner for the client %j', async (clientId) => {
    await register(acme);
    expect(await readAnew(env.DB, clientId)).toBeUndefined();
  });

  it('reads at most two rows to find a partner: its own and that of its gatekeeper network', async () => {
    for (const clientId of ['a', 'acme', 'b', 'c']) await register({ ...acme, clientId });
    const { db, ran } = recording(env.DB);
    await readAnew(db, 'acme');
    await readAnew(db, 'nobody');
    for (const { meta } of ran) expect(meta.rows_read).toBeLessThanOrEqual(2);
  });
});

describe('the cache of partners', () => {
  it('the cache of partners answers for up to 60 s without the database', async () => {
    const { db, ran } = recording(env.DB);
    await register(acme);
    for (const later of [0, 1, 30_000, 59_999])
      expect((await findPartner(db, 'client', 'acme', NOW + later))?.name).toBe('acme');
    expect(ran).toHaveLength(1);
  });

  it('a cached partner is at most 60 s old, however often it is asked for', async () => {
    const { db } = recording(env.DB);
    await register(acme);
    const asked = async (later: number) => (await findPartner(db, 'client', 'acme', NOW + later))?.suspended;
    expect(await asked(0)).toBe(false);
    await register({ ...acme, status: 'suspended' });
    for (let later = 10_000; later < 60_000; later += 10_000) await asked(later);
    expect(await asked(60_000)).toBe(true);
    await register(acme);
    expect(await asked(120_000)).toBe(false);
  });

  it('the cache of partners drops a removed partner after 60 s', async () => {
    const { db } = recording(env.DB);
    await register(acme);
    await findPartner(db, 'client', 'acme', NOW);
    await env.DB.exec('DELETE FROM partners');
    expect(await findPartner(db, 'client', 'acme', NOW + 60_000)).toBeUndefined();
    await register(acme);
    expect(await findPartner(db, 'client', 'acme', NOW + 60_001)).toMatchObject({ name: 'acme' });
  });

  it('the cache of partners keeps no unknown client', async () => {
    const { db, ran } = recording(env.DB);
    expect(await findPartner(db, 'client', 'acme', NOW)).toBeUndefined();
    expect(await findPartner(db, 'client', 'acme', NOW)).toBeUndefined();
    expect(ran).toHaveLength(2);
    await register(acme);
    expect(await findPartner(db, 'client', 'acme', NOW)).toMatchObject({ name: 'acme' });
  });

  it('the cache of partners keeps partners and databases apart', async () => {
    await register(acme);
    await register({ clientId: 'globex', gatekeeperNetwork: THEIRS });
    const [one, other] = [recording(env.DB), recording(env.DB)];
    expect((await findPartner(one.db, 'client', 'acme', NOW))?.gatekeeperNetwork).toBe(OURS);
    expect((await findPartner(one.db, 'client', 'globex', NOW))?.gatekeeperNetwork).toBe(THEIRS);
    await findPartner(other.db, 'client', 'acme', NOW);
    expect([one.ran.length, other.ran.length]).toEqual([2, 1]);
  });
});

describe('partners while D1 is unavailable', () => {
  const DAY = 24 * 3_600_000;
  /** Acme's row was read at NOW; since then the database answers with errors. */
  const cutOff = async () => {
    const database = new UnreliableDatabase();
    await register(acme);
    await findPartner(database.asD1, 'client', 'acme', NOW);
    database.manner = failing('D1_ERROR: away');
    return {
      database,
      asked: (clientId: string, later: number) => findPartner(database.asD1, 'client', clientId, NOW + later),
    };
  };

  it('the last known row of a partner serves for up to a day while D1 is unavailable', async () => {
    const { asked } = await cutOff();
    for (const later of [60_000, 120_000, DAY - 1]) expect(await asked('acme', later)).toMatchObject({ name: 'acme' });
    await expect(asked('acme', DAY)).rejects.toThrow('D1_ERROR');
  });

  it('an unknown client gets an error while D1 is unavailable', async () => {
    const { asked } = await cutOff();
    await register({ ...acme, clientId: 'globex' });
    await expect(asked('globex', 0)).rejects.toThrow('D1_ERROR');
  });

  it('a suspension takes effect with the first answer of D1', async () => {
    const { database, asked } = await cutOff();
    await register({ ...acme, status: 'suspended' });
    expect(await asked('acme', 60_000)).toMatchObject({ suspended: false });
    database.manner = answering;
    expect(await asked('acme', 60_001)).toMatchObject({ suspended: true });
  });

  it('a row that cannot be parsed is an error, and no older row serves in its place', async () => {
    const { database, asked } = await cutOff();
    await env.DB.prepare("UPDATE partners SET networks = 'rubbish'").run();
    database.manner = answering;
    await expect(asked('acme', 60_000)).rejects.toThrow();
  });
});
