import { configOf } from '../config/parse-config.ts';
import { FIRST_SHARD } from '../config/shard-name.ts';
import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import type { Cursor } from '../lib/cursor.ts';
import type { PassKey } from '../pass/pass.ts';
import * as absences from './absences.ts';
import * as allShards from './all-shards.ts';
import { type Read, readFromBookmark } from './bookmarked-reads.ts';
import { breakCircuit } from './d1-circuit-breaker.ts';
import * as deadLetters from './dead-letters.ts';
import { deleteEvents, findFeedsToTrim } from './delete-events.ts';
import * as feed from './feed.ts';
import { findPartner, findSuspendedClients, hasActivePartner, type Partner } from './partners.ts';
import { type FoundPass, findPass, type Publication, publishPasses } from './passes.ts';
import { correctRow, type RowPage, type RowPlace } from './read-model.ts';
import * as rebuilds from './rebuilds.ts';
import * as reconciliations from './reconciliations.ts';
import { type RestoredPass, restoreList } from './restore-list.ts';
import { type Search, searchPasses } from './search.ts';
import { type FillingShard, ShardSizes } from './shard-sizes.ts';
import { type Databases, databasesIn, shardNamesOf, shardOf } from './shards.ts';
import * as unsettled from './unsettled.ts';
import * as webhooks from './webhooks.ts';

/** Only the store knows which database holds the passes of a partner. */
type ShardOwner = Pick<Partner, 'shard'>;

/** All data in D1. Every method throws if the database does not answer. */
export interface Store {
  /** Also throws if the shard of an active partner is not bound. */
  findPartner(clientId: string, now: Milliseconds): Promise<Partner | undefined>;
  /** Returns the ids of the suspended OAuth clients. */
  findSuspendedClients(): Promise<string[]>;

  /** Reads a pass from the read model, at least as new as the bookmark; null reads the nearest replica. */
  findPass(owner: ShardOwner, key: PassKey, bookmark: string | null): Promise<Read<FoundPass | undefined>>;
  searchPasses(owner: ShardOwner, search: Search, bookmark: string | null): Promise<Read<string[]>>;
  /** Whether the shard has room for new passes. */
  hasRoom(owner: ShardOwner): Promise<boolean>;
  /** Publishes passes in one batch per shard, and returns the bookmark at which a reader sees them. */
  publishPasses(publications: readonly Publication[]): Promise<string>;
  /**
   * Publishes passes, and calls `onPublished` with the passes of each shard. If a shard does not answer, the passes of the other
   * shards are still published, and the method throws at the end.
   */
  publishBatch(publications: readonly Publication[], onPublished?: allShards.OnPublished): Promise<void>;

  /** Reads rows of the read model in the order of their primary key, shard after shard. */
  readRows(place: RowPlace, limit: number): Promise<RowPage>;
  /** Returns the row of each publication's pass, in order; undefined for a pass without a row. */
  findRows(publications: readonly Publication[]): Promise<(Publication | undefined)[]>;
  /** Returns the passes that have no row in any shard. */
  findWithoutRow(keys: readonly PassKey[]): Promise<PassKey[]>;
  /** Overwrites a row that has the given version, even with a lower version, which a publication would not do. */
  correctRow(publication: Publication, version: number): Promise<void>;

  /** Reads a page of the event feed, at least as new as the bookmark; null reads the nearest replica. */
  readFeed(
    owner: ShardOwner,
    query: feed.FeedQuery,
    bookmark: string | null,
  ): Promise<Read<feed.FeedPage | feed.CursorExpired>>;
  /** Returns the newest sequence of the feed; 0 if it never had an event. */
  newestSequence(owner: ShardOwner, gatekeeperNetwork: string, bookmark: string | null): Promise<Read<number>>;

  /** Whether a partner of the gatekeeper network is not suspended. */
  hasActivePartner(gatekeeperNetwork: string): Promise<boolean>;
  webhooksOf(owner: ShardOwner, gatekeeperNetwork: string): Promise<string[]>;
  /** Returns whether the webhook was added: not if it is listed already, or if the list is full. */
  addWebhook(owner: ShardOwner, gatekeeperNetwork: string, id: string): Promise<boolean>;
  /** Returns whether the webhook was listed. */
  removeWebhook(owner: ShardOwner, gatekeeperNetwork: string, id: string): Promise<boolean>;
  /** Reads the feeds with webhooks of all shards, in the order of their gatekeeper networks. */
  watchedFeedsAfter(gatekeeperNetwork: string, limit: number): Promise<webhooks.WatchedFeeds>;

  /** Returns the feeds of a shard with events from before that time, the one with the oldest event first. */
  findFeedsToTrim(shard: string, before: UnixSeconds): Promise<string[]>;
  /** Deletes a slice of the oldest events of a feed that are from before that time. Returns how many. */
  deleteEvents(shard: string, gatekeeperNetwork: string, before: UnixSeconds): Promise<number>;

  /** Returns the names of all shards, the first one first. */
  shardNames(): string[];
  /** Returns the size of the shard as a share of the configured maximum. */
  fullShareOf(shard: string): Promise<number>;
  hasShard(name: string): boolean;
  /** Whether the row of the pass belongs in that shard. */
  isIn(publication: Publication, shard: string): boolean;
  /** Writes the rows that are missing or older in the shard, and the entries of these passes in its list of unsettled passes. */
  restoreRows(shard: string, passes: readonly RestoredPass[]): Promise<void>;
  beginRebuild(shard: string): Promise<void>;
  advanceRebuild(shard: string, counts: rebuilds.RebuildCounts, place: rebuilds.RebuildPlace): Promise<void>;
  findRebuilds(): Promise<rebuilds.Rebuild[]>;

  /** Adds the pass to the list of unsettled passes of its shard. */
  listUnsettled(pass: unsettled.Unsettled): Promise<void>;
  unlistUnsettled(pass: Pick<unsettled.Unsettled, 'key' | 'shard'>): Promise<void>;
  /** Reads the lists of all shards, merged. Throws only if no shard answers. */
  findUnsettled(query: {
    before: UnixSeconds;
    limit: number;
    after?: Cursor | undefined;
  }): Promise<unsettled.UnsettledPage>;

  storeDeadLetters(letters: readonly deadLetters.DeadLetter[]): Promise<void>;
  findDeadLetters(page: { limit: number; after?: Cursor | undefined }): Promise<deadLetters.DeadLetter[]>;
  findDeadLetter(id: string): Promise<deadLetters.DeadLetter | undefined>;
  removeDeadLetters(ids: readonly string[]): Promise<void>;

  lastRun(): Promise<reconciliations.Run | undefined>;
  beginRun(run: number, night: UnixSeconds, position: string): Promise<void>;
  continueRun(run: number, night: UnixSeconds): Promise<void>;
  advanceRun(
    run: reconciliations.Run,
    next: reconciliations.RunProgress,
    counts: readonly absences.Absences[],
  ): Promise<boolean>;
  absencesIn(run: number, pairs: readonly absences.Pair[]): Promise<absences.Absences[]>;
  heldAbsences(run: number): ReturnType<typeof absences.heldAbsences>;
  /** Returns whether the pair was held. */
  acceptAbsences(run: number, pair: absences.Pair): Promise<boolean>;
}

/** Receivers of news from the store. */
export interface StoreListeners {
  /** Called with a shard that is almost full, at most once an hour per shard and isolate. */
  readonly onFilling?: ((shard: FillingShard) => void) | undefined;
  /** Called with the feeds that a publication has made longer. */
  readonly onGrown?: ((feeds: readonly feed.GrownFeed[]) => void) | undefined;
}

/** Opens the store for requests, behind a circuit breaker, because a request must not wait long for D1. */
export function openRequestStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(databasesIn(env, breakCircuit), sizesFor(env, listeners), listeners);
}

/** Opens the store for background work, which can wait for D1. */
export function openStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(databasesIn(env), sizesFor(env, listeners), listeners);
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

function storeOver(databases: Databases, sizes: ShardSizes, { onGrown }: StoreListeners): Store {
  const first = () => shardOf(databases).db;
  const publishTo = async ({ name, db }: allShards.PublishingShard, publications: readonly Publication[]) => {
    const { meta, grown } = await publishPasses(db, publications);
    sizes.note(name, meta);
    if (grown.length > 0) onGrown?.(grown);
  };
  return {
    async findPartner(clientId, now) {
      const { db, name } = shardOf(databases);
      const partner = await findPartner(db, clientId, now, (meta) => sizes.note(name, meta));
      // Check the binding before a request stores anything, not when its pass is published.
      if (partner !== undefined && !partner.suspended) shardOf(databases, partner.shard);
      return partner;
    },
    findSuspendedClients: async () => findSuspendedClients(first()),

    findPass: async ({ shard }, key, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) => findPass(db, key)),
    searchPasses: async ({ shard }, search, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) =>
        searchPasses(db, search, (meta) => sizes.note(shard, meta)),
      ),
    hasRoom: async ({ shard }) => sizes.hasRoom(shardOf(databases, shard)),
    publishPasses: (publications) => allShards.publishWithBookmark(databases, publications, publishTo),
    publishBatch: (publications, onPublished) =>
      allShards.publishToShards(databases, publications, publishTo, onPublished),

    readRows: (place, limit) => allShards.readRows(databases, place, limit),
    findRows: (publications) => allShards.findRows(databases, publications),
    findWithoutRow: (keys) => allShards.findWithoutRow(databases, keys),
    correctRow: async (publication, version) =>
      correctRow(shardOf(databases, publication.shard).db, publication, version),

    readFeed: async ({ shard }, query, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) => feed.readFeed(db, query)),
    newestSequence: async ({ shard }, gatekeeperNetwork, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) => feed.newestSequence(db, gatekeeperNetwork)),

    hasActivePartner: async (gatekeeperNetwork) => hasActivePartner(first(), gatekeeperNetwork),
    webhooksOf: async ({ shard }, network) => webhooks.webhooksOf(shardOf(databases, shard).db, network),
    addWebhook: async ({ shard }, network, id) => webhooks.addWebhook(shardOf(databases, shard).db, network, id),
    removeWebhook: async ({ shard }, network, id) => webhooks.removeWebhook(shardOf(databases, shard).db, network, id),
    watchedFeedsAfter: (network, limit) => webhooks.watchedFeedsInAllShards(databases, network, limit),

    findFeedsToTrim: async (shard, before) => findFeedsToTrim(shardOf(databases, shard).db, before),
    deleteEvents: async (shard, gatekeeperNetwork, before) =>
      deleteEvents(shardOf(databases, shard).db, gatekeeperNetwork, before),

    shardNames: () => shardNamesOf(databases),
    fullShareOf: async (shard) => sizes.fullShareOf(shardOf(databases, shard)),
    hasShard: (name) => Object.hasOwn(databases, name),
    isIn: ({ shard = FIRST_SHARD }, name) => shard === name,
    async restoreRows(shard, passes) {
      const publications = passes.map(({ publication }) => publication);
      await publishTo(shardOf(databases, shard), publications);
      await restoreList(shardOf(databases, shard).db, passes);
    },
    beginRebuild: async (shard) => rebuilds.beginRebuild(first(), shard, nowSeconds()),
    advanceRebuild: async (shard, counts, place) =>
      rebuilds.advanceRebuild(first(), shard, counts, place, nowSeconds()),
    findRebuilds: async () => rebuilds.findRebuilds(first()),

    listUnsettled: async (pass) => unsettled.listUnsettled(shardOf(databases, pass.shard).db, pass),
    unlistUnsettled: async ({ key, shard }) => unsettled.unlistUnsettled(shardOf(databases, shard).db, key),
    findUnsettled: (query) => unsettled.findInAllShards(databases, query),

    storeDeadLetters: async (letters) => deadLetters.storeDeadLetters(first(), letters),
    findDeadLetters: async (page) => deadLetters.findDeadLetters(first(), page),
    findDeadLetter: async (id) => deadLetters.findDeadLetter(first(), id),
    removeDeadLetters: async (ids) => deadLetters.removeDeadLetters(first(), ids),

    lastRun: async () => reconciliations.lastRun(first()),
    beginRun: async (run, night, position) => reconciliations.beginRun(first(), run, night, position),
    continueRun: async (run, night) => reconciliations.continueRun(first(), run, night),
    advanceRun: async (run, next, counts) => reconciliations.advanceRun(first(), run, next, counts),
    absencesIn: async (run, pairs) => absences.absencesIn(first(), run, pairs),
    heldAbsences: async (run) => absences.heldAbsences(first(), run),
    acceptAbsences: async (run, pair) => absences.acceptAbsences(first(), run, pair),
  };
}

function nowSeconds(): UnixSeconds {
  return Math.floor(Date.now() / 1000);
}
