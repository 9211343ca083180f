import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DAY_SECONDS, MINUTE_MS } from '../../../src/lib/units.ts';
import { CLOCK_STEPS_PER_MINUTE } from '../../../src/network/sandbox.ts';
import type { PassName } from '../../../src/pass/pass.ts';
import { MAX_PASSES } from '../../../src/sandbox-object/passes.ts';
import { Simulation } from '../../../src/sandbox-object/simulation.ts';
import { aStep, BEGAN, type TestedSandbox, withSimulation } from './a-simulation.ts';

/** The rows and calls of a step of the clock and of a refused pass, however much the sandbox has. */

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const walletOf = (index: number) => `0x${'7'.repeat(34)}${String(index).padStart(6, '0')}`;

/** Returns a simulation that counts the passes that it calls. */
function withCalls({ storage }: TestedSandbox) {
  const called: string[] = [];
  const getByName = (name: string) => ({
    inspect: async () => {
      called.push(name.split('/').at(-1) ?? '');
      return {};
    },
  });
  const bindings = { ...env, PASSES: { getByName }, EXPIRY_NOTICE_DAYS: '7' } as unknown as Env;
  return { simulation: new Simulation({ storage, id: { name: 'sandbox' } as DurableObjectId }, bindings), called };
}

/** Counts the rows of SQL, of the key-value store, and of alarms. */
function countingRows({ storage }: TestedSandbox) {
  const rows = { read: 0, written: 0 };
  const { sql, kv } = storage;
  const [exec, put, remove, setAlarm] = [sql.exec, kv.put, kv.delete, storage.setAlarm];
  const counted = (cursor: SqlStorageCursor<never>) => {
    const all = cursor.toArray();
    rows.read += cursor.rowsRead;
    rows.written += cursor.rowsWritten;
    return { toArray: () => all, one: () => all[0], [Symbol.iterator]: () => all[Symbol.iterator]() };
  };
  sql.exec = ((...args: [string]) => counted(exec.apply(sql, args) as never)) as never;
  kv.put = (...args) => {
    rows.written += 1;
    put.apply(kv, args);
  };
  kv.delete = (...args) => {
    rows.written += 1;
    return remove.apply(kv, args);
  };
  storage.setAlarm = (...args) => {
    rows.written += 1;
    return setAlarm.apply(storage, args);
  };
  const stop = () => {
    for (const each of [sql, kv]) for (const name of ['exec', 'put', 'delete']) Reflect.deleteProperty(each, name);
    Reflect.deleteProperty(storage, 'setAlarm');
  };
  return { rows, stop };
}

const FEW_ROWS = 8;

it('a step of the clock costs the same few rows and calls no pass, with one pass and with ten thousand', () =>
  withSimulation(async (sandbox) => {
    const { simulation, called } = withCalls(sandbox);
    await simulation.admit('sandbox/ethereum/sepolia/first' as PassName);
    const rowsOfStep = async () => {
      const { rows, stop } = countingRows(sandbox);
      await simulation.advance(60);
      await simulation.fireAlarm();
      await simulation.fireAlarm();
      stop();
      return rows;
    };
    await rowsOfStep();
    const few = await rowsOfStep();
    sandbox.storage.sql.exec(
      `INSERT INTO pass WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'sandbox/ethereum/sepolia/' || i, ? FROM n`,
      MAX_PASSES,
      BEGAN,
    );
    sandbox.storage.sql.exec(
      `INSERT INTO token WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'ethereum/sepolia', 'w' || i, '1', json_array(json_object('state', 'ACTIVE', 'from', 1, 'expiry', ? + i)) FROM n`,
      MAX_PASSES,
      BEGAN / 1000 + 30 * DAY_SECONDS,
    );
    expect(await rowsOfStep()).toEqual(few);
    expect(few.written).toBeLessThanOrEqual(FEW_ROWS);
    expect(called).toEqual([]);
  }));

it('a full sandbox reads few rows for a pass that it refuses, and has room again after a deletion', () =>
  withSimulation(async (sandbox) => {
    const { simulation } = withCalls(sandbox);
    await simulation.admit('first' as PassName);
    sandbox.storage.sql.exec(
      `INSERT INTO pass WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 'n' || i, ? FROM n`,
      MAX_PASSES,
      BEGAN,
    );
    const { rows, stop } = countingRows(sandbox);
    expect(await simulation.admit('one more' as PassName)).toBe(false);
    expect(await simulation.admit('first' as PassName)).toBe(true);
    stop();
    expect(rows.read).toBeLessThan(20);
    sandbox.storage.sql.exec("DELETE FROM pass WHERE name = 'n2'");
    expect(await sandbox.simulation.admit('one more' as PassName)).toBe(true);
    expect(await sandbox.simulation.admit('another' as PassName)).toBe(false);
  }));

it('a sandbox from before the count knows how many passes it has', () =>
  withSimulation(async (sandbox) => {
    const { sql } = sandbox.storage;
    sql.exec(`CREATE TABLE pass (name TEXT PRIMARY KEY, admitted INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO pass WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_PASSES}) SELECT 'n' || i, 1 FROM n`);
    expect(await sandbox.simulation.admit('one more' as PassName)).toBe(false);
  }));

it('the clock takes a few steps per real minute, and a refused one writes nothing', () =>
  withSimulation(async (sandbox) => {
    for (let step = 0; step < CLOCK_STEPS_PER_MINUTE; step += 1)
      expect(await sandbox.simulation.advance(DAY_SECONDS)).toBe((step + 1) * DAY_SECONDS);
    sandbox.wait(MINUTE_MS / 2);
    const { simulation } = sandbox;
    const { rows, stop } = countingRows(sandbox);
    expect(await simulation.advance(DAY_SECONDS)).toEqual({ retryAfter: 30 });
    stop();
    expect(rows.written).toBe(0);
    expect(sandbox.simulation.secondsAhead()).toBe(CLOCK_STEPS_PER_MINUTE * DAY_SECONDS);
    sandbox.wait(MINUTE_MS / 2);
    expect(await sandbox.simulation.advance(1)).toBe(CLOCK_STEPS_PER_MINUTE * DAY_SECONDS + 1);
    // A clock of the platform that goes back locks no sandbox.
    sandbox.wait(-60 * MINUTE_MS);
    expect(await sandbox.simulation.advance(1)).toBe(CLOCK_STEPS_PER_MINUTE * DAY_SECONDS + 2);
  }));

it('the clock calls each pass once when it has reached its notice, and once when it has reached its expiry', () =>
  withSimulation(async (sandbox) => {
    const { simulation, called } = withCalls(sandbox);
    const days = (count: number) => BEGAN / 1000 + count * DAY_SECONDS;
    const wallets = Array.from({ length: 150 }, (_, index) => walletOf(index));
    for (const wallet of wallets) await sandbox.send(aStep('ethereum', wallet, { expiry: days(20) }));
    await sandbox.send(aStep('ethereum', walletOf(1_000), { expiry: days(40) }));
    await sandbox.send(aStep('ethereum', walletOf(1_001)));
    sandbox.wait(1_000);
    // A block gets its content when somebody asks for it, as the signer does.
    await sandbox.observe(aStep('ethereum', walletOf(1)));
    const move = async (count: number) => {
      called.length = 0;
      expect(await simulation.advance(count * DAY_SECONDS)).toBeDefined();
      for (let fired = 0; fired < 4; fired += 1) await simulation.fireAlarm();
      return called.toSorted();
    };
    expect(await move(12)).toEqual([]);
    expect(await move(2)).toEqual(wallets.toSorted());
    expect(await move(5)).toEqual([]);
    expect(await move(2)).toEqual(wallets.toSorted());
    // In real time, the alarm of the sandbox does it: the pass has set its own before the clock moved.
    called.length = 0;
    expect(await sandbox.storage.getAlarm()).toBeGreaterThan(Date.now() + 11 * DAY_SECONDS * 1000);
    sandbox.wait(20 * DAY_SECONDS * 1000);
    for (let fired = 0; fired < 3; fired += 1) await simulation.fireAlarm();
    expect(called).toEqual([walletOf(1_000), walletOf(1_000)]);
  }));
