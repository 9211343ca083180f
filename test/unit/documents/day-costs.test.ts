import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NETWORKS } from '../../../src/network/networks.ts';
import { CLOCK_STEPS_PER_MINUTE } from '../../../src/network/sandbox.ts';
import { DAILY_ROOM_OF_WEBHOOKS, DAILY_SYNCS } from '../../../src/pass-object/daily-quota.ts';

/**
 * Compares the costliest day of a partner and of an anonymous caller in docs/operators/security.md with the computed one. The work of each
 * request is that of the table in docs/performance.md, which `test/worker/http/request-costs.full.test.ts` measures. The rows of a
 * delivery are those that `test/worker/webhook-object/webhook-flood.full.test.ts` measures.
 */

const PROJECT = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const security = textOf('docs/operators/security.md');

/** Cloudflare's list prices in dollars. */
const USD = {
  request: 0.3 / 1e6,
  cpuMs: 0.02 / 1e6,
  rowRead: 0.001 / 1e6,
  rowWritten: 1 / 1e6,
  call: 0.15 / 1e6,
  queueOperation: 0.4 / 1e6,
  logLine: 0.6 / 1e6,
  gigabyteSecond: 12.5 / 1e6,
};
const DAY_SECONDS = 86_400;
/** The share of successes that a deployment logs, and that of refusals in a flood. */
const LOGGED = { successes: 0.05, refusals: 0.01 };

interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly read: number;
  readonly written: number;
  readonly calls: number;
}

const ROWS: readonly Row[] = [
  ...textOf('docs/performance.md').matchAll(/^\| `([A-Z]+ \/[^`]*)`(, large)? \|(.*)\|$/gm),
].map(([, route, large = '', cells = '']) => {
  const [, perSecond = 0, , read = 0, written = 0, calls = 0] = cells
    .split('|')
    .map((cell) => Number(cell.replaceAll(',', '')));
  return { name: `${route}${large}`, perSecond, read, written, calls };
});

/** Requests that have a daily number. Each one beyond it makes one call, of the count. */
const BOUNDED =
  /^(POST \/webhooks|(PATCH|DELETE) \/webhooks\/:webhook|POST \/webhooks.*(secret|replay)|POST \/pass.*\/sync|(PATCH|DELETE) \/(subjects\/:subject|rules))$/;
/** Changes of a pass: one that changes nothing calls the pass only, and now and then the count of the waiting work. */
const CHANGES = /^(POST|PATCH|DELETE) \/pass\/:chain\/:chainNetwork(\/:wallet)?$/;
/** The processor time of a request in ms, as docs/operators/cost.md has it for a search. */
const CPU_MS = 0.4;

/** Returns dollars for a request that stores nothing: changes have daily numbers. */
function costOf({ name, read, calls }: Row, logged: number): number {
  const made = BOUNDED.test(name) ? 1 : CHANGES.test(name) ? 1.05 : calls;
  return USD.request + CPU_MS * USD.cpuMs + read * USD.rowRead + made * USD.call + logged * USD.logLine;
}

/** Returns dollars for a day of the costliest route with that limit. */
function dayOf(perSecond: number, logged: (row: Row) => number, isOne = (_: Row) => true): number {
  // A sandbox is slower: its reads count as changes.
  const rows = ROWS.filter((row) => row.perSecond === perSecond && !row.name.includes('/sandbox') && isOne(row));
  return perSecond * DAY_SECONDS * Math.max(...rows.map((row) => costOf(row, logged(row))));
}

const rowOf = (name: string) => ROWS.find((row) => row.name === name) as Row;
const logOfWrite = ({ name }: Row) => (name.startsWith('GET') ? LOGGED.successes : 1);
const WALLET = '/pass/:chain/:chainNetwork/:wallet';

/** Rows of the objects: the pass (2 and its alarm), the count of the day (2), and the entry in the audit trail (2). */
const OBJECT_ROWS = 7;
const CALLS_IN_OBJECTS = 4;
function costOfChange(name: string): number {
  const row = rowOf(name);
  // The event is deleted after some days.
  const rows = row.written + OBJECT_ROWS + 1;
  return costOf(row, 1) + rows * USD.rowWritten + CALLS_IN_OBJECTS * USD.call;
}

/** A step writes at most eight rows: `test/worker/sandbox-object/clock-costs.test.ts`. */
const costOfStep = costOf(rowOf('POST /sandbox/clock'), 1) + 8 * USD.rowWritten;
/** A request for a pass that never settles is tried again three times a minute: a message, three calls of it, and three of objects behind. */
const costOfRetry = 3 * USD.queueOperation + 3 * USD.call + 20 * USD.rowRead;

const [, deliveries = '', rowsOfRetry = ''] =
  /([\d.]+) million deliveries a day[\s\S]*?a retry ([\d.]+)\b/.exec(security) ?? [];
const WEBHOOK_OBJECTS = 6;
const costOfDeliveries =
  Number(deliveries) * 1e6 * (Number(rowsOfRetry) * USD.rowWritten + USD.call / 10) +
  WEBHOOK_OBJECTS * DAY_SECONDS * 0.128 * USD.gigabyteSecond;

const PARTNER = {
  'Deliveries of webhooks': costOfDeliveries,
  'Fetches, searches and pages of the feed': dayOf(500, () => LOGGED.successes),
  'Large reads': dayOf(
    2,
    () => LOGGED.successes,
    ({ name }) => !name.endsWith('/passes'),
  ),
  'Requests that may change something': dayOf(100, logOfWrite),
  'Requests with items': 2 * DAY_SECONDS * costOf(rowOf('POST /passes'), 1),
  'Daily room': DAILY_ROOM_OF_WEBHOOKS * costOfChange(`PATCH ${WALLET}`),
  'Readings of the chain': DAILY_SYNCS * costOfChange(`POST ${WALLET}/sync`),
  'Steps of the clock': CLOCK_STEPS_PER_MINUTE * 24 * 60 * costOfStep,
  // `never-funded` and `node-away`, on every network.
  'Passes that never settle': 3 * 2 * NETWORKS.length * 24 * 60 * costOfRetry,
};

const ANONYMOUS = {
  'Refused requests': 1_000 * DAY_SECONDS * (USD.request + CPU_MS * USD.cpuMs + LOGGED.refusals * USD.logLine),
  'Public checks':
    1_000 * DAY_SECONDS * costOf(rowOf('GET /verify/:gatekeeperNetwork/:chain/:chainNetwork/:wallet'), 0.05),
};

/** All requests of a sandbox together: each makes at most six calls, as it asks for the clock and the room too. */
const SANDBOX_REQUESTS = 100 * DAY_SECONDS * (USD.request + CPU_MS * USD.cpuMs + 6 * USD.call + USD.logLine);

const amountOf = (usd: number) => `$${usd.toFixed(1)}`;
const shownRow = (name: string) => new RegExp(`^\\| ${name} \\|.*\\| (\\$[\\d.]+) \\|$`, 'm').exec(security)?.[1];

it.each(Object.entries({ ...PARTNER, ...ANONYMOUS }))('the day of "%s" costs what the page says', (name, usd) => {
  expect(usd).toBeGreaterThan(0);
  expect(shownRow(name)).toBe(amountOf(usd));
});

it('the costliest day of a partner and of an anonymous caller costs at most $60 each', () => {
  const partner = Object.values(PARTNER).reduce((sum, usd) => sum + usd, 0);
  const anonymous = Math.max(...Object.values(ANONYMOUS));
  expect(shownRow('\\*\\*A partner\\*\\*')).toBe(amountOf(partner));
  expect(shownRow('\\*\\*An anonymous caller\\*\\*')).toBe(amountOf(anonymous));
  expect(partner).toBeLessThanOrEqual(60);
  expect(anonymous).toBeLessThanOrEqual(60);
  const ofPartner = PARTNER['Fetches, searches and pages of the feed'] + PARTNER['Requests that may change something'];
  expect(SANDBOX_REQUESTS).toBeLessThan(ofPartner);
});
