import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { FILLING_SHARE, FULL_SHARE } from '../../../src/config/bindings.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { findPass } from '../../../src/store/search.ts';
import { type FillingShard, ShardSizes } from '../../../src/store/shard-sizes.ts';
import { recording } from './recorder.ts';
import { aProjection } from './rows.ts';

/** The read model follows the pass objects for any order of publications. */

let passes = 0;
const newPass = () => ++passes;

async function write(...projections: Publication[]): Promise<number[]> {
  const { db, ran } = recording(env.DB);
  await publishPasses(db, projections);
  return ran.map(({ meta }) => meta.rows_written);
}

const stored = async ({ key }: Publication) => (await findPass(env.DB, key))?.record;
const rowOf = ({ key }: Publication) =>
  env.DB.prepare('SELECT id, state, version FROM passes WHERE gatekeeper_network = ? AND wallet = ?')
    .bind(key.gatekeeperNetwork, key.wallet)
    .all();

describe('the version guard', () => {
  const versions = (pass: number) => ({
    first: aProjection(pass, { version: 1, state: 'REQUESTED' }),
    second: aProjection(pass, { version: 2, state: 'ACTIVE' }),
    tenth: aProjection(pass, { version: 10, state: 'FROZEN' }),
  });

  it('a newer version overwrites an older one', async () => {
    const { first, second, tenth } = versions(newPass());
    for (const projection of [first, second, tenth]) {
      expect((await write(projection))[0]).toBeGreaterThan(0);
      expect(await stored(projection)).toBe(projection.record);
    }
    expect((await rowOf(tenth)).results).toEqual([{ id: tenth.id, state: 'FROZEN', version: 10 }]);
  });

  it('an older version writes nothing', async () => {
    const { first, second, tenth } = versions(newPass());
    await write(tenth);
    expect(await write(first)).toEqual([0]);
    expect(await write(second)).toEqual([0, 0]);
    expect(await stored(tenth)).toBe(tenth.record);
    expect((await rowOf(tenth)).results).toEqual([{ id: tenth.id, state: 'FROZEN', version: 10 }]);
  });

  it('the same version writes nothing', async () => {
    const { second } = versions(newPass());
    await write(second);
    expect(await write(second)).toEqual([0, 0]);
    expect(await write({ ...second, record: '{}', state: 'REVOKED' })).toEqual([0, 0]);
    expect(await stored(second)).toBe(second.record);
  });

  it('the newest version wins inside one batch', async () => {
    const { first, second, tenth } = versions(newPass());
    await write(second, tenth, first);
    expect(await stored(tenth)).toBe(tenth.record);
  });

  it('the newest version wins among concurrent writes', async () => {
    const pass = newPass();
    const projections = Array.from({ length: 30 }, (_, version) => aProjection(pass, { version: version + 1 }));
    const shuffled = projections.toSorted((one, other) => ((one.version * 7) % 31) - ((other.version * 7) % 31));
    await Promise.all(shuffled.map((projection) => write(projection)));
    expect(await stored(aProjection(pass))).toBe(projections.at(-1)?.record);
  });
});

describe('a batch of publications', () => {
  it('an empty batch asks nothing of the database', async () => {
    const { db, ran } = recording(env.DB);
    await publishPasses(db, []);
    expect(ran).toEqual([]);
  });

  it('a batch is one statement, or several where its records are long', async () => {
    const record = JSON.stringify('x'.repeat(200_000));
    const many = Array.from({ length: 5 }, () => ({ ...aProjection(newPass(), { state: 'REQUESTED' }), record }));
    expect(await write(...many.slice(0, 2))).toEqual([8]);
    expect(await write(...many)).toEqual([0, 8, 4]);
    for (const projection of many) expect(await stored(projection)).toBe(projection.record);
  });

  it('a batch of 100 passes is written completely', async () => {
    const many = Array.from({ length: 100 }, () => aProjection(newPass()));
    await write(...many);
    for (const projection of many) expect(await stored(projection)).toBe(projection.record);
  });

  it('a batch keeps one wallet on several networks and in several gatekeeper networks apart', async () => {
    const wallet = aProjection(newPass()).key.wallet;
    const each = [
      aProjection(newPass(), { wallet }),
      aProjection(newPass(), { wallet, network: 'baseSepolia' }),
      aProjection(newPass(), { wallet, gatekeeperNetwork: 'theirs' }),
    ];
    await write(...each);
    for (const projection of each) expect(await stored(projection)).toBe(projection.record);
  });
});

describe('the rows that a publication writes', () => {
  const requested = () => aProjection(newPass(), { state: 'REQUESTED', version: 1 });

  it('a new pass writes its row and three indexes, and a new state writes its row and two indexes', async () => {
    const first = requested();
    expect(await write(first)).toEqual([4]);
    // The first row is that of the usage.
    expect(await write({ ...first, state: 'ACTIVE', version: 2 })).toEqual([1, 3]);
    expect(await write({ ...first, state: 'FROZEN', version: 3 })).toEqual([1, 3]);
  });

  it('a hundred passes that become active write one row of the usage', async () => {
    const hundred = Array.from({ length: 100 }, requested);
    await write(...hundred);
    expect(await write(...hundred.map((pass) => ({ ...pass, state: 'ACTIVE', version: 2 }) as const))).toEqual([
      1, 300,
    ]);
  });

  it('a version of the same state writes its row alone', async () => {
    const first = requested();
    await write(first);
    const second = { ...first, version: 2, record: '{"second":true}' };
    expect(await write(second)).toEqual([1]);
    expect(await stored(first)).toBe(second.record);
  });

  it('an older or repeated version of any state writes nothing', async () => {
    const first = { ...requested(), version: 5 };
    await write(first);
    for (const version of [4, 5]) {
      expect(await write({ ...first, version, record: '{}' })).toEqual([0]);
      expect(await write({ ...first, version, record: '{}', state: 'ACTIVE' })).toEqual([0, 0]);
    }
    expect(await stored(first)).toBe(first.record);
  });

  it('one statement writes passes of all four cases', async () => {
    const [same, other, stale] = [requested(), requested(), { ...requested(), version: 9 }];
    await write(same, other, stale);
    const batch = [
      { ...same, version: 2 },
      { ...other, version: 2, state: 'ACTIVE' } as const,
      { ...stale, version: 8, state: 'FROZEN' } as const,
      requested(),
    ];
    expect(await write(...batch)).toEqual([1, 1 + 3 + 0 + 4]);
  });
});

describe('a pass object that lost its storage', () => {
  const [, older, newer] = Array.from({ length: 3 }, newPass);
  const { key } = aProjection(newPass());
  const before = { ...aProjection(older as number, { version: 7, state: 'FROZEN' }), key };
  const after = { ...aProjection(newer as number, { version: 1, state: 'REQUESTED' }), key };

  it('replaces the row of its wallet by the pass of a newer id, whatever its version', async () => {
    await write(before);
    await env.DB.prepare('UPDATE passes SET events_in_feed = 3 WHERE id = ?').bind(before.id).run();
    await write(after);
    expect(await stored(after)).toBe(after.record);
    const { results } = await env.DB.prepare('SELECT id, state, version, events_in_feed FROM passes WHERE wallet = ?')
      .bind(key.wallet)
      .all();
    expect(results).toEqual([{ id: after.id, state: 'REQUESTED', version: 1, events_in_feed: 0 }]);
  });

  it('does not replace it by the pass of an older id, whatever its version', async () => {
    expect(await write({ ...before, version: 99 })).toEqual([0, 0]);
    expect(await stored(after)).toBe(after.record);
  });
});

it('an error of the database reaches the caller', async () => {
  const db = { prepare: () => ({ bind: () => ({}) }), batch: () => Promise.reject(new Error('D1_ERROR: gone')) };
  await expect(publishPasses(db as unknown as D1Database, [aProjection(1)])).rejects.toThrow('D1_ERROR');
});

describe('the size of a shard', () => {
  const limit = 100;
  const aDatabase = (...sizes: number[]) => {
    const all = async () => ({ meta: { size_after: sizes.shift() } });
    return { prepare: () => ({ all }) } as unknown as D1Database;
  };
  const awayDatabase = { prepare: () => ({ all: () => Promise.reject(new Error('D1_ERROR: away')) }) };
  const warned: FillingShard[] = [];
  const sizes = new ShardSizes(
    () => limit,
    (shard) => warned.push(shard),
  );
  const hasRoom = (name: string, now: number, db = aDatabase()) => sizes.hasRoom({ name, db }, FULL_SHARE, now);
  const away = awayDatabase as unknown as D1Database;

  it('is asked for before the first new pass, since a full shard answers no publication', async () => {
    expect(await hasRoom('unknown', 0, aDatabase(96))).toBe(false);
  });

  it('is asked for again a minute after the last publication that succeeded', async () => {
    sizes.note('grown', { size_after: 94 }, 0);
    const db = aDatabase(100);
    expect([await hasRoom('grown', 59_999, db), await hasRoom('grown', 60_000, db)]).toEqual([true, false]);
  });

  it('counts as room while it is not known', async () => {
    expect(await hasRoom('untold', 0, away)).toBe(true);
    sizes.note('untold', undefined, 0);
    sizes.note('untold', {}, 0);
    expect(await hasRoom('untold', 0)).toBe(true);
  });

  it('is the last known one while the shard does not answer', async () => {
    sizes.note('away', { size_after: 96 }, 0);
    expect(await hasRoom('away', 60_000, away)).toBe(false);
    sizes.note('away', { size_after: 90 }, 60_001);
    expect(await hasRoom('away', 120_001, away)).toBe(true);
  });

  it('leaves room for new passes below 95 %', async () => {
    for (const [size_after, expected] of [
      [94, true],
      [95, false],
      [120, false],
      [90, true],
    ] as const) {
      sizes.note('sized', { size_after }, 0);
      expect(await hasRoom('sized', 0)).toBe(expected);
    }
  });

  it('leaves less room for sandboxes, whose caller asks for a smaller share', async () => {
    sizes.note('rationed', { size_after: 70 }, 0);
    const at = (share: number) => sizes.hasRoom({ name: 'rationed', db: aDatabase() }, share, 0);
    expect([await at(FILLING_SHARE), await at(FULL_SHARE)]).toEqual([false, true]);
  });

  it('is asked for again after a minute while the shard is full', async () => {
    sizes.note('full', { size_after: 99 }, 0);
    const db = aDatabase(97, 50);
    expect([await hasRoom('full', 59_999, db), await hasRoom('full', 60_000, db)]).toEqual([false, false]);
    expect([await hasRoom('full', 119_999, db), await hasRoom('full', 120_000, db)]).toEqual([false, true]);
  });

  it('is left to another store of the isolate to warn of', () => {
    warned.length = 0;
    const silent = new ShardSizes(() => limit, undefined);
    silent.note('shared', { size_after: 80 }, 0);
    sizes.note('shared', { size_after: 80 }, 1);
    expect(warned).toEqual([{ shard: 'shared', bytes: 80, percent: 80 }]);
  });

  it('warns from 70 % on, once an hour for each shard', () => {
    warned.length = 0;
    for (const [shard, size_after, now] of [
      ['a', 69, 0],
      ['a', 70, 1],
      ['a', 71, 2],
      ['b', 80, 3],
      ['a', 96, 3_600_000],
      ['a', 97, 3_600_001],
    ] as const)
      sizes.note(shard, { size_after }, now);
    expect(warned.map(({ shard, percent }) => [shard, percent])).toEqual([
      ['a', 70],
      ['b', 80],
      ['a', 97],
    ]);
  });
});
