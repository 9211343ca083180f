import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { UnixSeconds } from '../../../src/lib/units.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { type Search, searchPasses } from '../../../src/store/search.ts';
import { recording } from './recorder.ts';
import { aProjection } from './rows.ts';

/** Searches in each order, by every pair of conditions, against a plain array. */

const NOW = 1_000 as UnixSeconds;
const NEVER = Number.MAX_SAFE_INTEGER;
const STATES = ['ACTIVE', 'FROZEN', 'REVOKED', 'REQUESTED'] as const;
const ON = [
  { chain: 'ethereum', network: 'sepolia' },
  { chain: 'ethereum', network: 'baseSepolia' },
  { chain: 'solana', network: 'devnet' },
] as const;
/** Wallets that differ in case alone, and wallets of which one begins as another one ends. */
const WALLETS = [
  '0xAbCdEf12',
  '0xabcdef12',
  '0xABCDEF13',
  '0xabcdeg',
  'AbCdEf1',
  'ABCDEF1',
  'abcdef1',
  'abcdef1z',
  'zzz',
];

const aRow = fc.record({
  wallet: fc.constantFrom(...WALLETS),
  on: fc.constantFrom(...ON),
  state: fc.constantFrom(...STATES, 'ACTIVE' as const),
  until: fc.option(fc.integer({ min: 997, max: 1_003 }), { nil: null }),
  isPending: fc.boolean(),
});

const search = fc.record({
  state: fc.option(fc.constantFrom(...STATES), { nil: undefined }),
  on: fc.option(fc.constantFrom(...ON), { nil: undefined }),
  walletPrefix: fc.option(fc.constantFrom('0xABCDEF', '0xabcdef12', 'aBcDeF', 'zz', 'none'), { nil: undefined }),
  until: fc.option(
    fc.constantFrom({ from: 0, before: NOW }, { from: NOW, before: undefined }, { from: NOW, before: 1_002 }),
    { nil: undefined },
  ),
  isUndisputed: fc.boolean(),
  isOldestFirst: fc.boolean(),
  limit: fc.integer({ min: 1, max: 7 }),
});
type Wanted = typeof search extends fc.Arbitrary<infer T> ? T : never;

const endOf = ({ state, validity }: Publication) =>
  state === 'ACTIVE' && validity.onChainState === 'ACTIVE' ? (validity.until ?? NEVER) : undefined;

function expectedOf(rows: readonly Publication[], { isUndisputed, isOldestFirst, ...wanted }: Wanted): string[] {
  const { state, on, walletPrefix, until } = wanted;
  const hasOwnOrder = walletPrefix !== undefined || until !== undefined;
  const found = rows.filter((row) => {
    const end = endOf(row);
    const isInRange = end !== undefined && until !== undefined && end >= until.from && end < (until.before ?? Infinity);
    return (
      (state === undefined || row.state === state) &&
      (on === undefined || row.key.network === on.network) &&
      (walletPrefix === undefined || row.key.wallet.toLowerCase().startsWith(walletPrefix.toLowerCase())) &&
      (until === undefined || isInRange) &&
      !(isUndisputed && hasOwnOrder && row.validity.isPending)
    );
  });
  const placeOf = ({ key: { wallet, chain, network }, id, ...row }: Publication) => {
    if (walletPrefix !== undefined) return [wallet.toLowerCase(), wallet, chain, network].join('\0');
    return `${until && String(endOf({ ...row, id } as Publication)).padStart(16, '0')} ${id}`;
  };
  const sorted = found.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(({ id }) => id);
  return hasOwnOrder || isOldestFirst ? sorted : sorted.toReversed();
}

/** Returns the ids of all pages, and the largest number of rows that a page read. */
async function readAll(wanted: Omit<Search, 'gatekeeperNetwork' | 'skip'>) {
  const ids: string[] = [];
  let mostRows = 0;
  let pages = 0;
  let after: string | undefined;
  do {
    const { db, ran } = recording(env.DB);
    const page = await searchPasses(db, { gatekeeperNetwork: 'ours', skip: 0, ...wanted, after });
    mostRows = Math.max(
      mostRows,
      ran.reduce((sum, { meta }) => sum + meta.rows_read, 0),
    );
    ids.push(...page.passes.map(({ id }) => id));
    expect(page.passes.length).toBeLessThanOrEqual(wanted.limit);
    pages += 1;
    after = page.next;
  } while (after !== undefined && pages < 100);
  return { ids, mostRows, pages };
}

it('a search returns and counts the passes that a plain array has, in its order, on all pages', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRow, { maxLength: 40 }), search, async (rows, wanted) => {
      await env.DB.exec('DELETE FROM passes');
      const byKey = new Map<string, Publication>();
      for (const { wallet, on, state, until, isPending } of rows) {
        const name = `${wallet} ${on.network}`;
        if (byKey.has(name)) continue;
        const row = aProjection(byKey.size, { wallet, ...on, state });
        byKey.set(name, { ...row, validity: { ...row.validity, until, isPending } });
      }
      const published = [...byKey.values()];
      await publishPasses(env.DB, [...published, aProjection(999, { gatekeeperNetwork: 'theirs' })]);
      const expected = expectedOf(published, wanted);
      expect((await readAll(wanted)).ids).toEqual(expected);
      const { count } = await searchPasses(env.DB, { gatekeeperNetwork: 'ours', skip: 0, ...wanted, counts: true });
      expect(count).toEqual({ count: expected.length, isMinimum: false });
    }),
    { numRuns: 60 },
  );
});

it('the end of a pass follows each change of its row, and costs nothing while it stays the same', async () => {
  await env.DB.exec('DELETE FROM passes');
  const row = aProjection(1, { state: 'REQUESTED' });
  const ends = async (changes: object, validity: object = {}) => {
    const { db, ran } = recording(env.DB);
    const version = ends.version++;
    await publishPasses(db, [{ ...row, version, ...changes, validity: { ...row.validity, ...validity } }]);
    const end = await env.DB.prepare('SELECT in_force_until AS "end" FROM passes').first('end');
    return [end, ran.reduce((sum, { meta }) => sum + meta.rows_written, 0)];
  };
  ends.version = 1;
  const active = { onChainState: 'ACTIVE' };
  await ends({});
  expect((await ends({}, {}))[0]).toBeNull();
  expect((await ends({ state: 'ACTIVE' }, { ...active, until: 70 }))[0]).toBe(70);
  const [, unchanged = 0] = await ends({ state: 'ACTIVE' }, { ...active, until: 70 });
  const [renewed, written = 0] = await ends({ state: 'ACTIVE' }, { ...active, until: 80 });
  expect([renewed, Number(written) - Number(unchanged)]).toEqual([80, 2]);
  expect((await ends({ state: 'ACTIVE' }, { ...active, until: null }))[0]).toBe(NEVER);
  expect((await ends({ state: 'FROZEN' }, { ...active, until: 80 }))[0]).toBeNull();
  expect((await ends({ state: 'ACTIVE' }, { onChainState: 'FROZEN', until: 80 }))[0]).toBeNull();
});

it('a page reads at most a thousand rows that its index cannot refuse, and the pages reach the end all the same', async () => {
  await env.DB.exec('DELETE FROM passes');
  const rows = Array.from({ length: 2_500 }, (_, number) => {
    const row = aProjection(number, { network: number % 1_240 === 7 ? 'baseSepolia' : 'sepolia' });
    return { ...row, validity: { ...row.validity, until: (2_000 + number) as UnixSeconds } };
  });
  await publishPasses(env.DB, rows);
  const wanted = { limit: 20, on: { chain: 'ethereum', network: 'baseSepolia' } as const };
  const expected = rows.filter(({ key }) => key.network === 'baseSepolia').map(({ id }) => id);
  expect(expected).toHaveLength(3);
  for (const more of [{ until: { from: NOW } }, { walletPrefix: '0x9' }]) {
    const { ids, mostRows, pages } = await readAll({ ...wanted, ...more });
    expect([ids, pages]).toEqual([expected, 3]);
    expect(mostRows).toBeLessThanOrEqual(2_010);
  }
  const counted = await searchPasses(env.DB, {
    gatekeeperNetwork: 'ours',
    skip: 0,
    ...wanted,
    until: { from: NOW },
    counts: true,
  });
  expect(counted.count).toEqual({ count: 1, isMinimum: true });
  const all = await searchPasses(env.DB, { gatekeeperNetwork: 'ours', skip: 0, limit: 1, counts: true });
  expect(all.count).toEqual({ count: 1_000, isMinimum: true });
  // Without such a condition, a page reads no further row.
  expect((await readAll({ limit: 50, walletPrefix: '0x9' })).mostRows).toBeLessThanOrEqual(51);
  expect((await readAll({ limit: 50, until: { from: NOW } })).mostRows).toBeLessThanOrEqual(51);
});

it('a page behind many passes is a part of the whole list, and reads few rows besides those that it skips', async () => {
  await env.DB.exec('DELETE FROM passes');
  const rows = Array.from({ length: 400 }, (_, number) => {
    const on = ON[number % 7 === 0 ? 1 : 0];
    return aProjection(number, { ...on, state: STATES[number % 3] ?? 'ACTIVE' });
  });
  await publishPasses(env.DB, rows);
  for (const isOldestFirst of [false, true]) {
    for (const filter of [{}, { state: 'ACTIVE' }, { on: ON[0] }, { on: ON[0], state: 'FROZEN' }] as const) {
      const { ids } = await readAll({ ...filter, isOldestFirst, limit: 50 });
      for (const skip of [100, 101, ids.length - 3, ids.length]) {
        const { db, ran } = recording(env.DB);
        const page = await searchPasses(db, { gatekeeperNetwork: 'ours', ...filter, isOldestFirst, limit: 20, skip });
        expect(page.passes.map(({ id }) => id)).toEqual(ids.slice(skip, skip + 20));
        expect(page.next).toBe(ids[skip + 19]);
        expect(ran).toHaveLength(1);
        expect(ran[0]?.meta.rows_read).toBeLessThanOrEqual(skip + 20 + 16);
      }
    }
  }
});
