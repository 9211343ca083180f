import { FreshValue } from '../lib/fresh-value.ts';
import { SECOND_MS } from '../lib/units.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import { answerInTime } from '../store/d1-circuit-breaker.ts';
import { type CursorExpired, type FeedPage, isNamed, type SequenceRange } from '../store/feed.ts';
import type { Store } from '../store/store.ts';
import type { WaitingEvent, Webhook } from './webhook-store.ts';

/** A database that never answers must not end the deliveries. */
const READ_TIMEOUT_MS = 5_000;

const inTime = <T>(answer: Promise<T>): Promise<T> => answerInTime(answer, READ_TIMEOUT_MS);

/** Reads what a webhook needs from D1. Every method throws if the database does not answer. */
export class FeedReader {
  readonly #store: Store;
  readonly #suspendedClients: () => readonly string[];
  readonly #hasPartner = new FreshValue<boolean>({ freshMs: 30 * SECOND_MS });

  /** @param suspendedClients Returns the clients that the configuration suspends. */
  constructor(store: Store, suspendedClients: () => readonly string[]) {
    this.#store = store;
    this.#suspendedClients = suspendedClients;
  }

  /** Returns the events after a sequence that the webhook wants. */
  async readAfter(webhook: Webhook, after: number, limit: number): Promise<FeedPage | CursorExpired> {
    const { gatekeeperNetwork, types } = webhook;
    const query = { gatekeeperNetwork, after, limit, types };
    return (await inTime(this.#store.readFeed(webhook, query, READ_PRIMARY))).found;
  }

  /** Returns the stored events, in their order, those of named passes with the names that the pass has now. */
  async nameEvents(webhook: Webhook, events: readonly WaitingEvent[]): Promise<readonly WaitingEvent[]> {
    if (!events.some(isNamed)) return events;
    const { gatekeeperNetwork } = webhook;
    const bodies = events.map(({ body }) => body);
    const { found } = await inTime(this.#store.nameEvents(webhook, { gatekeeperNetwork, bodies }, READ_PRIMARY));
    return events.map((event, index) => ({ ...event, body: found[index] as string }));
  }

  /** Returns the number of events between two sequences, at most `max` if a restore has skipped sequences in between. */
  countEvents(webhook: Webhook, range: SequenceRange): Promise<number> {
    return inTime(this.#store.countEvents(webhook, webhook.gatekeeperNetwork, range));
  }

  async newestSequence(webhook: Webhook): Promise<number> {
    return (await inTime(this.#store.newestSequence(webhook, webhook.gatekeeperNetwork, READ_PRIMARY))).found;
  }

  /** Whether all partners of the gatekeeper network are suspended, as of the last 30 seconds. */
  async isSuspended({ gatekeeperNetwork }: Webhook): Promise<boolean> {
    const read = async () => inTime(this.#store.hasActivePartner(gatekeeperNetwork, this.#suspendedClients()));
    return !(await this.#hasPartner.get(read));
  }

  /** Whether publications wake the webhook. */
  async isListed(webhook: Webhook): Promise<boolean> {
    return (await inTime(this.#store.webhooksOf(webhook.gatekeeperNetwork))).includes(webhook.id);
  }

  list(webhook: Webhook): Promise<boolean> {
    return inTime(this.#store.addWebhook(webhook.gatekeeperNetwork, webhook.id));
  }
}
