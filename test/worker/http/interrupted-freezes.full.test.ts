import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, expect, it, vi } from 'vitest';
import { READ_SEQUENCES, raiseSequences, sequencesIn } from '../../../ops/restore/raise-sequences.ts';
import { READ_USAGE, restoreUsage, usageIn } from '../../../ops/restore/restore-usage.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { SubjectObject } from '../../../src/subject-object/subject-object.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { configureObject } from '../configure-object.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import type { Api } from './api.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';
import { moveAll } from './move-all.ts';
import { anOperator } from './operator.ts';

/** The operator restores or moves the rows of a gatekeeper network while a freeze of a person has reached some of the passes. */

const { DB, PASSES, SUBJECTS } = env as unknown as Env;
const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
/** Three slices. */
const PASSES_OF_SUBJECT = 110;
const SUBJECT = 'p';
const PATH = `/subjects/${SUBJECT}`;
const CLOSED = { CLOSED_SHARDS: 'DB' };
const JSON_TYPE = { 'content-type': 'application/json' };

const fireAlarm = SubjectObject.prototype.alarm;
beforeAll(() => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(SubjectObject.prototype, 'alarm').mockResolvedValue();
});

type Partner = Awaited<ReturnType<typeof aPartner>>;
interface Event {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
  readonly data?: {
    readonly pass: { readonly walletAddress: string; readonly state: string; readonly subject?: string };
  };
}

const objectOf = ({ gatekeeperNetwork }: Partner) => SUBJECTS.getByName(`${gatekeeperNetwork}/${SUBJECT}`);
const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
const update = (api: Api, key: PassKey, body: object) => api.update(on(key), key.wallet, body);
const read = async (api: Api, path: string) => JSON.parse((await api.call('GET', path)).text);
const change = async (api: Api, body: object) => {
  const { status } = await api.call('PATCH', PATH, { body: JSON.stringify(body), headers: JSON_TYPE });
  expect(status).toBe(202);
};
/** Changes the next passes, and returns the number of those that have followed. */
const changeNext = async (api: Partner): Promise<number> => {
  await runInDurableObject(objectOf(api), (object) => fireAlarm.call(object));
  return (await read(api, PATH)).requests[0].done;
};
/** Changes the next passes, which leaves some. A pass that answers late counts later. */
const changePart = async (api: Partner, before = 0): Promise<number> => {
  const done = await changeNext(api);
  expect(done).toBeGreaterThan(before);
  expect(done).toBeLessThan(PASSES_OF_SUBJECT);
  return done;
};
/** Ends the object where it is. */
const kill = (api: Partner) =>
  runInDurableObject(objectOf(api), (object) => {
    (object as unknown as { readonly ctx: DurableObjectState }).ctx.abort();
  }).catch(() => {});

/** Lets the chain have the state that is wanted, and the feed its event. */
async function settle(keys: readonly PassKey[], state: 'FROZEN' | 'ACTIVE'): Promise<void> {
  await Promise.all(
    keys.map(async (key) => {
      const object = PASSES.getByName(passName(key));
      const step = (await object.pinStep())?.step?.id as string;
      await object.recordAnswers([{ step, revision: 1, status: { type: 'found', onChain: { state } } }]);
      await runDurableObjectAlarm(object);
    }),
  );
}
const isFrozen = async (key: PassKey) => (await PASSES.getByName(passName(key)).readPublication())?.state === 'FROZEN';
/** Returns those of the passes that the freeze has reached. */
const frozenOf = async (keys: readonly PassKey[]) => {
  const frozen = await Promise.all(keys.map(isFrozen));
  return keys.filter((_, index) => frozen[index]);
};

async function aMember(api: Partner): Promise<PassKey> {
  const key = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, ...UNSENT });
  expect((await update(api, key, { subject: SUBJECT })).status).toBe(200);
  return key;
}

const aPerson = async () => {
  const api = await aPartner({ send });
  await api.call('PATCH', '/rules', { body: `{"subjectMaxPasses":${PASSES_OF_SUBJECT}}`, headers: JSON_TYPE });
  const keys = await Promise.all(Array.from({ length: PASSES_OF_SUBJECT }, () => aMember(api)));
  return { api, keys };
};

const walletsOf = async (api: Api, after?: string): Promise<string[]> => {
  const { records, next } = await read(api, `${PATH}?limit=100${after ? `&after=${after}` : ''}`);
  const wallets = records.map(({ walletAddress }: { walletAddress: string }) => walletAddress);
  return next === undefined ? wallets : [...wallets, ...(await walletsOf(api, next))];
};
const walletsIn = (keys: readonly PassKey[]) => keys.map(({ wallet }) => wallet as string).toSorted();
/** Returns the events after that sequence; without one, all. */
const eventsOf = async (api: Api, after?: number): Promise<Event[]> => {
  const answer = await api.call('GET', `/events?limit=1000${after === undefined ? '' : `&after=${after}`}`);
  expect(answer.status, answer.text).toBe(200);
  const page = JSON.parse(answer.text);
  return page.more ? [...page.events, ...(await eventsOf(api, page.next))] : page.events;
};
/** Returns the wallets whose freeze a reader has seen in these events, which may come twice with the same id. */
const frozenIn = (events: readonly Event[]) => {
  const freezes = events.filter(({ type }) => type === 'pass.frozen');
  return [...new Map(freezes.map(({ id, data }) => [id, data?.pass.walletAddress as string])).values()].toSorted();
};
const sequencesRise = (events: readonly Event[]) =>
  events.every(({ sequence }, index) => index === 0 || sequence > (events[index - 1]?.sequence ?? 0));

/** Every pass is in that state, and its object, its row, the subject and its record agree. */
async function expectAll(api: Partner, keys: readonly PassKey[], state: string): Promise<void> {
  const stored = await Promise.all(keys.map((key) => PASSES.getByName(passName(key)).readPublication()));
  expect(stored.filter((each) => each?.state !== state)).toEqual([]);
  await eventually(async () => expect((await read(api, PATH)).passes).toEqual({ [state]: keys.length }));
  expect((await walletsOf(api)).toSorted()).toEqual(walletsIn(keys));
  const records = await Promise.all(keys.map(async (key) => (await api.fetch(on(key), key.wallet)).record));
  expect(records.filter((record) => record.state !== state || record.subject !== SUBJECT)).toEqual([]);
}

/** Finishes the change, and expects its progress and its entries in the audit trail. */
async function expectEnd(api: Partner, total: number): Promise<void> {
  while ((await changeNext(api)) < total);
  const { requests } = await read(api, PATH);
  expect(requests).toMatchObject([{ total, done: total, refused: {}, finishedAt: expect.any(String) }]);
  await eventually(async () => {
    const { entries } = await read(api, '/audit?after=0&limit=1000');
    const own = entries.filter((entry: { requestId?: string }) => entry.requestId === requests[0].requestId);
    const frozen = own.filter(({ action }: { action: string }) => action === 'pass.freeze');
    expect([frozen.length, own.length]).toEqual([total, total + 1]);
  });
}

async function expectRules(api: Partner): Promise<void> {
  const another = aPassKey(api);
  const issue = () => api.issue(on(another), another.wallet, { subject: SUBJECT });
  expectProblem(await issue(), 'subject_frozen');
  await change(api, { state: 'ACTIVE' });
  while ((await changeNext(api)) < PASSES_OF_SUBJECT);
  expectProblem(await issue(), 'subject_limit_reached');
}

const TABLES = `SELECT name FROM sqlite_master
  WHERE type = 'table' AND name <> 'd1_migrations' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`;
type Copy = readonly (readonly [table: string, rows: readonly Record<string, unknown>[]])[];

async function copyDatabase(): Promise<Copy> {
  const { results } = await DB.prepare(TABLES).all<{ name: string }>();
  return Promise.all(
    results.map(async ({ name }) => [name, (await DB.prepare(`SELECT * FROM ${name}`).all()).results] as const),
  );
}

/** Brings the database back to the copy, as `npm run restore` does with the time travel of D1. */
async function restoreDatabase(copy: Copy): Promise<void> {
  const rowsOf = async (query: string) => (await DB.prepare(query).all()).results as never;
  const [sequences, usage] = [sequencesIn(await rowsOf(READ_SEQUENCES)), usageIn(await rowsOf(READ_USAGE))];
  const inserts = copy.flatMap(([table, rows]) =>
    rows.map((row) => {
      const insert = `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`;
      return DB.prepare(insert).bind(...Object.values(row));
    }),
  );
  const deletes = copy.map(([table]) => DB.prepare(`DELETE FROM ${table}`));
  await DB.batch([DB.prepare('PRAGMA defer_foreign_keys = on'), ...deletes, ...inserts]);
  const statements = [...raiseSequences(sequences), ...restoreUsage(usage, usageIn(await rowsOf(READ_USAGE)))];
  await DB.batch(statements.map((statement) => DB.prepare(statement)));
}

it('a freeze of 110 passes is whole after a restore in the middle, and the rules hold', async () => {
  const { api, keys: first } = await aPerson();
  const operator = await anOperator({}, send);
  const copy = await copyDatabase();
  // After the restored moment, one pass loses the subject, and another one gets it.
  const [removed, ...others] = first;
  expect((await update(api, removed as PassKey, { subject: null })).status).toBe(200);
  const keys = [...others, await aMember(api)];

  await change(api, { state: 'FROZEN', reason: 'case 110' });
  const begun = await changePart(api);
  const early = await frozenOf(keys);
  await settle(early, 'FROZEN');
  const before = await eventsOf(api);
  expect(frozenIn(before)).toEqual(walletsIn(early));
  // The operator closes the database: the object publishes nothing, and the passes follow all the same.
  await kill(api);
  await configureObject(objectOf(api), CLOSED);
  const done = await changePart(api, begun);
  await restoreDatabase(copy);
  await kill(api);
  expect((await read(api, PATH)).requests).toMatchObject([{ total: 110, done }]);
  await expectEnd(api, 110);
  const objects = [...keys, removed as PassKey].map((key) => String(PASSES.idFromName(passName(key))));
  const rebuilt = await operator.post('/admin/rebuild', { shard: 'DB', start: true, objects, position: null });
  expect(JSON.parse(rebuilt.text)).toMatchObject({ unreachable: [] });
  await expectAll(api, keys, 'FROZEN');

  await settle(
    keys.filter((key) => !early.includes(key)),
    'FROZEN',
  );
  await expectAll(api, keys, 'FROZEN');
  const after = await eventsOf(api, before.at(-1)?.sequence);
  expect(after[0]?.type).toBe('feed.restored');
  expect(sequencesRise([...before, ...after])).toBe(true);
  expect(frozenIn([...before, ...after])).toEqual(walletsIn(keys));
  await expectRules(api);
  await expectAll(api, keys, 'ACTIVE');
});

it('a freeze of 110 passes is whole after a move to another database in the middle, and the rules hold', async () => {
  const { api, keys } = await aPerson();
  const { gatekeeperNetwork } = api;
  const operator = await anOperator({}, send);
  const countIn = (db: D1Database) =>
    db.prepare('SELECT count(*) AS n FROM passes WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).first('n');
  await change(api, { state: 'FROZEN', reason: 'case 110' });
  const begun = await changePart(api);
  const early = await frozenOf(keys);
  await settle(early, 'FROZEN');
  const body = { gatekeeperNetwork, to: SECOND, reason: 'a test' };
  let phase = '';
  do ({ phase } = JSON.parse((await operator.post('/admin/moves', body)).text));
  while (phase !== 'settle');
  // The rows wait for the move, and the passes follow all the same.
  await kill(api);
  await changePart(api, begun);
  expect(JSON.parse((await moveAll(body, operator)).text)).toMatchObject({ phase: 'done', passes: 110 });
  await kill(api);
  await expectEnd(api, 110);
  await expectAll(api, keys, 'FROZEN');

  await settle(
    keys.filter((key) => !early.includes(key)),
    'FROZEN',
  );
  await expectAll(api, keys, 'FROZEN');
  expect([await countIn(DB), await countIn(second)]).toEqual([0, 110]);
  const events = await eventsOf(api);
  expect(sequencesRise(events)).toBe(true);
  expect(frozenIn(events)).toEqual(walletsIn(keys));
  await expectRules(api);
  await expectAll(api, keys, 'ACTIVE');
});
