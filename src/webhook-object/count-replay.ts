import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { CursorExpired } from '../store/feed.ts';
import type { FeedReader } from './feed-reader.ts';
import type { Webhook, WebhookView } from './webhook.ts';

/** The result of a replay. */
export type ReplayResult =
  | { readonly type: 'too_soon' }
  | { readonly type: 'replaying'; readonly webhook: WebhookView }
  | { readonly type: 'beyond_newest'; readonly newest: number }
  /** The replay counts as more events than the gatekeeper network has left today. */
  | { readonly type: 'quota_reached'; readonly events: number; readonly left: number; readonly retryAfter: number }
  /** The count of replayed events does not answer. */
  | { readonly type: 'unavailable' }
  | CursorExpired;

/** Maximum number of events that the webhooks of a gatekeeper network replay per day (UTC). */
export const DAILY_REPLAYED_EVENTS = 100_000;
/** Each replay counts this number too. A page that it interrupts is delivered again, and not counted otherwise. */
export const EVENTS_PER_REPLAY = 100;
const ANSWER_TIMEOUT_MS = 5_000;

/** Counts the events that a replay repeats, or returns why it may not begin. The count outlives the webhook. */
export async function countReplay(
  { quotas, feed }: { readonly quotas: Env['QUOTAS']; readonly feed: FeedReader },
  webhook: Webhook,
  after: number,
): Promise<ReplayResult | undefined> {
  const range = { after, upTo: webhook.cursor, max: DAILY_REPLAYED_EVENTS + 1 };
  const events = EVENTS_PER_REPLAY + (await feed.countEvents(webhook, range));
  try {
    const asked = quotas.getByName(webhook.gatekeeperNetwork).countReplay(events, DAILY_REPLAYED_EVENTS);
    const { left, retryAfter } = await within(ANSWER_TIMEOUT_MS, asked, 'the quota object');
    return retryAfter === 0 ? undefined : { type: 'quota_reached', events, left, retryAfter };
  } catch (fault) {
    logFault('quota.unreachable', fault, { webhook: webhook.id });
    return { type: 'unavailable' };
  }
}
