import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedType } from '../../../../src/pass/vocabulary.ts';
import type { FeedEvent } from '../../partner/feed.ts';

const POLL_INTERVAL_MS = 20;
/** A webhook looks for new events once a minute even if nothing wakes it. */
const AWAIT_MAX_MS = 90_000;

/** The delivered events. */
export class Deliveries {
  readonly #events: FeedEvent[] = [];
  readonly #listeners = new Map<string, (event: FeedEvent) => void>();

  add(event: FeedEvent): void {
    this.#events.push(event);
    this.#listeners.get(walletOf(event))?.(event);
  }

  /** Calls the listener for each later event of the wallet. */
  onEvent(wallet: string, listener: (event: FeedEvent) => void): void {
    this.#listeners.set(wallet, listener);
  }

  /** Resolves to the wallet's event of that type, once it is delivered; undefined if it does not arrive. */
  async awaitEvent(wallet: string, type: FeedType): Promise<FeedEvent | undefined> {
    for (const deadline = Date.now() + AWAIT_MAX_MS; ; await sleep(POLL_INTERVAL_MS)) {
      const found = this.#events.find((event) => event.type === type && walletOf(event) === wallet);
      if (found !== undefined || Date.now() > deadline) return found;
    }
  }
}

function walletOf({ data }: FeedEvent): string {
  return data?.pass.walletAddress ?? '';
}
