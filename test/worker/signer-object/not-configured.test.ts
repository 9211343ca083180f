import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { closed } from './with-signer.ts';

/** A signer whose key or network left the configuration. */

const { SIGNERS } = env as Env;
const HOUR = 3_600_000;

let made = 0;
const aSigner = () => SIGNERS.getByName(`ethereum/sepolia/0x${String(++made).padStart(40, '0')}`);
type Signer = ReturnType<typeof aSigner>;
const alarmOf = (signer: Signer) => runInDurableObject(signer, (_, { storage }) => storage.getAlarm());
/** Far ahead, so that only the test fires it. */
const setAlarm = (signer: Signer) =>
  runInDurableObject(signer, (_, { storage }) => storage.setAlarm(Date.now() + 10 * 24 * HOUR));
const addStep = (signer: Signer) =>
  runInDurableObject(signer, (_, { storage }) => addSteps(closed(storage), [aStep()]));

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('wakes with growing pauses of up to an hour: 30 alarms on the first day, 24 on the next, two rows each', async () => {
  const signer = aSigner();
  await addStep(signer);
  await setAlarm(signer);
  const begun = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: begun });
  const writes: number[] = [];
  await runInDurableObject(signer, (_, { storage }) => {
    const put = storage.setAlarm.bind(storage);
    vi.spyOn(storage, 'setAlarm').mockImplementation(async (at) => {
      writes.push(Date.now() - begun);
      await put(at);
    });
    const exec = storage.sql.exec.bind(storage.sql);
    vi.spyOn(storage.sql, 'exec').mockImplementation((query, ...bindings) => {
      const cursor = exec(query, ...bindings);
      writes.push(...Array.from({ length: cursor.rowsWritten }, () => Date.now() - begun));
      return cursor as never;
    });
  });
  const alarms: number[] = [];
  for (let at = begun; at < begun + 48 * HOUR; at = (await alarmOf(signer)) ?? Number.POSITIVE_INFINITY) {
    vi.setSystemTime(at);
    alarms.push(at - begun);
    await runDurableObjectAlarm(signer);
  }
  expect(alarms.slice(0, 4)).toEqual([0, 30_000, 90_000, 210_000]);
  const ofFirstDay = (times: number[]) => times.filter((at) => at < 24 * HOUR).length;
  expect([ofFirstDay(alarms), alarms.length - ofFirstDay(alarms)]).toEqual([30, 24]);
  // The reason with its next try, and the alarm.
  expect([ofFirstDay(writes), writes.length - ofFirstDay(writes)]).toEqual([60, 48]);
});

it('does not wake again if it has no step', async () => {
  const signer = aSigner();
  await setAlarm(signer);
  await runDurableObjectAlarm(signer);
  expect(await alarmOf(signer)).toBeNull();
});

it('wakes at once for an operator who retries a step', async () => {
  const signer = aSigner();
  await addStep(signer);
  await setAlarm(signer);
  await runDurableObjectAlarm(signer);
  const pauses = (await alarmOf(signer)) ?? 0;
  expect(pauses).toBeGreaterThan(Date.now());
  await signer.retryNow([]);
  // The alarm may have fired since: it then pauses once more.
  expect(await alarmOf(signer)).not.toBe(pauses);
});
