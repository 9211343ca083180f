import { findMoves, moveNetwork } from '../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../src/store/passes.ts';
import { forgetShards, inShardOf, inShardsOf, NetworkMoves } from '../../src/store/placements.ts';
import type { Databases } from '../../src/store/shards.ts';
import { FeedStory, faultIn, faultInUsage, NETWORKS, type StoryDatabase } from './feed-story.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/**
 * A story in which gatekeeper networks move from database to database while passes are published and read. A move is killed at every
 * statement, loses answers, runs twice at once, and is canceled. Isolates forget what they know.
 */

export interface StoryShards {
  readonly DB: SqliteDatabase;
  readonly DB_1: SqliteDatabase;
  readonly DB_2: SqliteDatabase;
}
const NAMES = ['DB', 'DB_1', 'DB_2'] as const;

type Bound = ReturnType<SqliteDatabase['prepare']>;

/** Thrown instead of the answer of a statement. */
class Killed extends Error {}

class MoveStory extends FeedStory {
  readonly #shards: StoryShards;
  /** The number of statements before the next kill; undefined: none. */
  #killAfter: number | undefined;
  /** Statements of killed requests that the databases have not run yet. */
  readonly #late: (() => Promise<unknown>)[] = [];
  moves = 0;
  canceled = 0;

  constructor(seed: number, shards: StoryShards) {
    super(seed, 40);
    this.#shards = shards;
  }

  get #databases(): Databases {
    return this.#shards as unknown as Databases;
  }

  /**
   * Returns the databases of a request that may be killed before or after any of its statements. A statement may also run after the
   * request has been killed. Requests overlap between any two of their statements.
   */
  get #mortal(): Databases {
    const orDie = async <R>(work: () => Promise<R>): Promise<R> => {
      for (let turns = this.below(3) === 0 ? this.below(60) : 0; turns > 0; turns -= 1) await undefined;
      while (this.#late.length > 0 && this.below(3) === 0) await this.#runLate();
      const left = this.#killAfter;
      if (left !== undefined) this.#killAfter = left - 1;
      if (left === 0) {
        if (this.below(2) === 0) this.#late.push(work);
        throw new Killed('before the statement');
      }
      const answer = await work();
      if (left === 1) throw new Killed('after the statement');
      return answer;
    };
    const mortal = (db: SqliteDatabase) => {
      const statement = (inner: Bound): Bound => ({
        ...inner,
        bind: (...values) => statement(inner.bind(...values)),
        all: () => orDie(() => inner.all()),
        run: () => orDie(() => inner.run()),
        first: (column) => orDie(() => inner.first(column)),
      });
      return {
        prepare: (sql: string) => statement(db.prepare(sql)),
        batch: (statements: readonly Bound[]) => orDie(() => db.batch(statements)),
      };
    };
    return Object.fromEntries(NAMES.map((name) => [name, mortal(this.#shards[name])])) as unknown as Databases;
  }

  /** Nobody waits for the answer, so a refusal has no effect. */
  async #runLate(): Promise<void> {
    const work = this.#late.shift();
    await work?.().catch(() => {});
  }

  async addNetworks(): Promise<void> {
    const sql = "INSERT INTO gatekeeper_networks (key, shard) VALUES (?, 'DB')";
    for (const key of NETWORKS) await this.#shards.DB.prepare(sql).bind(key).run();
  }

  protected override publishIn(_: StoryDatabase, batch: readonly Publication[]): Promise<void> {
    const networkOf = ({ key }: Publication) => key.gatekeeperNetwork;
    return inShardsOf(
      this.#databases,
      batch,
      networkOf,
      async ({ db }, group) => void (await publishPasses(db, group)),
    );
  }

  /** While a gatekeeper network moves, its passes wait for their next alarm. */
  protected override async tryCommit(db: StoryDatabase, batch: readonly Publication[]): Promise<boolean> {
    try {
      await this.commit(db, batch);
      return true;
    } catch (fault) {
      if (!(fault instanceof NetworkMoves)) throw fault;
      return false;
    }
  }

  protected override inDatabase<R>(
    _: StoryDatabase,
    gatekeeperNetwork: string,
    run: (db: StoryDatabase) => Promise<R>,
  ): Promise<R> {
    return inShardOf(this.#databases, gatekeeperNetwork, ({ db }) => run(db as unknown as StoryDatabase));
  }

  /** Requests a slice of a move, which may be killed, or two at once. */
  async moveSome(): Promise<void> {
    const network = NETWORKS[this.below(NETWORKS.length)] as string;
    const under = await this.#moveOf(network);
    const others = NAMES.filter((name) => name !== under.from);
    const next = under.to ?? (others[this.below(others.length)] as string);
    const cancel = under.to !== undefined && this.below(25) === 0;
    for (let requests = 1 + this.below(4); requests > 0; requests -= 1) {
      this.#killAfter = this.below(3) === 0 ? this.below(12) : undefined;
      const asked = { gatekeeperNetwork: network, to: next, cancel };
      const twins = this.below(4) === 0 ? [asked, asked] : [asked];
      const [answers] = await Promise.all([
        Promise.allSettled(twins.map((each) => moveNetwork(this.#mortal, each, async () => true, 0, 7))),
        this.below(2) === 0 ? this.publish(this.#shards.DB) : undefined,
      ]);
      for (const answer of answers) {
        if (answer.status === 'rejected' && !(answer.reason instanceof Killed)) throw answer.reason;
        const phase =
          answer.status === 'fulfilled' && typeof answer.value === 'object' ? answer.value.phase : undefined;
        if (phase === 'done') this.moves += 1;
        if (phase === 'canceled') this.canceled += 1;
        if (phase !== 'canceled' && phase !== 'done') continue;
        // No statement is late by so much that a person has begun another move meanwhile.
        while (this.#late.length > 0) await this.#runLate();
        return;
      }
    }
  }

  /** The time passes in which every isolate learns the new databases. */
  async settle(): Promise<void> {
    const settled = "UPDATE moves SET updated = 0 WHERE phase = 'settle'";
    let changes = 0;
    for (const name of NAMES) changes += (await this.#shards[name].prepare(settled).run()).meta.changes;
    if (changes > 0) forgetShards();
  }

  /** Ends every move that has begun. */
  async endMoves(): Promise<void> {
    this.#killAfter = undefined;
    for (let slices = 0; slices < 1_000; slices += 1) {
      await this.settle();
      const [move] = await findMoves(this.#databases);
      if (move === undefined) return;
      const asked = { gatekeeperNetwork: move.gatekeeper_network, to: move.to };
      await moveNetwork(this.#databases, asked, async () => true, 0);
    }
    throw new Error('the moves do not end');
  }

  async #shardOf(key: string): Promise<(typeof NAMES)[number]> {
    const sql = 'SELECT shard FROM gatekeeper_networks WHERE key = ?';
    return (await this.#shards.DB.prepare(sql).bind(key).first('shard')) as (typeof NAMES)[number];
  }

  /** Returns the database with a gatekeeper network, and the one to which it moves; undefined: it does not move. */
  async #moveOf(key: string): Promise<{ readonly from: string; readonly to: string | undefined }> {
    const move = (await findMoves(this.#databases)).find((each) => each.gatekeeper_network === key);
    return { from: move?.shard ?? (await this.#shardOf(key)), to: move?.to };
  }

  /** Returns why the rows are not exactly in the current database of their gatekeeper network; undefined: they are. */
  async faultInPlaces(): Promise<string | undefined> {
    for (const network of NETWORKS) {
      const shard = await this.#shardOf(network);
      for (const name of NAMES) {
        for (const table of ['passes', 'events', 'feeds', 'usage']) {
          const sql = `SELECT count(*) AS n FROM ${table} WHERE gatekeeper_network = ?`;
          const n = await this.#shards[name].prepare(sql).bind(network).first('n');
          if (name !== shard && n !== 0) return `${n} rows of ${network} are left in ${table} of ${name}`;
        }
      }
      const sql = 'SELECT wallet, id, version FROM passes WHERE gatekeeper_network = ?';
      const { results: rows } = await this.#shards[shard].prepare(sql).bind(network).all();
      const passes = this.passes.filter(({ key }) => key.gatekeeperNetwork === network);
      if (rows.length !== passes.length) return `${rows.length} rows of ${passes.length} passes of ${network}`;
      for (const pass of passes) {
        const { id, version } = await pass.visit('read');
        const row = rows.find(({ wallet }) => wallet === pass.key.wallet);
        if (row?.id !== id || row?.version !== version) return `${id}: version ${row?.version} instead of ${version}`;
      }
    }
    return undefined;
  }
}

/** Runs a story, and returns why it is wrong, with the number of moves; the fault is undefined if it is right. */
export async function runMoveStory(seed: number, shards: StoryShards) {
  forgetShards();
  const story = new MoveStory(seed, shards);
  await story.addNetworks();
  await story.begin();
  for (let step = 0; step < 40; step += 1) {
    for (let changes = story.below(7); changes > 0; changes -= 1) await story.change();
    await story.publish(shards.DB);
    await story.moveSome();
    await story.fireAlarms(shards.DB);
    if (story.below(2) === 0) await story.read(shards.DB);
    if (story.below(3) === 0) await story.settle();
    if (story.below(3) === 0) forgetShards();
    if (story.below(6) > 0) continue;
    await story.readAll(shards.DB);
    await story.deleteRead(shards.DB);
  }
  await story.endMoves();
  await story.publishAll(shards.DB);
  await story.readAll(shards.DB);
  const fault = faultIn(story) ?? (await faultInUsage(mergedRows(shards), story)) ?? (await story.faultInPlaces());
  return { fault, moves: story.moves, canceled: story.canceled };
}

/** Reads the rows of all databases as if they were one. */
function mergedRows(shards: StoryShards): StoryDatabase {
  const prepare = (sql: string) => ({
    async all() {
      const answers = await Promise.all(NAMES.map((name) => shards[name].prepare(sql).all()));
      return { results: answers.flatMap(({ results }) => results) };
    },
  });
  return { prepare, batch: async () => [] };
}
