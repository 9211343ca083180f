import type { Milliseconds, UnixSeconds } from '../lib/brand.ts';
import type { Cursor } from '../lib/cursor.ts';
import type { PassKey } from '../pass/pass.ts';
import type * as absences from './absences.ts';
import type * as allShards from './all-shards.ts';
import type { Read } from './bookmarked-reads.ts';
import type * as deadLetters from './dead-letters.ts';
import type { DeletedEvents } from './delete-events.ts';
import type * as feed from './feed.ts';
import type { Partner, PartnerNameType } from './partners.ts';
import type { FoundPass, Publication, PublishedRow } from './passes.ts';
import type { PublicNetwork } from './public-networks.ts';
import type { RowPage, RowPlace } from './read-model.ts';
import type * as rebuilds from './rebuilds.ts';
import type * as reconciliations from './reconciliations.ts';
import type { RestoredPass } from './restore-list.ts';
import type { Search } from './search.ts';
import type { ReadShards } from './shard-metrics.ts';
import type { FillingShard } from './shard-sizes.ts';
import type * as unsettled from './unsettled.ts';
import type { Usage } from './usage.ts';
import type { NetworkPage, NetworkUsage, UsageQuery } from './usage-of-all.ts';
import type { Validity } from './validity.ts';
import type * as webhooks from './webhooks.ts';

/** Only the store knows which database holds the passes of a partner. */
type ShardOwner = Pick<Partner, 'shard'>;

/** All data in D1. Every method throws if the database does not answer. */
export interface Store {
  /** Also throws if the shard of an active partner is not bound. */
  findPartner(type: PartnerNameType, name: string, now: Milliseconds): Promise<Partner | undefined>;
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
  findRows(publications: readonly Publication[]): Promise<(PublishedRow | undefined)[]>;
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
  /** Returns the number of events in a range of sequences, at most `max` if a restore has skipped sequences in it. */
  countEvents(owner: ShardOwner, gatekeeperNetwork: string, range: feed.SequenceRange): Promise<number>;
  /** Returns the newest sequence of the feed; 0 if it never had an event. */
  newestSequence(owner: ShardOwner, gatekeeperNetwork: string, bookmark: string | null): Promise<Read<number>>;

  /** Returns a gatekeeper network with public checks; undefined for any other text. */
  findPublicNetwork(key: string, now: Milliseconds): Promise<PublicNetwork | undefined>;
  /** Returns what decides whether a pass is valid, from the nearest replica; undefined if the read model does not have the pass. */
  findValidity(owner: ShardOwner, key: PassKey): Promise<Validity | undefined>;

  /** Returns the usage in a month, at least as new as the bookmark; null reads the nearest replica. */
  usageOf(owner: ShardOwner, query: UsageQuery, bookmark: string | null): Promise<Read<Usage[]>>;
  /** Returns the usage of a page of gatekeeper networks. Throws if a shard does not answer, because bills need all numbers. */
  usageOfAll(month: string, page: NetworkPage): Promise<NetworkUsage[]>;

  /** Whether a partner of the gatekeeper network is not suspended. */
  hasActivePartner(gatekeeperNetwork: string): Promise<boolean>;
  webhooksOf(owner: ShardOwner, gatekeeperNetwork: string): Promise<string[]>;
  /** Returns whether the webhook was added: not if it is listed already, or if the list is full. */
  addWebhook(owner: ShardOwner, gatekeeperNetwork: string, id: string): Promise<boolean>;
  /** Returns whether the webhook was listed. */
  removeWebhook(owner: ShardOwner, gatekeeperNetwork: string, id: string): Promise<boolean>;
  /** Reads the feeds with webhooks of all shards, in the order of their gatekeeper networks. */
  watchedFeedsAfter(gatekeeperNetwork: string, limit: number): Promise<webhooks.WatchedFeeds>;
  /** Returns the number of webhooks in the shards that answer. */
  countWebhooks(): Promise<number>;

  /** Returns the feeds of a shard with events from before that time, the one with the oldest event first. */
  findFeedsToTrim(shard: string, before: UnixSeconds): Promise<string[]>;
  /** Deletes a slice of events from before that time, the oldest ones of each of these feeds. */
  deleteEvents(shard: string, feeds: readonly string[], before: UnixSeconds): Promise<DeletedEvents>;

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

  /** Does not throw: it names the shards that do not answer. */
  readShardMetrics(stuckSince: UnixSeconds): Promise<ReadShards>;
  /** Returns the number of dead letters, at most 1,000. */
  countDeadLetters(): Promise<number>;

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
