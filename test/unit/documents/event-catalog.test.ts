import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FEED_TYPE_OF } from '../../../src/pass/feed-events.ts';
import { EVENT_TYPES, FEED_TYPES } from '../../../src/pass/vocabulary.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/partners/events.md'), 'utf8');

describe('the catalog in docs/partners/events.md', () => {
  it('has each entry of a record once, with its type in the feed', () => {
    const rows = [...PAGE.matchAll(/^\| `([A-Z_]+)` \| (?:none|`([\w.]+)`) \|/gm)].map(([, entry, type]) => [
      entry,
      type,
    ]);
    expect(Object.fromEntries(rows)).toEqual(FEED_TYPE_OF);
    expect(rows.map(([entry]) => entry)).toEqual([...EVENT_TYPES]);
  });

  it('has an example of each type', () => {
    const examples = [...PAGE.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json = '']) => JSON.parse(json).type);
    expect(examples).toEqual([...FEED_TYPES]);
  });
});
