import type { FeedEvent } from '../../src/pass/feed-types.ts';
import { isSettled } from '../../src/pass/next-step.ts';
import type { Pass, PassKey } from '../../src/pass/pass.ts';
import { doAlarm, endRetry } from '../../src/pass-object/do-alarm.ts';
import { PassAndAlarm } from '../../src/pass-object/pass-and-alarm.ts';
import { isWritten, loadPass, type StoredPass } from '../../src/pass-object/pass-store.ts';
import { publicationOf, restoredPassOf } from '../../src/pass-object/publication.ts';
import { Waiters } from '../../src/pass-object/waiters.ts';
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
const ENV = { ...anEnvironment(), LOOKS: QUEUE, BULK_LOOKS: QUEUE } as unknown as Env;
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
  #memory: { readonly waiters: Waiters; readonly passAndAlarm: PassAndAlarm };

  /** @param publishBatch Writes publications to the database of the story, and throws if it fails. */
  constructor(key: PassKey, id: string, publishBatch: Store['publishBatch']) {
    this.key = key;
    this.id = id;
    const nothing = async () => {};
    this.#store = { publishBatch, listUnsettled: nothing, unlistUnsettled: nothing } as unknown as Store;
    this.#memory = this.#newMemory();
  }

  #newMemory() {
    const waiters = new Waiters(this.#storage, this.#store);
    return { waiters, passAndAlarm: new PassAndAlarm(this.#storage, waiters, () => ENV) };
  }

  get #parts() {
    return { ...this.#memory, storage: this.#storage, store: this.#store, env: () => ENV };
  }

  /** Loses everything that is only in memory. */
  evict(): void {
    this.#memory = this.#newMemory();
  }

  /** Stores the next version with these events. */
  async change(events: readonly FeedEvent[], settles: boolean): Promise<void> {
    const { passAndAlarm } = this.#memory;
    const opened = await passAndAlarm.open();
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
    await passAndAlarm.save(pass, opened);
  }

  /** Returns the publication that such a caller gets. */
  async visit(kind: Visit): Promise<Publication> {
    const { passAndAlarm } = this.#memory;
    const stored = kind === 'message' ? this.#stored : await passAndAlarm.load();
    if (stored === undefined) throw new Error('the object has no pass');
    if (kind === 'inspection') await passAndAlarm.restoreAlarm(stored);
    return kind === 'rebuild' ? restoredPassOf(stored, 0).publication : publicationOf(stored.pass);
  }

  /** Hears that the read model has the publication. */
  async markPublished({ version, eventsInFeed = 0 }: Publication): Promise<void> {
    this.#memory.waiters.markPublished(version, eventsInFeed);
    const { pass, listed } = this.#stored;
    if (isSettled(pass) && !listed) await endRetry({ version, eventsInFeed }, this.#parts);
  }

  /** Fires the alarm, if there is one. */
  async fireAlarm(): Promise<void> {
    if ((await this.#storage.getAlarm()) === null) return;
    await this.#storage.deleteAlarm();
    await doAlarm(this.#stored, this.#parts);
  }

  /** Whether its alarms have published everything. */
  async isDone(): Promise<boolean> {
    return isSettled(this.#stored.pass) ? (await this.#storage.getAlarm()) === null : isWritten(this.#stored);
  }

  /** Returns the number of the newest event that it knows to be in the feed. */
  async known(): Promise<number> {
    return (await this.#memory.passAndAlarm.load())?.pass.feed?.eventsInFeed ?? 0;
  }

  get #stored(): StoredPass {
    const stored = loadPass(this.#storage);
    if (stored === undefined) throw new Error('the object has no pass');
    return stored;
  }
}
