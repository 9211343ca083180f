import { env } from 'cloudflare:workers';
import { beforeAll, expect, it, vi } from 'vitest';
import { DIGESTS } from '../../feed-story/digests.ts';
import { digestOf, faultIn, faultInUsage, runStory } from '../../feed-story/feed-story.ts';

/** Stories of the event feed on D1. They give the same rows as on SQLite in Node, where a thousand stories run. */

const { DB } = env as Env;

// The database of a story fails often, and the objects log that.
beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));

it.each(Object.entries(DIGESTS))('D1 has the rows of SQLite after story %s', async (seed, digest) => {
  await DB.batch(['events', 'feeds', 'passes', 'usage'].map((table) => DB.prepare(`DELETE FROM ${table}`)));
  const story = await runStory(Number(seed), DB, undefined);
  expect(faultIn(story)).toBeUndefined();
  expect(await faultInUsage(DB, story)).toBeUndefined();
  expect(await digestOf(DB)).toBe(digest);
});
