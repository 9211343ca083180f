import { listDurableObjectIds, runDurableObjectAlarm } from 'cloudflare:test';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { CIVIC_CONTRACT, defaultContract } from '../../default-contract.ts';
import { expectProblem } from '../../problem.ts';
import { workerWith } from '../http/api.ts';
import { operator } from '../http/operator.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { bindings, deliverWith, objectOf, processPass } from './deliver.ts';
import { aPassIn, aSigner, databases, stateIn } from './shard-passes.ts';

/** The pass objects restore the rows of a restored or emptied database. */

/** The time of the test is so far ahead of the clock that no alarm fires by itself and adds rows. */
const AHEAD_MS = 1_800_000;

const { DB } = bindings;
const ops = await operator();
vi.spyOn(console, 'error').mockReturnValue();
vi.spyOn(console, 'log').mockReturnValue();
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + AHEAD_MS }));
afterAll(() => void vi.useRealTimers());
beforeEach(async () => {
  const tables = ['passes', 'unsettled', 'runs'];
  for (const db of Object.values(databases)) for (const table of tables) await db.exec(`DELETE FROM ${table}`);
});

const TABLES = ['passes', 'unsettled'] as const;
type Rows = Record<string, unknown>[];
const tableOf = async (db: D1Database, table: string): Promise<Rows> =>
  (await db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`).all()).results;
const contentOf = (db: D1Database) => Promise.all(TABLES.map((table) => tableOf(db, table)));
/** Replaces the database's content with an older copy. */
async function restore(db: D1Database, copy: readonly Rows[]): Promise<void> {
  for (const [index, table] of TABLES.entries()) {
    await db.exec(`DELETE FROM ${table}`);
    for (const row of copy[index] ?? []) {
      const places = Object.keys(row).map(() => '?');
      const insert = db.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`);
      await insert.bind(...Object.values(row)).run();
    }
  }
}
const idsOfObjects = async () => (await listDurableObjectIds(bindings.PASSES)).map(String);
const rebuild = async (body: object) => {
  const { status, text } = await ops.post('/admin/rebuild', body);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};
/** Rebuilds a shard in slices that run side by side, as the operator's command does. */
async function rebuildAll(shard: string, sliceLength = 5) {
  const ids = await idsOfObjects();
  await rebuild({ shard, start: true, objects: [] });
  const slices = Array.from({ length: Math.ceil(ids.length / sliceLength) }, (_, index) =>
    ids.slice(index * sliceLength, (index + 1) * sliceLength),
  );
  await Promise.all(slices.map((objects) => rebuild({ shard, objects })));
  await rebuild({ shard, objects: [], position: null });
}
const progressOf = async (shard: string) => {
  const { rebuilds } = JSON.parse((await ops.call('GET', '/admin/reconciliation')).text);
  return rebuilds.find((each: { shard: string }) => each.shard === shard);
};
const settle = (key: PassKey) => deliverWith({ SIGNERS: aSigner().SIGNERS }, processPass(key));
async function aStuckPassIn(shard: string) {
  const pass = await aPassIn(shard);
  await runDurableObjectAlarm(objectOf(pass.key));
  return pass;
}
/** An alarm lists a pass ten seconds after it became unsettled. Here it listed it at once. */
const secondsLater = () => vi.setSystemTime(Date.now() + 2_000);
const freeze = (key: PassKey) => objectOf(key).update({ state: 'FROZEN' } as never);

/** Returns the operator of a service with these pass objects. */
function reading(readForRebuild: () => Promise<unknown>) {
  const idFromString = (id: string) => bindings.PASSES.idFromString(id);
  return ops.through(workerWith({ PASSES: { idFromString, get: () => ({ readForRebuild }) } }));
}

/** Rebuilds the first shard with this pass alone, and runs `work` after its object was first read. */
async function rebuildWhile(key: PassKey, work: () => Promise<unknown>) {
  const id = String(bindings.PASSES.idFromName(passName(key)));
  let isFirst = true;
  const readForRebuild = async () => {
    const pass = await objectOf(key).readForRebuild();
    if (isFirst) {
      isFirst = false;
      await work();
    }
    return pass;
  };
  const { status, text } = await reading(readForRebuild).post('/admin/rebuild', { shard: 'DB', objects: [id] });
  expect([status, JSON.parse(text)]).toMatchObject([200, { objects: 1, passes: 1, unreachable: [] }]);
}

describe('a rebuild', () => {
  it.each([
    ['an older copy', (copy: readonly Rows[]) => copy],
    ['an empty database', () => []],
  ])('brings %s back to the state of the pass objects, each row of each shard', async (_, copyOf) => {
    // Rows of other tests are gone, but their objects exist, so the rebuild writes their rows too.
    for (const shard of ['DB', SECOND]) await rebuildAll(shard);
    const passes = await Promise.all(['DB', SECOND, 'DB', SECOND, 'DB', SECOND].map(aPassIn));
    for (const { key } of passes) await settle(key);
    const [stuck] = await Promise.all(['DB', SECOND].map(aStuckPassIn));
    const copies = await Promise.all([DB, second].map(contentOf));

    // After the copy, passes change, a stuck one settles, others are issued, and one of them is stuck.
    for (const { key } of passes.slice(0, 4)) {
      await freeze(key);
      await runDurableObjectAlarm(objectOf(key));
    }
    secondsLater();
    await settle(stuck?.key as PassKey);
    await runDurableObjectAlarm(objectOf(stuck?.key as PassKey));
    for (const shard of ['DB', SECOND]) {
      await settle((await aPassIn(shard)).key);
      await aStuckPassIn(shard);
    }
    const newest = await Promise.all([DB, second].map(contentOf));
    expect(newest).not.toEqual(copies);

    for (const [index, db] of [DB, second].entries()) await restore(db, copyOf(copies[index] ?? []));
    await rebuildAll('DB');
    expect(await contentOf(DB)).toEqual(newest[0]);
    expect(await contentOf(second)).not.toEqual(newest[1]);
    await rebuildAll(SECOND);
    expect(await Promise.all([DB, second].map(contentOf))).toEqual(newest);
    for (const shard of ['DB', SECOND]) await rebuildAll(shard);
    expect(await Promise.all([DB, second].map(contentOf))).toEqual(newest);
  });

  it('restores the contract of a gatekeeper network if the database is older than the choice, and changes no other one', async () => {
    const { key } = await aPassIn('DB');
    const { gatekeeperNetwork } = key;
    const contract = defaultContract(key);
    const setTo = (contracts: object) =>
      DB.batch([
        DB.prepare('DELETE FROM partners WHERE gatekeeper_network = ?').bind(gatekeeperNetwork),
        DB.prepare('DELETE FROM gatekeeper_networks WHERE key = ?').bind(gatekeeperNetwork),
        DB.prepare('INSERT INTO gatekeeper_networks (key, contracts) VALUES (?, ?)').bind(
          gatekeeperNetwork,
          JSON.stringify(contracts),
        ),
      ]);
    const chosen = async () => {
      const query = 'SELECT contracts FROM gatekeeper_networks WHERE key = ?';
      return JSON.parse(
        (await DB.prepare(query).bind(gatekeeperNetwork).first<string>('contracts')) as string,
      ) as object;
    };
    for (const [before, after] of [
      [{}, { [key.network]: contract }],
      [{ mainnet: CIVIC_CONTRACT }, { mainnet: CIVIC_CONTRACT, [key.network]: contract }],
      [{ [key.network]: CIVIC_CONTRACT }, { [key.network]: CIVIC_CONTRACT }],
    ]) {
      await setTo(before as object);
      await rebuildAll('DB');
      expect(await chosen()).toEqual(after);
    }
  });

  it('shows the progress of each shard to the operator, and where it continues', async () => {
    await aPassIn('DB');
    await aPassIn(SECOND);
    const [first, ...others] = await idsOfObjects();
    expect(await progressOf('DB')).toBeUndefined();
    await rebuild({ shard: 'DB', start: true, objects: [first], position: 'page 2' });
    expect(await progressOf('DB')).toMatchObject({ finished: null, position: 'page 2', objects: 1 });
    await rebuild({ shard: 'DB', objects: others.slice(0, 100) });
    const going = await progressOf('DB');
    expect(going).toMatchObject({ finished: null, position: 'page 2', objects: 1 + others.slice(0, 100).length });
    expect(going.passes + going.elsewhere + going.empty).toBe(going.objects);
    await rebuild({ shard: 'DB', objects: [], position: null });
    expect(await progressOf('DB')).toMatchObject({ finished: expect.any(Number), position: null });
    await rebuild({ shard: SECOND, objects: [] });
    expect(await progressOf(SECOND)).toMatchObject({ finished: null, position: null, objects: 0 });
    await rebuild({ shard: 'DB', start: true, objects: [] });
    expect(await progressOf('DB')).toMatchObject({ finished: null, position: null, objects: 0 });
  });

  it('lists no pass that settles meanwhile', async () => {
    const { key } = await aStuckPassIn('DB');
    secondsLater();
    await rebuildWhile(key, async () => {
      await settle(key);
      await runDurableObjectAlarm(objectOf(key));
      expect(await tableOf(DB, 'unsettled')).toEqual([]);
    });
    expect(await tableOf(DB, 'unsettled')).toEqual([]);
  });

  it('keeps the entry of a pass that is listed meanwhile', async () => {
    const { key } = await aPassIn('DB');
    await settle(key);
    await rebuildWhile(key, async () => {
      await freeze(key);
      await runDurableObjectAlarm(objectOf(key));
      expect(await tableOf(DB, 'unsettled')).toMatchObject([{ wallet: key.wallet }]);
    });
    expect(await tableOf(DB, 'unsettled')).toMatchObject([{ wallet: key.wallet }]);
  });

  it('asks again for a pass whose object stops answering before the list is certain', async () => {
    const { key } = await aStuckPassIn('DB');
    const id = String(bindings.PASSES.idFromName(passName(key)));
    let reads = 0;
    const readForRebuild = () => {
      reads += 1;
      return reads === 1 ? objectOf(key).readForRebuild() : Promise.reject(new Error('away'));
    };
    const { text } = await reading(readForRebuild).post('/admin/rebuild', { shard: 'DB', objects: [id] });
    expect(JSON.parse(text)).toMatchObject({ objects: 0, passes: 0, unreachable: [id] });
  });

  it('creates no object and no row for an id without a pass, and names the objects that do not answer', async () => {
    const nobody = String(bindings.PASSES.newUniqueId());
    expect(await rebuild({ shard: 'DB', objects: [nobody] })).toMatchObject({ objects: 1, empty: 1, unreachable: [] });
    const away = reading(() => Promise.reject(new Error('away')));
    const { text } = await away.post('/admin/rebuild', { shard: 'DB', objects: [nobody] });
    expect(JSON.parse(text)).toMatchObject({ objects: 0, unreachable: [nobody] });
  });

  it('refuses objects of another class, a shard that does not exist, and more than 200 objects', async () => {
    const ofSigner = String(bindings.SIGNERS.idFromName('x'));
    const [id] = [String(bindings.PASSES.newUniqueId())];
    for (const [body, pointer] of [
      [{ shard: 'DB', objects: [id, ofSigner] }, '/objects/1'],
      [{ shard: 'DB', objects: ['0'.repeat(64)] }, '/objects/0'],
      [{ shard: 'DB', objects: ['rubbish'] }, '/objects/0'],
      [{ shard: 'DB_7', objects: [] }, '/shard'],
      [{ shard: 'PASS_QUEUE', objects: [] }, '/shard'],
      [{ shard: 'DB', objects: Array.from({ length: 201 }, () => id) }, '/objects'],
      [{ shard: 'DB' }, '/objects'],
    ] as const) {
      expectProblem(await ops.post('/admin/rebuild', body), 'invalid_request', { pointer });
    }
  });

  it('answers 503 while the database is away, and does the same slice later', async () => {
    const { key } = await aPassIn(SECOND);
    const away = new UnreliableDatabase(second);
    away.manner = failing('D1_ERROR: away');
    const id = String(bindings.PASSES.idFromName(passName(key)));
    const failed = ops.through(workerWith({ [SECOND]: away }));
    expect((await failed.post('/admin/rebuild', { shard: SECOND, objects: [id] })).status).toBe(503);
    expect(await rebuild({ shard: SECOND, objects: [id] })).toMatchObject({ objects: 1, passes: 1 });
    expect(await stateIn(second, { key, shard: SECOND })).toBe('REQUESTED');
  });
});
