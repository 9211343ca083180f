import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY_SECONDS } from '../../../src/lib/units.ts';
import { watchIntervalMs } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';

/** Compares the cost of the watchers with docs/operators/cost.md. */

/** The alarm and the places in the watcher, and the coverage in one shard. */
const ROWS_PER_READING = 3;
const SECONDS_PER_READING = 0.3;
const OBJECT_GB = 0.128;
/** Cloudflare's prices in dollars, as in the same document. */
const [ROW_USD, CALL_USD, GB_SECOND_USD] = [1 / 1e6, 0.15 / 1e6, 12.5 / 1e6];
const READING_USD = ROWS_PER_READING * ROW_USD + CALL_USD + SECONDS_PER_READING * OBJECT_GB * GB_SECOND_USD;

const readingsPerDay = (intervalMs: number) => (DAY_SECONDS * 1000) / intervalMs;

describe('docs/operators/cost.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operators/cost.md'), 'utf8');
  const rows = [...text.matchAll(/^\| [^|]+ \| ([^|]+) \| (\d+) s \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|$/gm)].map(
    ([, networks = '', ...numbers]) => ({
      networks,
      numbers: numbers.map((number) => Number(number.replaceAll(',', ''))),
    }),
  );
  const byInterval = Map.groupBy(NETWORKS, (network) => watchIntervalMs(network));

  it('has a row for each interval of the networks', () => {
    expect(rows.map(({ numbers: [seconds = 0] }) => seconds * 1000).toSorted((a, b) => a - b)).toEqual(
      [...byInterval.keys()].toSorted((a, b) => a - b),
    );
  });

  it.each(rows)('names the networks, requests, rows and dollars of a day: $networks', ({ networks, numbers }) => {
    const [seconds = 0, requests, written, dollars] = numbers;
    const alike = byInterval.get(seconds * 1000) ?? [];
    const named = [...networks.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    if (named.length > 0) expect(alike.map(({ network }) => network).toSorted()).toEqual(named.toSorted());
    else expect(networks).toContain(`the other ${alike.length}`);
    const readings = readingsPerDay(seconds * 1000);
    expect(requests).toBe(readings);
    expect(written).toBe(ROWS_PER_READING * readings);
    expect(dollars).toBeCloseTo(READING_USD * readings, 3);
  });

  it('names the most that a stranger can cost in a day', () => {
    const changes = 100 * readingsPerDay(5_000);
    expect(text).toContain(`at most ${(changes / 1e6).toFixed(1)} million changes a day`);
    expect(text).toContain(`$${(2 * changes * ROW_USD).toFixed(1)}0 for rows`);
    expect(text).toContain(`${((3 * changes) / 1e6).toFixed(1)} million calls`);
  });
});

it.each(NETWORKS)('a watcher reads $network at least every 30 s and at most every 5 s', (network) => {
  expect(watchIntervalMs(network)).toBeGreaterThanOrEqual(5_000);
  expect(watchIntervalMs(network)).toBeLessThanOrEqual(30_000);
});
