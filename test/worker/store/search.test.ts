import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { countDeadLetters } from '../../../src/store/dead-letters.ts';
import {
  addRestoredNotice,
  addWebhook,
  countEvents,
  countWebhooks,
  deleteEvents,
  findFeedsToTrim,
  nameEvents,
  newestSequence,
  readFeed,
  removeWebhook,
  watchedFeedsAfter,
  webhooksOf,
} from '../../../src/store/feed.ts';
import {
  addPartner,
  changePartner,
  changeRules,
  changeShard,
  chooseContract,
  countMoves,
  exportPartners,
  findRegistration,
  findRules,
  importPartners,
  partnersAfter,
  switchPublicChecks,
} from '../../../src/store/partner-changes.ts';
import {
  findContracts,
  findOwners,
  findPartner,
  findPublicNetwork,
  findSuspendedClients,
  hasActivePartner,
} from '../../../src/store/partners.ts';
import { countUnrevoked, erasePass, type Publication, publishPasses, rowsOf } from '../../../src/store/passes.ts';
import { changeInShardOf, findMoved, findShard } from '../../../src/store/placements.ts';
import { countStates, findPass, type Search, searchPasses } from '../../../src/store/search.ts';
import { ShardSizes } from '../../../src/store/shard-sizes.ts';
import { findShownTokens } from '../../../src/store/shown-tokens.ts';
import { readShardMetrics } from '../../../src/store/unsettled.ts';
import { findUsage, subjectsOf } from '../../../src/store/usage.ts';
import {
  addRemovedGatekeeper,
  deleteRemovedGatekeeper,
  findValidity,
  gatekeepersAfter,
  storeCoverage,
} from '../../../src/store/validity.ts';
import NETWORKS from '../../vectors/networks.json';
import { runForOperator } from './operator-statements.ts';
import { recording } from './recorder.ts';
import { aProjection, idOf, walletOf } from './rows.ts';

/** The rows that reads cost, over passes of two gatekeeper networks whose ids alternate. */

/** The rows per page do not depend on the number of passes. The long form shows it for ten times as many. */
const PASSES = inject('form') === 'long' ? 21_000 : 2_100;
/** One of this many passes belongs to the wallet. */
const SPACING = inject('form') === 'long' ? 780 : 78;
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SEPOLIA = { chain: 'ethereum', network: 'sepolia' } as const;
const ETHEREUM = NETWORKS.filter(({ chain }) => chain === 'ethereum').map(({ network }) => network);

/** One pass in three is theirs. Of ours, one in four is FROZEN, three in five are on Sepolia, and 26 are spread over the networks of one wallet. */
const passes = Array.from({ length: PASSES }, (_, number) =>
  aProjection(number, {
    gatekeeperNetwork: number % 3 === 1 ? 'theirs' : 'ours',
    state: number % 4 === 1 ? 'FROZEN' : 'ACTIVE',
    network: number % 5 < 3 ? 'sepolia' : 'baseSepolia',
    ...(number % SPACING === 0 && number < SPACING * 26
      ? { wallet: WALLET, network: ETHEREUM[number / SPACING] as string }
      : {}),
  }),
);
const ours = passes.filter(({ key }) => key.gatekeeperNetwork === 'ours');

beforeAll(async () => {
  const insert = env.DB.prepare(
    `INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, on_chain_state, version, record)
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>5, 1, value->>6 FROM json_each(?)`,
  );
  const rows = passes.map(({ key: { gatekeeperNetwork, wallet, chain, network }, id, state, record }) => [
    gatekeeperNetwork,
    wallet,
    chain,
    network,
    id,
    state,
    record,
  ]);
  const chunks = Array.from({ length: Math.ceil(PASSES / 1000) }, (_, at) => rows.slice(at * 1000, (at + 1) * 1000));
  await env.DB.batch(chunks.map((chunk) => insert.bind(JSON.stringify(chunk))));
});

/** Returns the ids of a search, and the number of rows read. */
async function search(wanted: Partial<Search>): Promise<{ ids: string[]; rowsRead: number }> {
  const { db, ran } = recording(env.DB);
  const { passes: records } = await searchPasses(db, { gatekeeperNetwork: 'ours', limit: 20, skip: 0, ...wanted });
  expect(ran).toHaveLength(1);
  const ids = records.map(({ record }) => (JSON.parse(record) as { id: string }).id);
  return { ids, rowsRead: ran[0]?.meta.rows_read as number };
}

const newestFirst = (holds: (pass: (typeof ours)[number]) => boolean) =>
  ours
    .filter(holds)
    .map(({ id }) => id)
    .toReversed();

describe('a page of a search', () => {
  describe.each`
    filter                 | wanted                              | limit  | among
    ${'none'}              | ${{}}                               | ${20}  | ${newestFirst(() => true)}
    ${'none'}              | ${{}}                               | ${100} | ${newestFirst(() => true)}
    ${'state'}             | ${{ state: 'ACTIVE' }}              | ${20}  | ${newestFirst(({ state }) => state === 'ACTIVE')}
    ${'state'}             | ${{ state: 'FROZEN' }}              | ${100} | ${newestFirst(({ state }) => state === 'FROZEN')}
    ${'network and state'} | ${{ on: SEPOLIA, state: 'FROZEN' }} | ${20}  | ${newestFirst(({ key, state }) => key.network === 'sepolia' && state === 'FROZEN')}
  `('a page with the filter $filter $wanted and the limit $limit', ({ wanted, limit, among }) => {
    it('a page at any depth reads no more than limit + 1 rows', async () => {
      const depths = [0, 1, 0.5, 0.9].map((share) => (share === 1 ? limit : Math.floor(among.length * share)));
      const reads: number[] = [];
      for (const depth of depths) {
        const after = among[depth - 1];
        const { ids, rowsRead } = await search({ ...wanted, limit, after });
        expect(ids).toEqual(among.slice(depth, depth + limit));
        expect(rowsRead).toBeLessThanOrEqual(limit + 1);
        if (ids.length === limit) reads.push(rowsRead);
      }
      expect(reads.length).toBeGreaterThanOrEqual(3);
      expect(new Set(reads).size, `rows read at the depths: ${reads}`).toBe(1);
    });
  });

  it.each([1, 20, 100])('a page of %i passes of a network reads at most five rows more', async (limit) => {
    const among = newestFirst(({ key }) => key.network === 'sepolia');
    for (const depth of [0, limit, Math.floor(among.length / 2), Math.floor(among.length * 0.9)]) {
      const { ids, rowsRead } = await search({ on: SEPOLIA, limit, after: among[depth - 1] });
      expect(ids).toEqual(among.slice(depth, depth + limit));
      // The merge of the five states reads one row of each ahead.
      expect(rowsRead).toBeLessThanOrEqual(limit + 5);
    }
  });

  it.each`
    filter      | wanted                                 | among
    ${'wallet'} | ${{ wallet: WALLET }}                  | ${newestFirst(({ key }) => key.wallet === WALLET)}
    ${'both'}   | ${{ wallet: WALLET, state: 'ACTIVE' }} | ${newestFirst(({ key, state }) => key.wallet === WALLET && state === 'ACTIVE')}
  `('a page with the filter $filter reads only the passes of the wallet', async ({ wanted, among }) => {
    for (const depth of [0, 5, among.length - 2]) {
      const { ids, rowsRead } = await search({ ...wanted, limit: 5, after: among[depth - 1] });
      expect(ids).toEqual(among.slice(depth, depth + 5));
      // Sorting them counts as reading them once more.
      expect(rowsRead).toBeLessThanOrEqual(2 * NETWORKS.length + 1);
    }
  });

  it('a search for a wallet on a network reads one row', async () => {
    const [pass] = ours.filter(({ key }) => key.wallet === WALLET && key.network !== 'sepolia');
    const { chain, network } = (pass as Publication).key;
    const { ids, rowsRead } = await search({ wallet: WALLET, on: { chain, network } });
    expect(ids).toEqual([pass?.id]);
    expect(rowsRead).toBeLessThanOrEqual(2);
    expect((await search({ wallet: WALLET, on: { chain: 'solana', network } })).ids).toEqual([]);
  });

  it('a search that finds nothing reads at most one row', async () => {
    expect(await search({ after: idOf(0) })).toEqual({ ids: [], rowsRead: expect.toSatisfy((rows) => rows <= 1) });
    expect((await search({ gatekeeperNetwork: 'nobody' })).rowsRead).toBeLessThanOrEqual(1);
    expect((await search({ on: { chain: 'solana', network: 'devnet' } })).rowsRead).toBeLessThanOrEqual(1);
    expect((await search({ state: 'REVOKED' })).rowsRead).toBeLessThanOrEqual(1);
    expect((await search({ wallet: '0x52908400098527886E0F7030069857D2E4169EE7' })).rowsRead).toBeLessThanOrEqual(1);
  });
});

describe('a fetch', () => {
  it.each([0, Math.floor(PASSES * 0.38), PASSES - 1])('of pass %i reads no more than 2 rows', async (number) => {
    const { db, ran } = recording(env.DB);
    const pass = passes[number] as (typeof passes)[number];
    expect((await findPass(db, pass.key))?.record).toBe(pass.record);
    expect(ran).toHaveLength(1);
    expect(ran[0]?.meta.rows_read).toBeLessThanOrEqual(2);
  });

  it('a fetch of a pass that does not exist reads no more than 2 rows', async () => {
    const { db, ran } = recording(env.DB);
    const key = { ...aProjection(1).key, wallet: walletOf(999_999) as Wallet };
    expect(await findPass(db, key)).toBeUndefined();
    expect(ran[0]?.meta.rows_read).toBeLessThanOrEqual(2);
  });

  it('a fetch does not return a pass of another key', async () => {
    const { key } = ours[1] as (typeof ours)[number];
    for (const other of [
      { gatekeeperNetwork: 'theirs' },
      { network: 'baseSepolia' },
      { chain: 'solana' as const },
      { wallet: walletOf(1) },
    ]) {
      expect(await findPass(env.DB, { ...key, ...other } as PassKey)).toBeUndefined();
    }
  });
});

/** Makes the store ask a full shard for its size. */
async function aFullShard(db: D1Database): Promise<void> {
  const sizes = new ShardSizes(() => 1, undefined);
  sizes.note('FULL', { size_after: 2 }, 0);
  expect(await sizes.hasRoom({ name: 'FULL', db }, 60_000)).toBe(false);
}

describe('the query plans of the store', () => {
  const sources = import.meta.glob<string>(['../../../src/store/*.ts', '!**/d1-circuit-breaker.ts', '!**/moves.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  });
  const prepared =
    Object.values(sources)
      .join()
      .match(/\bprepare\(/g) ?? [];

  /** Runs every statement of the store but those of a move, which `moves.test.ts` runs. A new statement must be added here. */
  const STATEMENTS = 93;
  /**
   * The 33 forms of a search, the two of finding a partner, and the two of looking up a wallet. The changes of partners share
   * statements, and so do those of gatekeeper networks and of webhooks: one more each. A write is refused from one stage of a move on, or from another. A notice
   * counts as events do. A rebuild begins once or again. A restored list is refused as other writes are.
   */
  const WAYS = STATEMENTS - 6 + 33 + 2 + 2 + 1 + 1 + 1 + 1;
  const runAll = async (db: D1Database) => {
    await findPartner(db, 'client', 'nobody', 0);
    await findPartner(db, 'organization', 'nobody', 0);
    await readShardMetrics({ DB: db }, 0, []);
    await countDeadLetters(db);
    await findSuspendedClients(db);
    await findPass(db, aProjection(1).key);
    await findValidity(db, aProjection(1).key);
    await storeCoverage({ DB: db }, 'sepolia', 1);
    const removed = { gatekeeperNetwork: 'ours', network: 'sepolia', gatekeeper: '0x1', contract: '0x2' };
    await addRemovedGatekeeper(db, removed, 1);
    await deleteRemovedGatekeeper(db, removed);
    await findPublicNetwork(db, 'ours', 0);
    await expect(chooseContract(db, 'ours', 'sepolia', 'contract')).rejects.toThrow('has no row');
    await partnersAfter(db, '', 20);
    await findRegistration(db, 'nobody');
    const partner = { clientId: 'p', name: 'P', gatekeeperNetwork: 'q', contracts: {} };
    await addPartner(db, partner);
    await changePartner(db, 'p', { dailyChanges: 1 });
    await switchPublicChecks(db, 'q', false);
    await changeRules(db, 'q', { subjectMaxPasses: 1 });
    await findRules(db, 'q');
    expect(await importPartners(db, await exportPartners(db, '', 20))).toMatchObject({ after: [{ clientId: 'p' }] });
    await findUsage(db, ['ours'], '2026-11');
    await subjectsOf(db, { gatekeeperNetwork: 'ours' });
    await countStates(db, { gatekeeperNetwork: 'ours', subject: 'person' });
    const [one] = ours as [Publication];
    await publishPasses(db, [{ ...one, events: [{ n: 1, type: 'pass.issued', body: '{}' }], eventsInFeed: 1 }]);
    await readFeed(db, { gatekeeperNetwork: 'ours', after: 0, limit: 20 });
    await nameEvents(db, { gatekeeperNetwork: 'ours', bodies: [] });
    await newestSequence(db, 'ours');
    await countEvents(db, 'ours', { after: 0, upTo: 10_000_000_000, max: 10 });
    await hasActivePartner(db, 'ours', []);
    await findContracts(db, 'sepolia', Date.now());
    await findOwners(db, ['ours']);
    await gatekeepersAfter({ DB: db }, 'sepolia', undefined, 10);
    await findShownTokens(db, [aProjection(1).key]);
    await countUnrevoked(db, 'ours', idOf(9000));
    await findShard(db, 'q');
    await countMoves(db, 'none', 'DB');
    await changeShard(db, 'none', 0, 'DB', 'DB_1');
    await findMoved(db, ['ours']);
    await changeInShardOf({ DB: db }, 'ours', (writer) => webhooksOf(writer, 'ours'));
    await changeInShardOf({ DB: db }, 'ours', (writer) => webhooksOf(writer, 'ours'), 0);
    await rowsOf(db, [aProjection(1).key]);
    await addWebhook(db, 'ours', 'id');
    await webhooksOf(db, 'ours');
    await watchedFeedsAfter({ DB: db }, '', 20);
    await countWebhooks({ DB: db });
    await removeWebhook(db, 'ours', 'id');
    await addRestoredNotice(db, 'ours');
    await erasePass(db, aProjection(9_999));
    await findFeedsToTrim(db, 0);
    await deleteEvents(db, ['ours'], 0, 20);
    await aFullShard(db);
    await runForOperator(db, aProjection(1));
    const base: Search = { gatekeeperNetwork: 'ours', limit: 20, skip: 0 };
    await searchPasses(db, { ...base, reference: 'order' });
    await searchPasses(db, { ...base, subject: 'person' });
    await searchPasses(db, { ...base, isOldestFirst: true });
    await searchPasses(db, { ...base, skip: 100 });
    for (const on of [undefined, SEPOLIA]) await searchPasses(db, { ...base, skip: 101, on });
    await searchPasses(db, { ...base, skip: 101, isOldestFirst: true });
    await searchPasses(db, { ...base, walletPrefix: '0x9000' });
    await searchPasses(db, { ...base, until: { from: 1 } });
    await searchPasses(db, { ...base, counts: true });
    await searchPasses(db, { ...base, counts: true, on: SEPOLIA });
    // A page that is not full also looks where its walk has ended.
    await searchPasses(db, { ...base, counts: true, walletPrefix: '0x9000', state: 'REVOKED' });
    await searchPasses(db, { ...base, counts: true, until: { from: 1, before: 2 }, on: SEPOLIA, isUndisputed: true });
    for (const state of [undefined, 'ACTIVE'] as const) {
      for (const wallet of [undefined, WALLET]) {
        for (const on of [undefined, SEPOLIA]) {
          for (const after of [undefined, idOf(9000)]) await searchPasses(db, { ...base, state, wallet, on, after });
        }
      }
    }
  };

  it('the query plans of all statements of the store are tested here', async () => {
    expect(prepared).toHaveLength(STATEMENTS);
    const { db, ran } = recording(env.DB);
    await runAll(db);
    expect(new Set(ran.map(({ sql }) => sql)).size).toBe(WAYS);
  });

  it.each`
    filter         | wanted                                 | plan
    ${'none'}      | ${{}}                                  | ${['SEARCH passes USING PRIMARY KEY (gatekeeper_network=?)']}
    ${'state'}     | ${{ state: 'ACTIVE' }}                 | ${['SEARCH passes USING INDEX passes_by_state (gatekeeper_network=? AND state=?)']}
    ${'wallet'}    | ${{ wallet: WALLET }}                  | ${['SEARCH passes USING INDEX passes_by_wallet (gatekeeper_network=? AND wallet=? AND wallet=?)', 'USE TEMP B-TREE FOR ORDER BY']}
    ${'both'}      | ${{ wallet: WALLET, state: 'ACTIVE' }} | ${['SEARCH passes USING INDEX passes_by_wallet (gatekeeper_network=? AND wallet=? AND wallet=?)', 'USE TEMP B-TREE FOR ORDER BY']}
    ${'prefix'}    | ${{ walletPrefix: '0x9000' }}          | ${['SEARCH passes USING INDEX passes_by_wallet (gatekeeper_network=? AND wallet>? AND wallet<?)']}
    ${'end'}       | ${{ until: { from: 1, before: 9 } }}   | ${['SEARCH passes USING INDEX passes_by_end (gatekeeper_network=? AND in_force_until>? AND in_force_until<?)']}
    ${'reference'} | ${{ reference: 'order' }}              | ${['SEARCH passes USING INDEX passes_by_reference (gatekeeper_network=? AND reference=?)']}
    ${'subject'}   | ${{ subject: 'person' }}               | ${['SEARCH passes USING INDEX passes_by_subject (gatekeeper_network=? AND subject=?)']}
  `('a search with the filter $filter has its own plan, from any position', async ({ wanted, plan }) => {
    const planOf = async (search: Partial<Search>) => {
      const { db, ran } = recording(env.DB);
      await searchPasses(db, { gatekeeperNetwork: 'ours', limit: 20, skip: 0, ...search });
      const [{ sql, values } = { sql: '', values: [] }] = ran;
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      // A read also looks whether the gatekeeper of each pass was removed.
      return results
        .map(({ detail }) => detail)
        .filter((detail) => !/SEARCH removed|SCALAR SUBQUERY|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL/.test(detail));
    };
    expect(await planOf(wanted)).toEqual(plan);
    const place = wanted.walletPrefix ? `0x91.0x91.ethereum.sepolia` : wanted.until ? `3.${idOf(9000)}` : idOf(9000);
    const behind = await planOf({ ...wanted, after: place });
    // After a position, the index of the page also finds that position.
    expect(behind.map((detail) => detail.replace(' AND id<?', ''))).toEqual(plan);
    if (place === idOf(9000) && wanted.wallet === undefined) expect(behind.join()).toContain('AND id<?');
  });

  it('every statement searches an index, and none scans a table', async () => {
    const { db, ran } = recording(env.DB);
    await runAll(db);
    for (const { sql, values } of ran) {
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...values)
        .all<{ detail: string }>();
      const plan = results.map(({ detail }) => detail).join('\n');
      // An upsert has no plan; it uses its primary key. An INSERT scans and sorts only its bound rows.
      const isInsert = /^\s*INSERT/.test(sql);
      if (!isInsert) expect(plan, sql).toMatch(/\bSEARCH\b/);
      // The rows of a walk that has searched its index. `first` is the one row at which a page begins.
      const scanned = plan.includes('CO-ROUTINE passes') ? plan.replace('SCAN passes', '') : plan;
      expect(scanned, sql).not.toMatch(
        /\bSCAN (?!json_each|\w+ VIRTUAL TABLE|new$|visited$|first$|\(subquery|CONSTANT ROW)/m,
      );
      if (
        !isInsert &&
        !plan.includes('USING INDEX passes_by_wallet (gatekeeper_network=? AND wallet=? AND wallet=?)')
      ) {
        expect(plan, sql).not.toMatch(/TEMP B-TREE/);
      }
    }
  });
});
