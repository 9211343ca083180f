import { FreshValue } from '../lib/fresh-value.ts';
import { SECOND_MS } from '../lib/time.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import { answerInTime } from '../store/d1-circuit-breaker.ts';
import type { CursorExpired, FeedPage, SequenceRange } from '../store/feed.ts';
import type { Store } from '../store/store.ts';
import type { Webhook } from './webhook.ts';

/** A database that never answers must not end the deliveries. */
const READ_TIMEOUT_MS = 5_000;

/** Reads what a webhook needs from D1. Every method throws if the database does not answer. */
export class FeedReader {
  readonly #store: Store;
  readonly #hasPartner = new FreshValue<boolean>({ freshMs: 30 * SECOND_MS });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the events after a sequence that the webhook wants. */
  async readAfter(webhook: Webhook, after: number, limit: number): Promise<FeedPage | CursorExpired> {
    const { gatekeeperNetwork, types } = webhook;
    const query = { gatekeeperNetwork, after, limit, types };
    return (await answerInTime(this.#store.readFeed(webhook, query, READ_PRIMARY), READ_TIMEOUT_MS)).found;
  }

  /** Returns the number of events between two sequences, at most `max` if a restore has skipped sequences in between. */
  async countEvents(webhook: Webhook, range: SequenceRange): Promise<number> {
    const count = this.#store.countEvents(webhook, webhook.gatekeeperNetwork, range);
    return await answerInTime(count, READ_TIMEOUT_MS);
  }

  async newestSequence(webhook: Webhook): Promise<number> {
    const read = this.#store.newestSequence(webhook, webhook.gatekeeperNetwork, READ_PRIMARY);
    return (await answerInTime(read, READ_TIMEOUT_MS)).found;
  }

  /** Whether all partners of the gatekeeper network are suspended, as of the last 30 seconds. */
  async isSuspended({ gatekeeperNetwork }: Webhook): Promise<boolean> {
    const read = () => answerInTime(this.#store.hasActivePartner(gatekeeperNetwork), READ_TIMEOUT_MS);
    return !(await this.#hasPartner.get(read));
  }

  /** Whether publications wake the webhook. */
  async isListed(webhook: Webhook): Promise<boolean> {
    const read = this.#store.webhooksOf(webhook, webhook.gatekeeperNetwork);
    return (await answerInTime(read, READ_TIMEOUT_MS)).includes(webhook.id);
  }

  async list(webhook: Webhook): Promise<boolean> {
    return await answerInTime(this.#store.addWebhook(webhook, webhook.gatekeeperNetwork, webhook.id), READ_TIMEOUT_MS);
  }
}
