import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/units.ts';
import type { PassName } from '../../../src/pass/pass.ts';
import { wakeBy } from '../../../src/signer-object/schedule.ts';
import { eventually } from '../../eventually.ts';
import { anEntry, aTrail } from '../audit-object/a-trail.ts';
import { aPassObject } from '../pass-object/a-pass-object.ts';
import { FAST, withSimulation } from '../sandbox-object/a-simulation.ts';
import { withSigner } from '../signer-object/with-signer.ts';
import { aFeed, aWebhook } from '../webhook-object/a-webhook.ts';

/** Alarms that the platform has lost: `getAlarm` returns a time that is long over, and nothing fires. */

const LATE_MS = MINUTE_MS;
const LOST_MS = 2 * MINUTE_MS + 1;

afterEach(() => void vi.useRealTimers());

const alarmOf = (stub: DurableObjectStub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm());

/** Makes the alarm overdue for that long without having fired, and returns its time. The clock of the runtime is real. */
async function delayAlarm(storage: DurableObjectStorage, overdueMs: number): Promise<number> {
  const due = Date.now() + HOUR_MS;
  await storage.setAlarm(due);
  vi.useFakeTimers({ toFake: ['Date'], now: due + overdueMs });
  return due;
}
const delayAlarmOf = (stub: DurableObjectStub, overdueMs: number) =>
  runInDurableObject(stub, (_, { storage }) => delayAlarm(storage, overdueMs));

describe('an alarm that is more than two minutes overdue counts as missing', () => {
  it('for a pass that is inspected', async () => {
    const { object, request } = aPassObject();
    await request();
    const due = await delayAlarmOf(object, LATE_MS);
    expect(await object.inspect()).toMatchObject({ wasWithoutAlarm: false });
    expect(await alarmOf(object)).toBe(due);
    vi.setSystemTime(due + LOST_MS);
    expect(await object.inspect()).toMatchObject({ wasWithoutAlarm: true });
    expect(await alarmOf(object)).toBeGreaterThan(Date.now());
  });

  it('for a signer that has work', () =>
    withSigner('lost alarm', async (_, storage) => {
      const due = await delayAlarm(storage, LATE_MS);
      await wakeBy(storage, Date.now() + LATE_MS);
      expect(await storage.getAlarm()).toBe(due);
      vi.setSystemTime(due + LOST_MS);
      await wakeBy(storage, Date.now() + LATE_MS);
      expect(await storage.getAlarm()).toBe(Date.now() + LATE_MS);
    }));

  it('for a watcher that the hourly run looks after', async () => {
    const watcher = (env as Env).WATCHERS.getByName('a network without a watch');
    await watcher.begin();
    await eventually(async () => expect(await alarmOf(watcher)).toBeGreaterThan(Date.now() + 1_000));
    const due = await delayAlarmOf(watcher, LATE_MS);
    await watcher.restoreAlarm();
    expect(await alarmOf(watcher)).toBe(due);
    vi.setSystemTime(due + LOST_MS);
    await watcher.restoreAlarm();
    expect(await alarmOf(watcher)).toBe(Date.now());
  });

  it('for an audit trail that gets an entry', async () => {
    const trail = aTrail();
    await trail.append([anEntry()]);
    const due = await delayAlarmOf(trail, LATE_MS);
    await trail.append([anEntry()]);
    expect(await alarmOf(trail)).toBe(due);
    vi.setSystemTime(due + LOST_MS);
    await trail.append([anEntry()]);
    expect(await alarmOf(trail)).toBeGreaterThan(Date.now());
  });

  it('for a webhook whose feed grows', async () => {
    const feed = await aFeed();
    const { object, answers, receivedIds } = await aWebhook(feed);
    await answers({ status: 204 });
    await delayAlarmOf(object, LOST_MS);
    await feed.publish(1);
    await object.wake();
    await eventually(async () => expect(await alarmOf(object)).toBeGreaterThan(Date.now()));
    expect(await receivedIds()).toHaveLength(1);
  });

  it('for a sandbox that is asked', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await withSimulation(async ({ simulation, storage }) => {
      const name = (wallet: string) => `sandbox/ethereum/sepolia/${wallet}` as PassName;
      await simulation.admit(name(FAST.ethereum));
      const due = (await storage.getAlarm()) ?? 0;
      vi.setSystemTime(due + LATE_MS);
      await simulation.admit(name('0x1'));
      expect(await storage.getAlarm()).toBe(due);
      vi.setSystemTime(due + LOST_MS);
      await simulation.admit(name('0x2'));
      expect(await storage.getAlarm()).toBe(Date.now());
    });
  });
});
