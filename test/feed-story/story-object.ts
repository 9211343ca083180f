import { isSettled } from '../../src/pass/next-step.ts';
import { type Pass, type PassKey, passName } from '../../src/pass/pass.ts';
import type { FeedEvent } from '../../src/pass/vocabulary.ts';
import { Outbox } from '../../src/pass-object/outbox.ts';
import { PassKeeper } from '../../src/pass-object/pass-keeper.ts';
import { publicationOf, restoredPassOf } from '../../src/pass-object/results.ts';
import { isPublished, type Sent, type StoredPass } from '../../src/pass-object/stored-pass.ts';
import type { Publication } from '../../src/store/passes.ts';
import type { Store } from '../../src/store/store.ts';
import { anEnvironment } from '../unit/config/environments.ts';

/** The storage of one object, as far as a pass object uses it. */
class StoryStorage {
  readonly #values = new Map<string, unknown>();
  #alarm: number | null = null;

  readonly kv = {
    get: (key: string) => this.#values.get(key),
    put: (key: string, value: unknown) => void this.#values.set(key, value),
    delete: (key: string) => this.#values.delete(key),
    list: ({ prefix = '', start = '', end = '\uffff', limit = Number.POSITIVE_INFINITY }) =>
      [...this.#values]
        .filter(([key]) => key.startsWith(prefix) && key >= start && key < end)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, limit),
  };

  async getAlarm() {
    return this.#alarm;
  }
  async setAlarm(at: number) {
    this.#alarm = at;
  }
  async deleteAlarm() {
    this.#alarm = null;
  }
}

const QUEUE = { sendBatch: async () => {} };
const ENV = { ...anEnvironment(), PASS_QUEUE: QUEUE, BULK_PASS_QUEUE: QUEUE } as unknown as Env;
/** The kinds of callers that read an object between two alarms. */
const VISITS = ['message', 'read', 'inspection', 'rebuild'] as const;
export type Visit = (typeof VISITS)[number];
export const VISIT_KINDS: readonly Visit[] = VISITS;

/** A pass object with its real store, alarm and publications. Only its storage, queue and clock are not those of the platform. */
export class StoryObject {
  readonly key: PassKey;
  readonly id: string;
  /** The events of the pass so far. */
  readonly history: FeedEvent[] = [];
  readonly #storage = new StoryStorage() as unknown as DurableObjectStorage;
  readonly #store: Store;
  #keeper: PassKeeper;
  #outbox: Outbox;

  /** @param publishPasses Writes publications to the database of the story, and throws if it fails. */
  constructor(key: PassKey, id: string, publishPasses: Store['publishPasses']) {
    this.key = key;
    this.id = id;
    const nothing = async () => {};
    this.#store = { publishPasses, listUnsettled: nothing, unlistUnsettled: nothing } as unknown as Store;
    [this.#keeper, this.#outbox] = this.#newParts();
  }

  #newParts(): [PassKeeper, Outbox] {
    const state = { storage: this.#storage, id: { name: passName(this.key) } } as unknown as DurableObjectState;
    const keeper = new PassKeeper(
      state,
      () => ENV,
      () => {},
    );
    return [keeper, new Outbox(keeper, this.#store, () => ENV)];
  }

  /** Loses everything that is only in memory. */
  evict(): void {
    [this.#keeper, this.#outbox] = this.#newParts();
  }

  /** Stores the next version with these events. */
  async change(events: readonly FeedEvent[], settles: boolean): Promise<void> {
    const opened = await this.#keeper.open();
    const { feed = { examined: 0, last: 0, pending: [] }, version = 0 } = opened.stored?.pass ?? {};
    this.history.push(...events);
    const state = version % 2 === 0 ? 'FROZEN' : 'ACTIVE';
    const other = state === 'ACTIVE' ? 'FROZEN' : 'ACTIVE';
    const pass = {
      ...opened.stored?.pass,
      key: this.key,
      id: this.id,
      signer: 'signer',
      version: version + 1,
      wanted: { state },
      onChain: { state: settles ? state : other },
      rejected: false,
      steps: 0,
      events: [],
      feed: { ...feed, last: feed.last + events.length, pending: [...feed.pending, ...events] },
    } as unknown as Pass;
    await this.#keeper.save(pass, opened);
  }

  /** Returns the publication that such a caller gets. */
  async visit(kind: Visit): Promise<Publication> {
    if (kind === 'inspection') await this.#keeper.clock.restoreAlarm(() => this.#keeper.open());
    return kind === 'rebuild' ? restoredPassOf(this.#stored, 0).publication : publicationOf(this.#stored);
  }

  /** Hears that D1 has the publication. */
  async markPublished(sent: Partial<Sent>): Promise<void> {
    await this.#outbox.noteSent(sent);
  }

  /** Fires the alarm, if there is one. */
  async fireAlarm(): Promise<void> {
    if ((await this.#storage.getAlarm()) === null) return;
    await this.#storage.deleteAlarm();
    await this.#outbox.fireAlarm();
  }

  /** Whether its alarms have published everything. */
  async isDone(): Promise<boolean> {
    return isSettled(this.#stored.pass) ? (await this.#storage.getAlarm()) === null : isPublished(this.#stored);
  }

  /** Returns the number of the newest event that it knows to be in the feed. */
  known(): number {
    return this.#stored.sent.eventsInFeed;
  }

  get #stored(): StoredPass {
    const stored = this.#keeper.load();
    if (stored === undefined) throw new Error('the object has no pass');
    return stored;
  }
}
