import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { replayWebhook } from '../../../tools/localnet/partner/webhooks.ts';
import { LONG } from '../../form.ts';
import { awaitSettled } from '../faults/await-settled.ts';
import { checkAfterFaults } from '../faults/check-after-faults.ts';
import { type FaultEnvironment, openFaultEnvironment } from '../faults/fault-environment.ts';
import { mapInParallel } from '../faults/map-in-parallel.ts';
import { type MoveLoad, startMoveLoad, WatchedService } from '../faults/move-load.ts';
import { digestOfPasses, rowsLeftIn, usageIn } from '../faults/moved-rows.ts';
import {
  addIssued,
  addSecondDatabase,
  faultOf,
  holdMove,
  idOf,
  releaseMove,
  type TwoDatabases,
  walletOf,
} from '../faults/prepare-move.ts';
import { randomFrom } from '../faults/random.ts';
import { pollUntil } from '../poll-until.ts';
import { openPreparedState } from '../prepared-state.ts';
import { LocalDatabase } from './local-database.ts';

/**
 * `npm run shard -- move` against a running service, while partners issue, change, search, read the feed and get webhooks. The test
 * kills the command and the service, and runs both again.
 */

const FORM = LONG
  ? { prepared: 100_000, events: 3_000, places: [10_000, 30_000, 50_000, 70_000, 90_000], limitMs: 3_600_000 }
  : { prepared: 3_000, events: 300, places: [1_500], limitMs: 600_000 };
/** The pass at which the deleting stops, until the test releases it. */
const HALF = FORM.prepared / 2;
const PHASES = ['copy', 'switch', 'settle', 'rest'] as const;

/** A kill, and the place of the move at which it happens. */
interface Kill {
  readonly what: 'command' | 'service' | 'command and service';
  readonly phase: (typeof PHASES)[number];
  /** Number of copied passes. Default: any. */
  readonly passes?: number;
  /** The fault that the log of the service must show before. */
  readonly fault?: string;
  /** Ends what holds the move there, while the service is down. */
  readonly release?: () => void;
}
/** The move waits for each of them, however slow the machine is. */
const KILLS: readonly Kill[] = [
  ...FORM.places.flatMap((passes): Kill[] => [
    { what: 'command', phase: 'copy', passes },
    { what: 'command and service', phase: 'copy', passes, release: () => releaseMove(second, 'copy', passes) },
  ]),
  { what: 'command', phase: 'switch' },
  {
    what: 'command and service',
    phase: 'switch',
    fault: faultOf('switch'),
    release: () => releaseMove(first, 'switch'),
  },
  { what: 'command', phase: 'settle' },
  // The command continues by itself.
  { what: 'service', phase: 'settle' },
  { what: 'command', phase: 'rest' },
  { what: 'command and service', phase: 'rest', release: () => releaseMove(first, 'delete', HALF) },
];
const NETWORK = 'sepolia';
/** More than a slice. */
const UNSETTLED = 5_001;

const random = randomFrom(126);
let environment: FaultEnvironment;
let databases: TwoDatabases;
let first: LocalDatabase;
let second: LocalDatabase;
let service: WatchedService;
let key: string;
let before: string;
let localnetFile: string;
/** Of the operator. */
let authorization: string;
let unharmed = false;

beforeAll(async () => {
  const state = openPreparedState(inject('preparedState'));
  databases = await addSecondDatabase(state.folder, inject('builtWorker'));
  first = new LocalDatabase(state.folder, databases.first);
  second = new LocalDatabase(state.folder, databases.second);
  key = keyOf('acme');
  addIssued(first, key, FORM.prepared, FORM.events);
  first.write(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${UNSETTLED})
    INSERT INTO unsettled SELECT '${key}', 'filler ' || i, 'ethereum', '${NETWORK}', 'filler ' || i, unixepoch() FROM n`);
  for (const pass of FORM.places) holdMove(second, 'copy', pass);
  holdMove(first, 'switch');
  holdMove(first, 'delete', HALF);
  first.write(
    `INSERT INTO removed_gatekeepers (gatekeeper_network, network, gatekeeper, since) VALUES ('${key}', 'baseSepolia', '0x1', 1)`,
  );
  before = digestOfPasses(first, key, idOf(FORM.prepared));
  environment = await openFaultEnvironment(random.fork(), state, databases.config);
  service = new WatchedService(environment);
  authorization = `Bearer ${await fetchToken(environment.facts.tokenUrl, environment.facts.operator)}`;
  localnetFile = join(state.folder, 'localnet.json');
  await writeFile(localnetFile, JSON.stringify({ ...environment.facts, state: state.folder }));
}, 300_000);
afterAll(async () => {
  service?.close();
  await environment?.close(!unharmed);
});

function keyOf(client: string): string {
  return String(first.rows(`SELECT gatekeeper_network AS key FROM partners WHERE client_id = '${client}'`)[0]?.key);
}

/** The command as a process, and its lines. */
interface RunningCommand {
  readonly child: Child;
  readonly lines: readonly string[];
  isOver: boolean;
}

async function startMove(): Promise<RunningCommand> {
  const lines: string[] = [];
  const program = join(PROJECT, 'ops', 'shard.ts');
  const args = [program, 'move', key, '--to', 'DB_1', '--local', '--localnet', localnetFile, '--reason', 'it grows'];
  const child = await startChild(process.execPath, args, { onLine: (line) => lines.push(line) });
  const command: RunningCommand = { child, lines, isOver: false };
  child.ended.then(() => {
    command.isOver = true;
  });
  return command;
}

interface Place {
  readonly phase: string;
  readonly passes: number;
  readonly events: number;
}

/** Waits until the move is at the place of the kill. */
async function untilAt({ phase, passes = 0, fault = '' }: Kill): Promise<Place> {
  const read = async () => {
    const answer = await fetch(`${environment.facts.baseUrl}/admin/moves`, { headers: { authorization } });
    return ((await answer.json()) as { moves: Place[] }).moves[0];
  };
  const isThere = (at: Place | undefined) => at?.phase === phase && at.passes >= passes;
  const place = (await pollUntil(read, isThere, FORM.limitMs)) as Place;
  const log = () => readFile(join(environment.folder, 'worker.log'), 'utf8');
  await pollUntil(log, (lines) => lines.includes(fault), FORM.limitMs);
  return place;
}

/** Runs the move, with all kills. Returns the last command. */
async function moveWithKills(load: MoveLoad): Promise<RunningCommand> {
  let command = await startMove();
  for (const kill of KILLS) {
    const { what, release } = kill;
    const { phase, passes, events } = await untilAt(kill);
    expect(command.isOver, command.lines.join('\n')).toBe(false);
    console.log(`kills ${what} in the phase ${phase}, after ${passes} passes and ${events} events`);
    // The partners work while the move is at this place.
    if (release) await untilLoad(load, 8);
    if (what !== 'service') process.kill(command.child.pid, 'SIGKILL');
    if (what !== 'command') await service.kill();
    if (what !== 'service') await command.child.ended;
    release?.();
    if (what !== 'command') await service.restart();
    if (what !== 'service') command = await startMove();
  }
  return command;
}

/** Waits until the load has done a number of further operations and searches. */
const untilLoad = ({ done }: MoveLoad, count: number) => {
  const { operations, searches } = done;
  return pollUntil(
    async () => ({ ...done }),
    (now) => now.operations >= operations + count && now.searches >= searches + count / 4,
  );
};

/** Waits until each receiver has every event of the feed, without a replay. */
function untilDelivered(feed: readonly FeedEvent[]) {
  const receivers = Object.values(environment.receivers);
  const missing = async () => {
    const kept = receivers.map(({ arrivals }) => new Set(arrivals.acme.map(({ id }) => id)));
    return kept.map((ids) => feed.filter(({ id }) => !ids.has(id)).length);
  };
  return pollUntil(missing, (counts) => counts.every((count) => count === 0), FORM.limitMs);
}

/** The rows of the events, as the feed shows them. */
const storedFeed = () =>
  second
    .rows(`SELECT sequence, type, body FROM events WHERE gatekeeper_network = '${key}' ORDER BY sequence`)
    .map(({ sequence, type, body }) => ({ sequence, type, ...JSON.parse(String(body)) }));

/** Compares both databases with the answers that partners got, while no service runs. */
function checkDatabases(load: MoveLoad, records: readonly (PassRecord | undefined)[]): void {
  const { feed, passes } = load;
  // The reader that kept its cursor has seen every event once, in order.
  expect(feed).toEqual(storedFeed());
  expect(feed.map(({ sequence }) => sequence)).toEqual(feed.map((_, index) => index + 1));

  const prepared = Array.from({ length: FORM.prepared }, (_, n) => [walletOf(n), idOf(n)] as const);
  const ids = new Map<unknown, unknown>(prepared);
  for (const { data } of feed) if (data) ids.set(data.pass.walletAddress, data.pass.id);
  for (const record of records) if (record) ids.set(record.walletAddress, record.id);
  const rows = second.rows(`SELECT wallet, id FROM passes WHERE gatekeeper_network = '${key}'`);
  expect(new Map<unknown, unknown>(rows.map(({ wallet, id }) => [wallet, id]))).toEqual(ids);
  expect(rows).toHaveLength(ids.size);
  expect(digestOfPasses(second, key, idOf(FORM.prepared))).toBe(before);

  // The usage counts transactions only. The service repeats an event if its transaction changes.
  const idsIn = (type: string) =>
    feed.flatMap(({ type: each, data }) => (each === type && data?.event.transaction ? data.pass.id : []));
  const issued = new Set([...idsIn('pass.issued'), ...prepared.map(([, id]) => id)]).size;
  const { stored, expected } = usageIn(second, key, { issued, revoked: new Set(idsIn('pass.revoked')).size });
  expect(stored).toEqual(expected);

  expect(rowsLeftIn(first, key)).toEqual({});
  expect(rowsLeftIn(second, key)).toMatchObject({ events: feed.length, removed_gatekeepers: 1, feeds: 1 });
  const unsettled = second.rows(`SELECT id FROM unsettled WHERE gatekeeper_network = '${key}'`);
  expect(unsettled.filter(({ id }) => String(id).startsWith('filler '))).toHaveLength(UNSETTLED);
  const others = passes.filter(({ partner, model }) => partner === 'globex' && model.accepted).length;
  expect(rowsLeftIn(first, keyOf('globex')).passes).toBeGreaterThanOrEqual(others);
  expect(rowsLeftIn(second, keyOf('globex'))).toEqual({});
}

/** Returns the requests that a living service failed. On a busy machine, a database may answer too late for a request. */
function failedRequests() {
  const lines = readFileSync(environment.worker.logFile, 'utf8').split('\n');
  const late = service.failed.filter(({ requestId = 'none' }) =>
    lines.some((line) => line.includes(requestId) && line.includes('DatabaseTimeout')),
  );
  return { late, failed: service.failed.filter((request) => !late.includes(request)) };
}

it(`moves ${FORM.prepared} passes and those of partners at work, while the command and the service are killed, and loses and doubles nothing`, {
  timeout: FORM.limitMs,
}, async () => {
  const { facts, receivers, worker, modelClient, folder } = environment;
  const acme = new LocalnetPartner(facts, 'acme');
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  // The receivers get the prepared events too, during the move.
  for (const { webhooks } of Object.values(receivers)) await replayWebhook(acme, webhooks.acme.id, 0);
  const load = startMoveLoad(environment, random, NETWORK, FORM.prepared);
  await untilLoad(load, 20);
  const command = await moveWithKills(load);
  expect(await command.child.ended, command.lines.join('\n')).toBe(0);
  expect(command.lines.at(-1)).toContain(`${key} from DB to DB_1: has moved`);
  const moved = seconds();
  const again = await startMove();
  expect(await again.child.ended, again.lines.join('\n')).toBe(0);
  expect(again.lines).toEqual([command.lines.at(-1)]);
  await untilLoad(load, 20);
  await load.stop();
  expect(load.faults).toEqual([]);

  expect((await awaitSettled(load.passes, modelClient, facts, FORM.limitMs)).unsettled, folder).toEqual([]);
  await load.readRest();
  await untilDelivered(load.feed);
  const { differences } = await checkAfterFaults(environment, load.passes);
  expect(differences, folder).toEqual([]);
  const own = load.passes.filter(({ partner }) => partner === 'acme');
  const records = await mapInParallel(own, (pass) => modelClient.recordOf(pass));
  await load.readRest();
  await worker.stop();
  const { late, failed } = failedRequests();
  expect(failed).toEqual([]);
  checkDatabases(load, records);
  console.log(
    `${FORM.prepared} and ${own.length} passes, ${load.feed.length} events, ${KILLS.length} kills. Moved after ${moved} s, checked after ` +
      `${seconds()} s. ${load.done.operations} operations, ${service.requests} requests, ${late.length} too late for the database; the ` +
      `slowest took ${service.slowest.ms} ms (${service.slowest.what})`,
  );
  unharmed = true;
});
