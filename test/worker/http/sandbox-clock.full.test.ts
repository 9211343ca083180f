import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { TRIGGER_TYPES } from '../../../src/http/schemas/managing.ts';
import { DAY_MS } from '../../../src/lib/units.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { eventually } from '../../eventually.ts';
import type { Api, Registration } from './api.ts';
import { aPartner } from './issuer.ts';
import { jsonOf } from './webhook-calls.ts';

/** A partner that causes many events at once, while another client of its sandbox moves the clock. */

vi.spyOn(console, 'error').mockReturnValue();

const { SANDBOXES } = env as Env;
const CHAINS = [
  { type: 'ethereum', network: 'sepolia' },
  { type: 'solana', network: 'devnet' },
];
/** If the clock moves before the confirmation, the lifetime is shorter than the notice period, and then there is no notice. */
const TYPES = TRIGGER_TYPES.filter((type) => type.startsWith('pass.') && type !== 'pass.expiring');
const TIMES = 2;
const ADVANCES = 10;
const ADVANCE_SECONDS = 16 * 3_600;

/** Returns the events of the feed as `type wallet`. */
async function readFeed(api: Api, after = 0): Promise<string[]> {
  const { events, next, more } = jsonOf(await api.call('GET', `/events?after=${after}&limit=100`));
  const read = events.map(({ type, data }: { type: string; data?: { pass: { walletAddress: string } } }) =>
    [type, data?.pass.walletAddress].join(' '),
  );
  return more ? [...read, ...(await readFeed(api, next))] : read;
}

async function trigger(api: Api, type: string, chain: object): Promise<string> {
  const answer = await api.post('/sandbox/trigger', { type, chain });
  expect(answer.status, answer.text).toBe(202);
  return `${type} ${jsonOf(answer).pass.walletAddress}`;
}

async function moveClock(api: Api): Promise<void> {
  for (let moved = 0; moved < ADVANCES; moved += 1) {
    expect((await api.post('/sandbox/clock', { advanceSeconds: ADVANCE_SECONDS })).status).toBe(200);
    await scheduler.wait(100);
  }
}

/** Returns what the sandbox has yet to do, and when its alarm fires (ms). */
const openWork = ({ gatekeeperNetwork }: Registration) =>
  runInDurableObject(SANDBOXES.getByName(gatekeeperNetwork), async (_, { storage }) => ({
    events: storage.sql.exec('SELECT * FROM event').toArray(),
    alarm: await storage.getAlarm(),
  }));

it('every event comes, and the sandbox rests afterwards', async () => {
  const api = await aPartner({ gatekeeperNetwork: newSandbox() });
  const asked = TYPES.flatMap((type) => CHAINS.flatMap((chain) => Array.from({ length: TIMES }, () => [type, chain])));
  const [expected] = await Promise.all([
    Promise.all(asked.map(([type, chain]) => trigger(api, type as string, chain as object))),
    moveClock(api),
  ]);
  await eventually(async () => {
    const read = new Set(await readFeed(api));
    expect(expected.filter((event) => !read.has(event))).toEqual([]);
  }, 300);
  await eventually(async () => {
    const { events, alarm } = await openWork(api);
    expect(events).toEqual([]);
    // The next thing to do is to delete the passes after 30 days.
    expect(alarm).toBeGreaterThan(Date.now() + 29 * DAY_MS);
  }, 100);
});
