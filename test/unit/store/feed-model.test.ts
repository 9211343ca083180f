import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DIGESTS } from '../../feed-story/digests.ts';
import { digestOf, faultIn, faultInUsage, runStory } from '../../feed-story/feed-story.ts';
import { runMoveStory } from '../../feed-story/move-story.ts';
import { runRestoreStory } from '../../feed-story/restore-story.ts';
import { SqliteDatabase } from '../../feed-story/sqlite-database.ts';
import { LONG } from '../../form.ts';

/** The statements that publish and read the feed, against a model of pass objects and readers. */

const STORIES = Number(process.env.FEED_STORIES ?? (LONG ? 10_000 : 100));
const FIRST = Number(process.env.FEED_SEED ?? 1);
const SEEDS = Array.from({ length: STORIES }, (_, index) => FIRST + index);

const [primary, secondary, third] = [new SqliteDatabase(), new SqliteDatabase(), new SqliteDatabase()];

// The database of a story fails often, and the objects log that.
beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterAll(() => {
  primary.close();
  secondary.close();
  third.close();
});

function clear(): void {
  primary.clear();
  secondary.clear();
  third.clear();
}

describe('the event feed in random stories', () => {
  it('shows each pass its history exactly once, in order and without a gap, also on a lagging replica, and counts it once', async () => {
    for (const seed of SEEDS) {
      clear();
      const story = await runStory(seed, primary, secondary);
      expect(faultIn(story) ?? (await faultInUsage(primary, story)), `story ${seed}`).toBeUndefined();
    }
  }, 3_600_000);

  it('uses no sequence twice across a restore, and shows later events once and in order', async () => {
    for (const seed of SEEDS) {
      clear();
      expect(await runRestoreStory(seed, primary, secondary), `story ${seed}`).toBeUndefined();
    }
  }, 3_600_000);

  it('loses and doubles nothing while gatekeeper networks move between databases, whatever kills a move', async () => {
    let [moves, canceled] = [0, 0];
    for (const seed of SEEDS) {
      clear();
      const result = await runMoveStory(seed, { DB: primary, DB_1: secondary, DB_2: third });
      expect(result.fault, `story ${seed}`).toBeUndefined();
      moves += result.moves;
      canceled += result.canceled;
    }
    expect(moves).toBeGreaterThan(SEEDS.length);
    expect(canceled).toBeGreaterThan(0);
  }, 3_600_000);

  it('has the rows that D1 has after the same stories', async () => {
    for (const [seed, digest] of Object.entries(DIGESTS)) {
      clear();
      await runStory(Number(seed), primary, undefined);
      expect(await digestOf(primary), `story ${seed}`).toBe(digest);
    }
  });
});
