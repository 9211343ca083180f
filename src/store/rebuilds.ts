import type { UnixSeconds } from '../lib/units.ts';
import { nowSeconds } from '../lib/units.ts';

/** Counts of a rebuild. */
export interface RebuildCounts {
  /** Pass objects that answered. */
  readonly objects: number;
  /** Objects with a pass of the shard. */
  readonly passes: number;
  /** Objects with a pass of another shard. */
  readonly elsewhere: number;
  /** Objects without a pass. */
  readonly empty: number;
}

/** The newest rebuild of a shard. */
export interface Rebuild extends RebuildCounts {
  readonly shard: string;
  readonly started: UnixSeconds;
  /** Null: not finished. */
  readonly finished: UnixSeconds | null;
  /** When it last made progress. */
  readonly updated: UnixSeconds;
  /** Position where the list of objects continues; null: at its beginning, or finished. */
  readonly position: string | null;
}

/** The new position of a rebuild after a slice: undefined keeps the position, null is the end. */
export type RebuildPlace = string | null | undefined;

const BEGIN = `
  INSERT INTO rebuilds (shard, started, updated) VALUES (?1, ?2, ?2)
  ON CONFLICT (shard) DO UPDATE SET
    started = excluded.started, updated = excluded.updated, finished = NULL, position = NULL,
    objects = 0, passes = 0, elsewhere = 0, empty = 0`;

/** Begins a rebuild of the shard and replaces an earlier one. */
export async function beginRebuild(db: D1Database, shard: string, now = nowSeconds()): Promise<void> {
  await db.prepare(BEGIN).bind(shard, now).run();
}

const ADVANCE = `
  INSERT INTO rebuilds (shard, started, updated, objects, passes, elsewhere, empty, position, finished)
  VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (shard) DO UPDATE SET
    updated = excluded.updated, objects = objects + excluded.objects, passes = passes + excluded.passes,
    elsewhere = elsewhere + excluded.elsewhere, empty = empty + excluded.empty,
    position = iif(?9, excluded.position, position), finished = iif(?9, excluded.finished, finished)`;

/** Adds the counts of a slice, because slices run in parallel. */
export async function advanceRebuild(
  db: D1Database,
  shard: string,
  { objects, passes, elsewhere, empty }: RebuildCounts,
  place: RebuildPlace,
  now = nowSeconds(),
): Promise<void> {
  const finished = place === null ? now : null;
  const moves = place === undefined ? 0 : 1;
  await db
    .prepare(ADVANCE)
    .bind(shard, now, objects, passes, elsewhere, empty, place ?? null, finished, moves)
    .run();
}

const LIST = `
  SELECT shard, started, finished, updated, position, objects, passes, elsewhere, empty
  FROM rebuilds WHERE shard > '' ORDER BY shard`;

export async function findRebuilds(db: D1Database): Promise<Rebuild[]> {
  return (await db.prepare(LIST).all<Rebuild>()).results;
}
