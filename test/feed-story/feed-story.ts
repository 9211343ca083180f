import type { PassKey } from '../../src/pass/pass.ts';
import type { FeedEvent, FeedType } from '../../src/pass/vocabulary.ts';
import { readFeed } from '../../src/store/feed.ts';
import { type Publication, publishPasses } from '../../src/store/passes.ts';
import { StoryObject, VISIT_KINDS } from './story-object.ts';

/**
 * Random stories of publishing: publications are repeated, reordered, delayed, lost and doubled in a batch, D1 fails, and readers
 * page through lagging replicas. Messages, reads, inspections and rebuilds visit the pass objects between their alarms, and
 * objects lose their memory. The statements are those of the store, and the objects those of the service.
 */

/** The methods of D1 that a story uses. */
export type StoryDatabase = {
  // biome-ignore lint/suspicious/noExplicitAny: D1 and its stand-in have the same methods, with different types of their values.
  prepare(sql: string): any;
  // biome-ignore lint/suspicious/noExplicitAny: the statements are those that `prepare` returned, of either database.
  batch(statements: any[]): Promise<any[]>;
};
type Database = Parameters<typeof publishPasses>[0];

export const NETWORKS = ['one', 'two', 'three'];
/** An alarm fails in four of ten cases, and a pass needs at most a dozen publications. */
const MAX_ROUNDS = 100;
const TYPES: readonly FeedType[] = ['pass.issued', 'pass.frozen', 'pass.unfrozen', 'pass.reorged'];

/** Returns numbers from 0 to 1 that follow from the seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the same for the same event, so that a test can count the events of a feed by their ids. */
export function usageOfEvent(id: string, n: number): FeedEvent['usage'] {
  const number = Number(id.slice(-12)) + n;
  const change = COUNTED[number % 4];
  return change && { month: MONTHS[n % 2] as string, change, amount: number % 7 === 0 ? -1 : 1 };
}

const COUNTED = ['issued', 'renewed', 'revoked'] as const;
const MONTHS = ['2026-10', '2026-11'];

/** A reader of a feed, with the events that it has seen. */
interface Reader {
  readonly network: string;
  readonly types: readonly FeedType[] | undefined;
  cursor: number;
  readonly seen: { readonly sequence: number; readonly id: string }[];
}

export class FeedStory {
  readonly #random: () => number;
  readonly passes: StoryObject[] = [];
  readonly readers: Reader[];
  /** Publications that arrive later. */
  readonly #delayed: Publication[] = [];
  /** The committed writes, in order, for replicas and restored copies. */
  readonly log: ((db: StoryDatabase) => Promise<unknown>)[] = [];
  #ids = 0;
  /** The database that the alarms write to; undefined: it is away. */
  #db: StoryDatabase | undefined;

  constructor(seed: number, passCount: number) {
    this.#random = randomOf(seed);
    this.readers = NETWORKS.flatMap((network) =>
      [undefined, ['pass.frozen'] as const].map((types) => ({ network, types, cursor: 0, seen: [] })),
    );
    for (let n = 0; n < passCount; n += 1) {
      const gatekeeperNetwork = NETWORKS[n % NETWORKS.length];
      const key = {
        gatekeeperNetwork,
        wallet: `wallet ${n}`,
        chain: 'ethereum',
        network: 'sepolia',
      } as unknown as PassKey;
      this.passes.push(this.#newObject(key));
    }
  }

  #newObject(key: PassKey): StoryObject {
    return new StoryObject(key, this.#newId(), async (publications) => {
      if (this.#db === undefined || this.below(10) === 0) throw new Error('the database is away');
      await this.commit(this.#db, publications);
      if (this.below(5) === 0) throw new Error('the answer is lost');
      return '';
    });
  }

  /** Requests all passes. */
  async begin(): Promise<void> {
    for (const pass of this.passes) await pass.change([], true);
  }

  #newId(): string {
    this.#ids += 1;
    return `019f0000-0000-7000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /**
   * Changes a pass, which appends up to three events, and rarely more than two publications carry. Rarely its object loses its
   * storage, and the wallet gets a new pass.
   */
  async change(): Promise<void> {
    const index = this.below(this.passes.length);
    if (this.below(60) === 0) this.passes[index] = this.#newObject(this.#at(index).key);
    const pass = this.#at(index);
    const count = this.below(250) === 0 ? 100 + this.below(120) : this.below(4);
    const events = Array.from({ length: count }, (_, offset): FeedEvent => {
      const n = pass.history.length + offset + 1;
      const body = JSON.stringify({ id: `${pass.id}.${n}`, timestamp: '2026-11-20T00:00:00.000Z' });
      const usage = usageOfEvent(pass.id, n);
      return { n, type: this.#pick(TYPES), body, ...(usage && { usage }) };
    });
    await pass.change(events, this.below(10) > 0);
  }

  #at(index: number): StoryObject {
    return this.passes[index] as StoryObject;
  }

  /** Fires the alarms of some passes, and some objects lose their memory. */
  async fireAlarms(db: StoryDatabase, isClosed = false): Promise<void> {
    this.#db = isClosed ? undefined : db;
    // A pass with a long history needs several alarms, so that other callers come between them.
    const long = this.passes.filter(({ history }) => history.length > 90);
    for (let alarms = this.below(3); alarms > 0; alarms -= 1) {
      const pass = this.#pick(long.length > 0 && this.below(2) === 0 ? long : this.passes);
      if (this.below(6) === 0) pass.evict();
      await pass.fireAlarm();
    }
  }

  /** Publishes some passes in one batch, with late and doubled publications among them. D1 may fail, or lose its answer. */
  async publish(db: StoryDatabase, isClosed = false): Promise<void> {
    const batch: Publication[] = [];
    for (let passes = 1 + this.below(6); passes > 0; passes -= 1) {
      const long = this.passes.filter(({ history }) => history.length > 90);
      const pass = this.#pick(long.length > 0 && this.below(3) === 0 ? long : this.passes);
      const publication = await pass.visit(this.#pick(VISIT_KINDS));
      const fate = this.below(10);
      if (fate < 2) this.#delayed.push(publication);
      else if (fate < 9) batch.push(publication);
      if (fate === 8) batch.push(publication);
    }
    while (this.#delayed.length > 0 && this.below(3) === 0)
      batch.push(...this.#delayed.splice(this.below(this.#delayed.length), 1));
    if (batch.length === 0 || isClosed || this.below(10) === 0) return;
    if (!(await this.tryCommit(db, batch))) return;
    // The answer may be lost, or the call that reports it.
    if (this.below(5) > 0) for (const publication of batch) await this.acknowledge(publication);
  }

  /** Commits a batch of the queue, and returns whether the database took all of it. */
  protected async tryCommit(db: StoryDatabase, batch: readonly Publication[]): Promise<boolean> {
    await this.commit(db, batch);
    return true;
  }

  async commit(db: StoryDatabase, batch: readonly Publication[]): Promise<void> {
    await this.#write(db, (each) => this.publishIn(each, batch));
  }

  protected async publishIn(db: StoryDatabase, batch: readonly Publication[]): Promise<void> {
    await publishPasses(db as unknown as Database, batch);
  }

  /** Runs work in the database with the rows of a gatekeeper network. */
  protected inDatabase<R>(db: StoryDatabase, _network: string, run: (db: StoryDatabase) => Promise<R>): Promise<R> {
    return run(db);
  }

  async #write(db: StoryDatabase, write: (db: StoryDatabase) => Promise<unknown>): Promise<void> {
    await write(db);
    this.log.push(write);
  }

  /** Deletes the events of a feed that all its readers have read. */
  async deleteRead(db: StoryDatabase): Promise<void> {
    const network = this.#pick(NETWORKS);
    const read = Math.min(...this.readers.filter((each) => each.network === network).map(({ cursor }) => cursor));
    const sql = `DELETE FROM events WHERE gatekeeper_network = ? AND sequence <= ? 
      AND NOT EXISTS (SELECT 1 FROM moves WHERE moves.gatekeeper_network = events.gatekeeper_network AND stage > 0)`;
    await this.#write(db, (each) =>
      this.inDatabase(each, network, (found) => found.prepare(sql).bind(network, read).run()),
    );
  }

  async acknowledge(publication: Publication): Promise<void> {
    const pass = this.passes.find(({ key, id }) => key === publication.key && id === publication.id);
    await pass?.markPublished(publication);
  }

  /** Publishes every pass once, like a rebuild, and then fires alarms until no pass needs one. */
  async publishAll(db: StoryDatabase): Promise<void> {
    const batch = await Promise.all(this.passes.map((pass) => pass.visit('rebuild')));
    await this.commit(db, batch);
    for (const publication of batch) await this.acknowledge(publication);
    this.#db = db;
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
      const done = await Promise.all(this.passes.map((pass) => pass.isDone()));
      if (!done.includes(false)) return;
      for (const [index, pass] of this.passes.entries()) if (!done[index]) await pass.fireAlarm();
    }
    throw new Error(`the alarms do not end within ${MAX_ROUNDS} rounds`);
  }

  /** Reads a page of a feed. */
  async read(db: StoryDatabase, reader = this.#pick(this.readers), limit = 1 + this.below(30)): Promise<boolean> {
    const { network: gatekeeperNetwork, types, cursor: after } = reader;
    const page = await this.inDatabase(db, gatekeeperNetwork, (found) =>
      readFeed(found as unknown as Database, { gatekeeperNetwork, after, limit, types }),
    );
    if (page.type !== 'page') throw new Error(`the cursor ${after} of ${gatekeeperNetwork} has expired`);
    for (const { sequence, body } of page.events) reader.seen.push({ sequence, id: JSON.parse(body).id });
    reader.cursor = page.next;
    return page.more;
  }

  async readAll(db: StoryDatabase): Promise<void> {
    for (const reader of this.readers) while (await this.read(db, reader));
  }
}

/** Runs a story on a database and a replica that lags behind it. */
export async function runStory(
  seed: number,
  primary: StoryDatabase,
  replica: StoryDatabase | undefined,
): Promise<FeedStory> {
  const story = new FeedStory(seed, 40);
  await story.begin();
  let replicated = 0;
  const replicate = async (batches: number) => {
    for (const write of story.log.slice(replicated, replicated + batches)) await write(replica ?? primary);
    replicated = Math.min(story.log.length, replicated + batches);
  };
  for (let step = 0; step < 30; step += 1) {
    for (let changes = story.below(7); changes > 0; changes -= 1) await story.change();
    await story.publish(primary);
    await story.fireAlarms(primary);
    if (replica !== undefined && story.below(2) === 0) await replicate(story.below(4));
    if (story.below(2) === 0) await story.read(replica ?? primary);
    if (story.below(6) > 0) continue;
    // Readers that have read everything allow the deletion of all events.
    if (replica !== undefined) await replicate(Number.POSITIVE_INFINITY);
    await story.readAll(replica ?? primary);
    await story.deleteRead(primary);
  }
  await story.publishAll(primary);
  if (replica !== undefined) await replicate(Number.POSITIVE_INFINITY);
  await story.readAll(replica ?? primary);
  return story;
}

/** Returns why the readers have not seen exactly the histories of the passes, once and in order; undefined: they have. */
export function faultIn({ passes, readers }: FeedStory): string | undefined {
  for (const { network, types, seen } of readers) {
    const sequences = seen.map(({ sequence }) => sequence);
    if (types === undefined && sequences.some((sequence, index) => sequence !== index + 1))
      return `the sequences of ${network} have a gap: ${sequences.join()}`;
    const byPass = Map.groupBy(seen, ({ id }) => id.slice(0, id.lastIndexOf('.')));
    for (const pass of passes.filter(({ key }) => key.gatekeeperNetwork === network)) {
      const expected = pass.history
        .filter(({ type }) => types?.includes(type) ?? true)
        .map(({ n }) => `${pass.id}.${n}`);
      const got = (byPass.get(pass.id) ?? []).map(({ id }) => id);
      if (got.join() !== expected.join()) return `${pass.id}: ${got.join()} instead of ${expected.join()}`;
    }
    // A pass whose object lost its storage may lack its last events, but none in between.
    for (const [pass, events] of byPass) {
      const numbers = events.map(({ id }) => Number(id.slice(id.lastIndexOf('.') + 1)));
      const isOrdered = numbers.every((n, index) =>
        types === undefined ? n === index + 1 : n > (numbers[index - 1] ?? 0),
      );
      if (!isOrdered) return `${pass}: events in the order ${numbers.join()}`;
    }
  }
  return undefined;
}

/** Returns why the usage does not count exactly the events in the feeds and the active passes; undefined: it does. */
export async function faultInUsage(db: StoryDatabase, { readers }: FeedStory): Promise<string | undefined> {
  const expected: Record<string, number> = {};
  const count = (name: string, amount: number) => {
    expected[name] = (expected[name] ?? 0) + amount;
  };
  for (const { network, seen } of readers.filter(({ types }) => types === undefined)) {
    for (const { id } of seen) {
      const [pass = '', n] = id.split('.');
      const usage = usageOfEvent(pass, Number(n));
      if (usage !== undefined) count(`${network} ${usage.month} ${usage.change}`, usage.amount);
    }
  }
  const { results: passes } = await db.prepare('SELECT gatekeeper_network, state FROM passes').all();
  for (const { gatekeeper_network, state } of passes) count(`${gatekeeper_network} active`, Number(state === 'ACTIVE'));
  const { results: months } = await db.prepare('SELECT * FROM usage').all();
  for (const { gatekeeper_network: network, month, active, ...changes } of months) {
    count(`${network} active`, -active);
    for (const change of COUNTED) count(`${network} ${month} ${change}`, -changes[change]);
  }
  const [wrong] = Object.entries(expected).filter(([, left]) => left !== 0);
  return wrong && `${wrong[0]}: ${wrong[1]} too few`;
}

/** Returns a text that is the same for the same rows of the feed and its passes. */
export async function digestOf(db: StoryDatabase): Promise<string> {
  const queries = [
    'SELECT gatekeeper_network, sequence, type, body FROM events ORDER BY 1, 2',
    'SELECT gatekeeper_network, sequence FROM feeds ORDER BY 1',
    'SELECT gatekeeper_network, id, wallet, state, version, events_in_feed, record FROM passes ORDER BY 1, 2',
  ];
  const rows = [];
  for (const query of queries)
    rows.push((await db.prepare(query).all()).results.map((row: object) => Object.values(row)));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(rows)));
  return Array.from(new Uint8Array(hash).slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
