import { FILLING_SHARE, FULL_SHARE } from '../config/bindings.ts';
import { configOf } from '../config/parse-config.ts';
import { onDemand } from '../lib/on-demand.ts';
import type { Milliseconds } from '../lib/units.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { PassKey } from '../pass/pass.ts';
import * as allShards from './all-shards.ts';
import { type Read, readFromBookmark } from './bookmarked-reads.ts';
import { boundAnswers, breakCircuit } from './d1-circuit-breaker.ts';
import * as feed from './feed.ts';
import type { MoveRequest } from './moves.ts';
import * as partnerChanges from './partner-changes.ts';
import * as partners from './partners.ts';
import * as passes from './passes.ts';
import { changeInShardOf, findShards, inShardOf, inShardsOf, type Writer } from './placements.ts';
import * as search from './search.ts';
import { type FillingShard, ShardSizes } from './shard-sizes.ts';
import { type Databases, databasesIn, shardNamesOf, shardOf } from './shards.ts';
import * as shownTokens from './shown-tokens.ts';
import * as unsettled from './unsettled.ts';
import * as usage from './usage.ts';
import * as validity from './validity.ts';

// No partner's request needs these tables.
const deadLetters = onDemand(() => import('./dead-letters.ts'));
const moves = onDemand(() => import('./moves.ts'));
const runs = onDemand(() => import('./runs.ts'));

/** Receivers of news from the store. */
export interface StoreListeners {
  /** Called with a shard that is almost full, at most once an hour per shard and isolate. */
  readonly onFilling?: ((shard: FillingShard) => void) | undefined;
  /** Called with the feeds that a publication has made longer. */
  readonly onGrown?: ((feeds: readonly feed.GrownFeed[]) => void) | undefined;
}

/** Opens the store for requests, behind a circuit breaker, because a request must not wait long for D1. */
export function openRequestStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(env, databasesIn(env, breakCircuit), listeners);
}

/** Opens the store for background work, which can wait longer for D1. */
export function openStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(env, databasesIn(env, boundAnswers), listeners);
}

function sizesFor(env: object, { onFilling }: StoreListeners): ShardSizes {
  return new ShardSizes(() => maxBytesIn(env), onFilling);
}

/** Requests report an invalid configuration. Publishing continues without it. */
function maxBytesIn(env: object): number {
  try {
    return configOf(env).databaseMaxBytes;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A gatekeeper network. Only the store knows which database holds its passes. */
interface Owner {
  readonly gatekeeperNetwork: string;
}
/** Something of a gatekeeper network. */
type Owned = Owner | { readonly key: Owner };

/** How long a change of webhooks waits for the switch of a move. */
const SWITCH_MS = 5_000;

/** All data in D1. Every method throws if the database does not answer. The file of its tables declares and describes it. */
export type Store = ReturnType<typeof storeOver>;

/** Lists the methods of the store, and says in which database each one runs. */
function storeOver(env: object, databases: Databases, listeners: StoreListeners) {
  const { onGrown } = listeners;
  const sizes = sizesFor(env, listeners);
  const evenClosed = () => databasesIn({ ...env, CLOSED_SHARDS: '' }, boundAnswers);
  /** In the first shard, which has the tables that other shards lack. */
  const inFirst =
    <A extends unknown[], R>(run: (db: D1Database, ...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> =>
      run(shardOf(databases).db, ...args);
  /** In the shard of that name. */
  const inNamed =
    <A extends unknown[], R>(run: (db: D1Database, ...args: A) => Promise<R>) =>
    async (shard: string, ...args: A): Promise<R> =>
      run(shardOf(databases, shard).db, ...args);
  /** In the shard of a gatekeeper network. */
  const inShard =
    <A extends unknown[], R>(run: (db: D1Database, ...args: A) => Promise<R>) =>
    ({ gatekeeperNetwork }: Owner, ...args: A): Promise<R> =>
      inShardOf(databases, gatekeeperNetwork, ({ db }) => run(db, ...args));
  /** Changes the row of an item. Throws NetworkMoves while its gatekeeper network moves. */
  const change =
    <T extends Owned, A extends unknown[], R>(run: (db: Writer, item: T, ...args: A) => Promise<R>) =>
    (item: T, ...args: A): Promise<R> =>
      changeInShardOf(databases, networkOf(item), (db) => run(db, item, ...args));
  /** Webhooks can be changed during a move, except in the moment of its switch. */
  const withWebhooks =
    <A extends unknown[], R>(run: (db: Writer, gatekeeperNetwork: string, ...args: A) => Promise<R>) =>
    (gatekeeperNetwork: string, ...args: A): Promise<R> =>
      changeInShardOf(databases, gatekeeperNetwork, (db) => run(db, gatekeeperNetwork, ...args), SWITCH_MS);
  /** In a version of the shard that is at least as new as the bookmark; null reads the nearest replica. */
  const fromBookmark =
    <Q, R>(run: (db: D1DatabaseSession, query: Q, shard: string) => Promise<R>) =>
    ({ gatekeeperNetwork }: Owner, query: Q, bookmark: string | null): Promise<Read<R>> =>
      inShardOf(databases, gatekeeperNetwork, (shard) =>
        readFromBookmark(shard, bookmark, (db) => run(db, query, shard.name)),
      );
  const inAll =
    <A extends unknown[], R>(run: (databases: Databases, ...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      run(databases, ...args);

  const shardFor = ({ gatekeeperNetwork }: Owner) => inShardOf(databases, gatekeeperNetwork, async (shard) => shard);

  const publishTo: allShards.PublishTo = async ({ name, db }, publications) => {
    const { meta, grown } = await passes.publishPasses(db, publications);
    sizes.note(name, meta);
    if (grown.length > 0) onGrown?.(grown);
  };

  return {
    /** Returns the partner; undefined if there is none. Also throws if the shard of an active partner is not bound. */
    async findPartner(type: partners.PartnerNameType, name: string, now: Milliseconds) {
      const { name: shard, db } = shardOf(databases);
      const partner = await partners.findPartner(db, type, name, now, (meta) => sizes.note(shard, meta));
      // Check the binding before a request stores anything, not when its pass is published.
      if (partner !== undefined && !partner.suspended) await shardFor(partner);
      return partner;
    },
    findSuspendedClients: inFirst(partners.findSuspendedClients),
    hasActivePartner: inFirst(partners.hasActivePartner),
    findPublicNetwork: inFirst(partners.findPublicNetwork),
    chooseContract: inFirst(partnerChanges.chooseContract),
    findContracts: inFirst(partners.findContracts),
    findOwners: inFirst(partners.findOwners),
    partnersAfter: inFirst(partnerChanges.partnersAfter),
    findRegistration: inFirst(partnerChanges.findRegistration),
    addPartner: inFirst(partnerChanges.addPartner),
    changePartner: inFirst(partnerChanges.changePartner),
    switchPublicChecks: inFirst(partnerChanges.switchPublicChecks),
    changeRules: inFirst(partnerChanges.changeRules),
    findRules: inFirst(partnerChanges.findRules),
    /** Also from a database that is closed for a restore. */
    exportPartners: async (after: string, limit: number) =>
      partnerChanges.exportPartners(shardOf(evenClosed()).db, after, limit),
    /** Also into a database that is closed for a restore: its partners must be right before the service uses it again. */
    async importPartners(rows: partnerChanges.PartnerRows) {
      const imported = await partnerChanges.importPartners(shardOf(evenClosed()).db, rows);
      partners.forgetPartners(shardOf(databases).db);
      return imported;
    },
    countGivenRights: (clients: readonly partnerChanges.GivenRights[]) =>
      partnerChanges.countGivenRights(shardOf(evenClosed()).db, clients),
    findOwner: inFirst(partners.findOwner),

    findPass: fromBookmark(search.findPass),
    searchPasses: fromBookmark((db, wanted: search.Search, shard) =>
      search.searchPasses(db, wanted, (meta) => sizes.note(shard, meta)),
    ),
    countStates: fromBookmark(search.countStates),
    /** Returns what decides whether a pass is valid, from the nearest replica. */
    async findValidity(owner: Owner, key: PassKey) {
      return (await fromBookmark(validity.findValidity)(owner, key, null)).found;
    },
    countUnrevoked: inShard(passes.countUnrevoked),
    /** Returns the tokens of these passes; undefined for a pass without a row. */
    async findShownTokens(keys: readonly PassKey[]) {
      const found = new Map<PassKey, shownTokens.ShownToken | undefined>();
      await inShardsOf(
        databases,
        keys,
        (key) => key.gatekeeperNetwork,
        async ({ db }, group) => {
          const shown = await shownTokens.findShownTokens(db, group);
          for (const [index, key] of group.entries()) found.set(key, shown[index]);
        },
      );
      return found;
    },
    storeCoverage: inAll(validity.storeCoverage),
    addRemovedGatekeeper: change(validity.addRemovedGatekeeper),
    deleteRemovedGatekeeper: change(validity.deleteRemovedGatekeeper),
    gatekeepersAfter: inAll(validity.gatekeepersAfter),
    /**
     * Publishes passes in one batch per shard, calls `onPublished` with the passes of each, and returns the bookmark at which a reader
     * sees them. If a shard does not answer, the passes of the other shards are still published, and the method throws at the end.
     */
    publishPasses: (publications: readonly passes.Publication[], onPublished?: allShards.OnPublished) =>
      allShards.publishWithBookmark(databases, publications, publishTo, onPublished),

    findUnread: inAll(allShards.findUnread),
    readRows: inAll(allShards.readRows),
    readRowsOnNetwork: inAll(allShards.readRowsOnNetwork),
    findRows: inAll(allShards.findRows),
    findRowsOfWallet: inAll(allShards.findRowsOfWallet),
    findWithoutRow: inAll(allShards.findWithoutRow),
    correctRow: change(passes.correctRow),
    erasePass: change(passes.erasePass),

    readFeed: fromBookmark(feed.readFeed),
    nameEvents: fromBookmark(feed.nameEvents),
    newestSequence: fromBookmark(feed.newestSequence),
    addRestoredNotice: async (gatekeeperNetwork: string) =>
      onGrown?.(
        await changeInShardOf(databases, gatekeeperNetwork, (db) => feed.addRestoredNotice(db, gatekeeperNetwork)),
      ),
    countEvents: inShard(feed.countEvents),
    findFeedsToTrim: inNamed(feed.findFeedsToTrim),
    deleteEvents: inNamed(feed.deleteEvents),
    webhooksOf: withWebhooks(feed.webhooksOf),
    addWebhook: withWebhooks(feed.addWebhook),
    removeWebhook: withWebhooks(feed.removeWebhook),
    watchedFeedsAfter: inAll(feed.watchedFeedsAfter),
    countWebhooks: inAll(feed.countWebhooks),

    usageOf: fromBookmark((db, { gatekeeperNetwork, month }: usage.UsageQuery) =>
      usage.findUsage(db, [gatekeeperNetwork], month),
    ),
    subjectsOf: fromBookmark(usage.subjectsOf),
    usageOfAll: inAll(usage.usageOfAll),

    /** Returns the names of all shards, the first one first. */
    shardNames: () => shardNamesOf(databases),
    hasShard: (name: string) => Object.hasOwn(databases, name),
    /** Returns those of the passes whose rows belong in that shard. */
    async passesIn<T extends passes.Publication>(name: string, publications: readonly T[]) {
      const findShard = await findShards(databases, [...new Set(publications.map(networkOf))]);
      return publications.filter((each) => findShard(networkOf(each)).name === name);
    },
    /** Whether the shard has room for new passes. */
    hasRoom: async (owner: Owner) =>
      sizes.hasRoom(await shardFor(owner), rulesFor(owner.gatekeeperNetwork).leavesRoom ? FILLING_SHARE : FULL_SHARE),
    /** Returns the size of the shard as a share of the configured maximum. */
    fullShareOf: async (shard: string) => sizes.fullShareOf(shardOf(databases, shard)),

    /** Writes the contracts and rows that are missing, the rows that are older in the shard, and the entries of these passes in its list of unsettled passes. */
    async restoreRows(shard: string, restored: readonly unsettled.RestoredPass[]) {
      const publications = restored.map(({ publication }) => publication);
      await partnerChanges.restoreContracts(shardOf(databases).db, restored);
      await publishTo(shardOf(databases, shard), publications);
      await unsettled.restoreList(shardOf(databases, shard).db, restored);
    },
    /** Waits longer for a database than other requests, which must not fail because a slice is slow. */
    moveNetwork: (asked: MoveRequest, ...bounds: [forMs?: Milliseconds, maxRows?: number]) => {
      const hasRoom = () => sizes.hasRoom(shardOf(databases, asked.to), FULL_SHARE);
      return moves('moveNetwork')(databasesIn(env, boundAnswers), asked, hasRoom, ...bounds);
    },
    findMoves: inAll(moves('findMoves')),
    lastMoveAt: inAll(moves('lastMoveAt')),

    listUnsettled: change(unsettled.listUnsettled),
    unlistUnsettled: change(unsettled.unlistUnsettled),
    findUnsettled: inAll(unsettled.findUnsettled),
    readShardMetrics: inAll(unsettled.readShardMetrics),

    storeDeadLetters: inFirst(deadLetters('storeDeadLetters')),
    findDeadLetters: inFirst(deadLetters('findDeadLetters')),
    findDeadLetter: inFirst(deadLetters('findDeadLetter')),
    countDeadLetters: inFirst(deadLetters('countDeadLetters')),
    removeDeadLetters: inFirst(deadLetters('removeDeadLetters')),

    findRuns: inFirst(runs('findRuns')),
    lastRun: inFirst(runs('lastRun')),
    runOfNight: inFirst(runs('runOfNight')),
    reconcileFirst: inFirst(runs('reconcileFirst')),
    advanceRun: inFirst(runs('advanceRun')),
    beginRebuild: inFirst(runs('beginRebuild')),
    advanceRebuild: inFirst(runs('advanceRebuild')),
    absencesIn: inFirst(runs('absencesIn')),
    heldAbsences: inFirst(runs('heldAbsences')),
    acceptAbsences: inFirst(runs('acceptAbsences')),
  };
}

const networkOf = (item: Owned): string => ('key' in item ? item.key : item).gatekeeperNetwork;
