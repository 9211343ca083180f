import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLICE_MAX_PASSES, slicesOfNight } from '../../../src/consumer/reconcile.ts';
import { DAY_SECONDS } from '../../../src/lib/units.ts';
import { dollarsOfMonth, PRICES } from '../../../tools/plots/cost.ts';
import { gigabytesOf, measureRowBytes } from '../../../tools/plots/database-size.ts';

/** Compares the tables of months and of the reconciliation in docs/operators/cost.md with computed amounts. */

const PROJECT = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');

const { measures } = JSON.parse(textOf('tools/bench/results.json'));
const cost = textOf('docs/operators/cost.md');
const format = (number: number) => number.toLocaleString('en-US', { maximumSignificantDigits: 2 });

/** Returns the calls of endpoints per issuance that the benchmark counted on the chain with that call. */
function callsPerPass(sends: string): number {
  const counts: Record<string, number>[] = [];
  JSON.stringify(measures, (_, value) => {
    if (value !== null && typeof value === 'object' && `rpc.calls: ${sends}` in value) counts.push(value);
    return value;
  });
  return counts[0]?.['rpc.calls'] ?? Number.NaN;
}

it('the table of months has the dollars, the calls of endpoints and the size that the operations give', () => {
  const bytes = measureRowBytes();
  const [ethereum, solana] = [callsPerPass('eth_sendRawTransaction'), callsPerPass('sendTransaction')];
  const rows = [10_000, 100_000, 1_000_000, 10_000_000].map((passes) => {
    const gigabytes = gigabytesOf(passes, bytes);
    const dollars = dollarsOfMonth(passes, gigabytes);
    const cells = [format(dollars), format(passes * ethereum), format(passes * solana), `${format(gigabytes)} GB`];
    return `| ${passes.toLocaleString('en-US')} | $${cells.join(' | ')} |`;
  });
  expect(cost).toContain(rows.join('\n'));
  expect(cost).toContain(`A database of 10 GB holds ${format(10e9 / bytes.pass)} passes without events.`);
});

it('a run of the reconciliation over ten million passes takes at most seven nights, and costs what the table says', () => {
  const runOver = (passes: number) => {
    let [left, nights] = [passes, 0];
    for (; left > 0; nights += 1) left -= slicesOfNight({ started: 0, night: nights * DAY_SECONDS }) * SLICE_MAX_PASSES;
    // Each slice is a message. A pass is a call of its object, 10 ms of it, and a row of D1.
    const { objectCalls, objectGigabyteSeconds, d1RowsRead, queueOperations, logLines } = PRICES;
    const slices = passes / SLICE_MAX_PASSES;
    const dollars =
      passes * (objectCalls.usd + 0.01 * 0.128 * objectGigabyteSeconds.usd + d1RowsRead.usd) +
      slices * (3 * queueOperations.usd + logLines.usd + 2 * PRICES.d1RowsWritten.usd);
    return { nights, row: `| ${passes.toLocaleString('en-US')} | ${nights} | ${dollars.toFixed(2)} |` };
  };
  expect(runOver(10_000_000).nights).toBeLessThanOrEqual(7);
  expect(cost).toContain([200_000, 1_000_000, 10_000_000].map((passes) => runOver(passes).row).join('\n'));
  // The time that a slice may take, so that the slices of a night fit into a day.
  expect(DAY_SECONDS / slicesOfNight({ started: 0, night: 1 })).toBeGreaterThan(5);
});
