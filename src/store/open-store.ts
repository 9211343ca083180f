import { FIRST_SHARD } from '../config/bindings.ts';
import { configOf } from '../config/parse-config.ts';
import type { UnixSeconds } from '../lib/brand.ts';
import * as absences from './absences.ts';
import * as allShards from './all-shards.ts';
import { readFromBookmark } from './bookmarked-reads.ts';
import { boundAnswers, breakCircuit } from './d1-circuit-breaker.ts';
import * as deadLetters from './dead-letters.ts';
import { deleteEvents, findFeedsToTrim } from './delete-events.ts';
import * as feed from './feed.ts';
import { findPartner, findSuspendedClients, hasActivePartner } from './partners.ts';
import { findPass, type Publication, publishPasses } from './passes.ts';
import { findPublicNetwork } from './public-networks.ts';
import { correctRow } from './read-model.ts';
import * as rebuilds from './rebuilds.ts';
import * as reconciliations from './reconciliations.ts';
import { restoreList } from './restore-list.ts';
import { searchPasses } from './search.ts';
import { readShardMetrics } from './shard-metrics.ts';
import { ShardSizes } from './shard-sizes.ts';
import { type Databases, databasesIn, shardNamesOf, shardOf } from './shards.ts';
import type { Store, StoreListeners } from './store.ts';
import * as unsettled from './unsettled.ts';
import { findUsage } from './usage.ts';
import { usageOfAll } from './usage-of-all.ts';
import { findValidity } from './validity.ts';
import * as webhooks from './webhooks.ts';

/** Opens the store for requests, behind a circuit breaker, because a request must not wait long for D1. */
export function openRequestStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(databasesIn(env, breakCircuit), sizesFor(env, listeners), listeners);
}

/** Opens the store for background work, which can wait longer for D1. */
export function openStore(env: object, listeners: StoreListeners = {}): Store {
  return storeOver(databasesIn(env, boundAnswers), sizesFor(env, listeners), listeners);
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
    findPartner: async (type, name, now) => {
      const { name: shard, db } = shardOf(databases);
      const partner = await findPartner(db, type, name, now, (meta) => sizes.note(shard, meta));
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
    countEvents: async ({ shard }, network, range) => feed.countEvents(shardOf(databases, shard).db, network, range),
    newestSequence: async ({ shard }, gatekeeperNetwork, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) => feed.newestSequence(db, gatekeeperNetwork)),

    findPublicNetwork: async (key, now) => findPublicNetwork(first(), key, now),
    findValidity: async ({ shard }, key) =>
      (await readFromBookmark(shardOf(databases, shard), null, (db) => findValidity(db, key))).found,

    usageOf: async ({ shard }, { gatekeeperNetwork, month }, bookmark) =>
      readFromBookmark(shardOf(databases, shard), bookmark, (db) => findUsage(db, [gatekeeperNetwork], month)),
    usageOfAll: (month, page) => usageOfAll(databases, month, page),

    hasActivePartner: async (gatekeeperNetwork) => hasActivePartner(first(), gatekeeperNetwork),
    webhooksOf: async ({ shard }, network) => webhooks.webhooksOf(shardOf(databases, shard).db, network),
    addWebhook: async ({ shard }, network, id) => webhooks.addWebhook(shardOf(databases, shard).db, network, id),
    removeWebhook: async ({ shard }, network, id) => webhooks.removeWebhook(shardOf(databases, shard).db, network, id),
    watchedFeedsAfter: (network, limit) => webhooks.watchedFeedsInAllShards(databases, network, limit),
    countWebhooks: () => webhooks.countWebhooksInAllShards(databases),

    findFeedsToTrim: async (shard, before) => findFeedsToTrim(shardOf(databases, shard).db, before),
    deleteEvents: async (shard, feeds, before) => deleteEvents(shardOf(databases, shard).db, feeds, before),

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

    readShardMetrics: (stuckSince) => readShardMetrics(databases, stuckSince),
    countDeadLetters: async () => deadLetters.countDeadLetters(first()),

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
