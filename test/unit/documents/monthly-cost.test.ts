import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SLICE_MAX_PASSES, slicesOfNight } from '../../../src/consumer/reconcile.ts';
import { DAY_SECONDS } from '../../../src/lib/units.ts';

/** Compares the tables of months and of the reconciliation in docs/operators/cost.md with computed amounts. */

const PROJECT = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');

/** Cloudflare's list prices in dollars, and the monthly volumes that the Workers Paid plan includes. */
const PLAN_USD = 5;
const PRICES = {
  requests: { usd: 0.3 / 1e6, included: 10e6 },
  cpuMs: { usd: 0.02 / 1e6, included: 30e6 },
  d1RowsRead: { usd: 0.001 / 1e6, included: 25e9 },
  d1RowsWritten: { usd: 1 / 1e6, included: 50e6 },
  d1Gigabytes: { usd: 0.75, included: 5 },
  objectCalls: { usd: 0.15 / 1e6, included: 1e6 },
  objectGigabyteSeconds: { usd: 12.5 / 1e6, included: 400_000 },
  objectRowsRead: { usd: 0.001 / 1e6, included: 25e9 },
  objectRowsWritten: { usd: 1 / 1e6, included: 50e6 },
  queueOperations: { usd: 0.4 / 1e6, included: 1e6 },
  logLines: { usd: 0.6 / 1e6, included: 20e6 },
} as const;
type Volumes = { readonly [name in keyof typeof PRICES]: number };

const FETCHES = 10;
/** The operations of a pass, from the table of an issuance and of a fetch. */
const PER_PASS: Omit<Volumes, 'd1Gigabytes'> = {
  requests: 1.02 + FETCHES,
  cpuMs: 4 + 0.3 * FETCHES,
  d1RowsRead: FETCHES,
  // The pass and its new state with their indexes, its event, and the deletion of the event.
  d1RowsWritten: 9,
  objectCalls: 5.04,
  objectGigabyteSeconds: 0.06 * 0.128,
  objectRowsRead: 60,
  objectRowsWritten: 13.2,
  queueOperations: 6,
  logLines: 1.1 + 0.05 * FETCHES,
};
const MONTHS = 12;

function dollarsOf(volumes: Volumes): number {
  const names = Object.keys(PRICES) as (keyof typeof PRICES)[];
  const beyond = (name: keyof typeof PRICES) => Math.max(0, volumes[name] - PRICES[name].included);
  return PLAN_USD + names.reduce((sum, name) => sum + beyond(name) * PRICES[name].usd, 0);
}

/** Returns the bytes that a database needs for a pass and for an event: the growth of a SQLite file by many of them. */
function measureBytes(): { readonly pass: number; readonly event: number } {
  const db = new DatabaseSync(':memory:');
  for (const file of ['0001_baseline.sql', '0002_moves.sql', '0003_references.sql'])
    db.exec(textOf(`migrations/${file}`));
  const size = () => {
    const [{ bytes }] = db
      .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
      .all() as [{ bytes: number }];
    return bytes;
  };
  const example = JSON.parse(textOf('docs/partners/openapi.json')).paths['/pass/{chain}/{chainNetwork}/{wallet}'].get
    .responses[200].content['application/json'].examples.active.value;
  const record = JSON.stringify(example);
  const key = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf';
  const ROWS = 5_000;
  const empty = size();
  const pass =
    db.prepare(`INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, on_chain_state, issued_by, version, record)
    VALUES (?, ?, ?, 'ethereum', 'sepolia', 'ACTIVE', 'ACTIVE', ?, 3, ?)`);
  for (let n = 0; n < ROWS; n += 1) {
    const wallet = `0x${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(40, '0')}`;
    pass.run(key, `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`, wallet, `0x${'9'.repeat(40)}`, record);
  }
  const withPasses = size();
  const event = db.prepare(
    "INSERT INTO events (gatekeeper_network, sequence, at, type, body) VALUES (?, ?, 1, 'pass.issued', ?)",
  );
  const body = JSON.stringify({
    id: `${example.id}.1`,
    timestamp: '2026-11-20T11:03:45.000Z',
    data: { event: example.events[0], pass: example },
  });
  for (let n = 1; n <= ROWS; n += 1) event.run(key, n, body);
  const withEvents = size();
  db.close();
  return { pass: (withPasses - empty) / ROWS, event: (withEvents - withPasses) / ROWS };
}

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
  const { pass, event } = measureBytes();
  const [ethereum, solana] = [callsPerPass('eth_sendRawTransaction'), callsPerPass('sendTransaction')];
  const rows = [10_000, 100_000, 1_000_000, 10_000_000].map((passes) => {
    const gigabytes = (passes * MONTHS * pass + passes * event) / 1e9;
    const used = Object.fromEntries(Object.entries(PER_PASS).map(([name, times]) => [name, times * passes]));
    const dollars = dollarsOf({ ...(used as Omit<Volumes, 'd1Gigabytes'>), d1Gigabytes: gigabytes });
    const cells = [format(dollars), format(passes * ethereum), format(passes * solana), `${format(gigabytes)} GB`];
    return `| ${passes.toLocaleString('en-US')} | $${cells.join(' | ')} |`;
  });
  expect(cost).toContain(rows.join('\n'));
  expect(cost).toContain(`A database of 10 GB holds ${format(10e9 / pass)} passes without events.`);
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
