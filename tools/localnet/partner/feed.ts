import type { PassEvent } from '../../../src/pass/pass.ts';
import type { FeedType } from '../../../src/pass/vocabulary.ts';
import type { LocalnetPartner } from './localnet-partner.ts';
import type { PassRecord } from './partner-client.ts';

/** An event as the feed returns it and a webhook delivers it. */
export interface FeedEvent {
  /** `<pass id>.<n>`; n counts the feed events of the pass. */
  readonly id: string;
  readonly sequence: number;
  readonly type: FeedType;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Absent: the event is about no pass. */
  readonly data?: { readonly event: PassEvent; readonly pass: Omit<PassRecord, 'events'> };
}

const PAGE_MAX_EVENTS = 1_000;

/** Reads the feed of the partner's gatekeeper network from its beginning to its end. */
export async function readWholeFeed(partner: LocalnetPartner): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (let after = 0; ; ) {
    const path = `/events?after=${after}&limit=${PAGE_MAX_EVENTS}`;
    const page = await partner.call<{ events: FeedEvent[]; next: number; more: boolean }>('GET', path);
    all.push(...page.events);
    if (!page.more) return all;
    if (page.next <= after) throw new Error(`the page after ${after} has nothing new`);
    after = page.next;
  }
}
