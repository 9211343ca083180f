import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, expect, it, vi } from 'vitest';
import { loadPass, savePass } from '../../../src/pass-object/stored-pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { NOON, setClock } from '../http/a-partner-with-quota.ts';
import { aPassObject, CONFIRMED, recorded, recordIn, SENT } from '../pass-object/a-pass-object.ts';

/**
 * One release, the next one, a rollback, and the next one again, on the same store. The next release adds fields and columns that
 * this one does not know. This one leaves them unchanged.
 */

const { QUOTAS, DB } = env as Env;

afterAll(() => void vi.useRealTimers());

it('keeps what the next release stored in a pass through every change of the pass', async () => {
  const { object, request } = aPassObject();
  await request();
  await object.pinStep();
  await runInDurableObject(object, (_, { storage }) => {
    const stored = loadPass(storage);
    if (stored?.pass.step === undefined) throw new Error('no step is pinned');
    const later = { later: 'kept' };
    const pass = { ...stored.pass, ...later, step: { ...stored.pass.step, ...later } };
    savePass(storage, { ...stored, ...later, pass }, stored.pass);
  });
  const kept = () =>
    runInDurableObject(object, (_, { storage }) => {
      const { pass, ...rest } = loadPass(storage) as unknown as Record<'pass', Record<string, { later?: string }>>;
      return [(rest as { later?: string }).later, pass.later, pass.step?.later];
    });
  await recorded(object, { type: 'waiting' }, SENT);
  expect(await kept()).toEqual(['kept', 'kept', 'kept']);
  await runDurableObjectAlarm(object);
  await object.recordAnswers([{ step: (await object.pinStep())?.step?.id ?? '', revision: 9, status: CONFIRMED }]);
  await object.update({ client: 'acme', state: 'FROZEN' });
  await object.adopt({ final: { state: 'FROZEN', asOf: 200 } });
  await object.redrive();
  expect((await kept()).slice(0, 2)).toEqual(['kept', 'kept']);
  const publication = await object.readPublication();
  expect(publication && recordIn(publication).state).toBe('FROZEN');
});

it('keeps what the next release stored in a quota, on the same day and after it', async () => {
  setClock(NOON);
  const quota = QUOTAS.getByName('of two releases');
  await quota.countPass('a', 3);
  await runInDurableObject(quota, (_, { storage: { kv, sql } }) => {
    kv.put('day', { ...kv.get<object>('day'), later: 'kept' });
    sql.exec("ALTER TABLE counted ADD COLUMN later TEXT NOT NULL DEFAULT 'kept'");
  });
  const kept = () =>
    runInDurableObject(quota, (_, { storage: { kv, sql } }) => [
      kv.get<{ later: string }>('day')?.later,
      ...sql.exec('SELECT pass, later FROM counted ORDER BY pass').toArray(),
    ]);
  expect(await quota.countPass('b', 3)).toBe(0);
  expect(await kept()).toEqual(['kept', { pass: 'a', later: 'kept' }, { pass: 'b', later: 'kept' }]);
  setClock(NOON + 24 * 3_600_000);
  expect(await quota.countPass('c', 3)).toBe(0);
  expect(await kept()).toEqual(['kept', { pass: 'c', later: 'kept' }]);
});

it('reads and writes D1 beside columns that the next release added, and keeps their values', async () => {
  const { object, key, request } = aPassObject();
  await request();
  const store = openStore(env as Env);
  const publish = async () => {
    const publication = await object.readPublication();
    if (publication === undefined) throw new Error('no pass');
    await store.publishPasses([publication]);
    return publication;
  };
  const { results: tables } = await DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_*' AND name NOT GLOB 'sqlite_*' AND name <> 'd1_migrations'",
  ).all<{ name: string }>();
  expect(tables.length).toBeGreaterThan(5);
  await DB.batch(tables.map(({ name }) => DB.prepare(`ALTER TABLE ${name} ADD COLUMN later TEXT DEFAULT 'new'`)));
  await publish();
  await DB.prepare("UPDATE passes SET later = 'kept' WHERE wallet = ?").bind(key.wallet).run();
  await recorded(object, SENT, CONFIRMED);
  const { record, id } = await publish();
  const row = await DB.prepare('SELECT later, record FROM passes WHERE wallet = ?').bind(key.wallet).first();
  expect(row).toEqual({ later: 'kept', record });
  await store.listUnsettled({ key, id, since: 1 });
  expect((await store.findUnsettled({ before: 2, limit: 10 })).passes).toMatchObject([{ id }]);
  await store.unlistUnsettled({ key });
  expect((await store.findUnsettled({ before: 2, limit: 10 })).passes).toEqual([]);
});
