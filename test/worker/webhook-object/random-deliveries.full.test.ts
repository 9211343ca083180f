import { evictDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, inject, it, vi } from 'vitest';
import type { ReceiverAnswer } from '../../webhook-receiver.ts';
import { aFeed, aWebhook } from './a-webhook.ts';
import { simulateClock } from './simulated-clock.ts';

/** Random lives of a webhook: a receiver that fails, lost wakes, evictions, replays and pauses. Time is simulated. */

const { runs, seed } = inject('stories');
const STORIES = Math.ceil(runs / 20);
const MAX_HOURS = 4;
const SECOND = 1_000;

const { advance } = simulateClock();
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const answer = fc.oneof(
  { arbitrary: fc.constant({ status: 200 }), weight: 4 },
  {
    arbitrary: fc.constantFrom({ status: 500 }, { status: 302 }, 'break' as const, 'break in the body' as const),
    weight: 3,
  },
  { arbitrary: fc.constant({ status: 429, headers: { 'retry-after': '600' } }), weight: 1 },
);
const deed = fc.oneof(
  fc.record({
    type: fc.constant('publish' as const),
    passes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ type: fc.constant('answer' as const), answers: fc.array(answer, { maxLength: 6 }), usual: answer }),
  fc.record({ type: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: MAX_HOURS * 3600 }) }),
  fc.record({ type: fc.constantFrom('wake', 'deliver', 'evict', 'pause') }),
  fc.record({ type: fc.constant('replay' as const), back: fc.integer({ min: 0, max: 5 }) }),
);

const isSuccess = (answer: ReceiverAnswer) =>
  answer === 'break in the body' || (typeof answer === 'object' && answer.status < 300);

it(
  'delivers every event at least once, and none before the previous event of its pass has succeeded',
  { timeout: 600_000 },
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 5, maxLength: 25 }), async (deeds) => {
        const feed = await aFeed();
        const webhook = await aWebhook(feed);
        let published = 0;
        for (const each of deeds) {
          switch (each.type) {
            case 'publish':
              await feed.publish(...each.passes);
              published += each.passes.length;
              break;
            case 'answer':
              await webhook.answers(each.usual, ...each.answers);
              break;
            case 'wait':
              advance(each.seconds * SECOND);
              break;
            case 'wake':
              await webhook.object.wake();
              break;
            case 'deliver':
              await webhook.deliver();
              break;
            case 'evict':
              // Only a running object can be evicted.
              await webhook.object.read();
              await evictDurableObject(webhook.object);
              break;
            case 'replay':
              // A replay after a later sequence would skip events.
              await webhook.object.replay(Math.max(0, ((await webhook.object.read())?.cursor ?? 0) - each.back));
              break;
            default:
              await webhook.object.change({ status: 'disabled' }, 'partner');
              await webhook.object.change({ status: 'enabled' }, 'partner');
          }
        }
        await webhook.answers({ status: 200 });
        for (let alarms = 0; alarms < 3; alarms += 1) {
          advance(25 * 3600 * SECOND);
          await webhook.object.change({ status: 'enabled' }, 'partner');
          await webhook.deliver();
        }
        expect(await webhook.object.read()).toMatchObject({ cursor: published, waiting: 0 });
        const succeeded = new Set<string>();
        for (const { body, answer } of await webhook.received()) {
          const { id } = JSON.parse(body) as { readonly id: string };
          const [pass, n] = [id.slice(0, id.lastIndexOf('.')), Number(id.slice(id.lastIndexOf('.') + 1))];
          if (n > 1) expect(succeeded, `before ${id}`).toContain(`${pass}.${n - 1}`);
          if (isSuccess(answer)) succeeded.add(id);
        }
        expect(succeeded.size).toBe(published);
      }),
      { numRuns: STORIES, seed },
    ),
);
