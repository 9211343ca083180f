/** An event as a reader of a feed got it. */
export interface ReadEvent {
  readonly id: string;
  readonly sequence: number;
}

/** A page of a feed. */
export interface FeedPage {
  readonly events: readonly ReadEvent[];
  readonly next: number;
  readonly more: boolean;
}

/** The clients that read their event feed page by page. */
export class FeedReaders {
  /** The events of each client, in the order in which it got them. */
  readonly events = new Map<string, ReadEvent[]>();
  readonly #cursors = new Map<string, number>();

  /** Returns the place after which the client reads on. */
  cursorOf(client: string): number {
    return this.#cursors.get(client) ?? 0;
  }

  /** Notes a page that a client has read. */
  take(client: string, { events, next }: FeedPage): void {
    this.events.set(client, [...(this.events.get(client) ?? []), ...events]);
    this.#cursors.set(client, next);
  }
}
