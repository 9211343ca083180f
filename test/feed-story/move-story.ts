import { publishToShards } from '../../src/store/all-shards.ts';
import { forgetMoves, inCurrentShard, moveIn } from '../../src/store/moved-networks.ts';
import { moveNetwork } from '../../src/store/moves.ts';
import { type Publication, publishPasses } from '../../src/store/passes.ts';
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
    return publishToShards(this.#databases, batch, async ({ db }, group) => void (await publishPasses(db, group)));
  }

  /** While the last rows of a gatekeeper network move, its passes wait for their next alarm. */
  protected override async tryCommit(db: StoryDatabase, batch: readonly Publication[]): Promise<boolean> {
    try {
      await this.commit(db, batch);
      return true;
    } catch (fault) {
      if (moveIn(fault, 'none') === undefined) throw fault;
      return false;
    }
  }

  protected override inDatabase<R>(
    _: StoryDatabase,
    gatekeeperNetwork: string,
    run: (db: StoryDatabase) => Promise<R>,
  ): Promise<R> {
    return inCurrentShard(this.#databases, { gatekeeperNetwork }, ({ db }) => run(db as unknown as StoryDatabase));
  }

  /** Requests a slice of a move, which may be killed, or two at once. */
  async moveSome(): Promise<void> {
    const network = NETWORKS[this.below(NETWORKS.length)] as string;
    const place = await this.#placeOf(network);
    const next = place.moving_to ?? NAMES[NAMES.indexOf(place.shard) + 1];
    if (next === undefined) return;
    const cancel = place.moving_to !== null && this.below(25) === 0;
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

  /** The time passes until which a killed request had writes wait. */
  async thaw(): Promise<void> {
    for (const name of NAMES) await this.#shards[name].prepare('UPDATE departures SET frozen_until = 0').run();
  }

  /** Ends every move that has begun. */
  async endMoves(): Promise<void> {
    this.#killAfter = undefined;
    for (const gatekeeperNetwork of NETWORKS) {
      const { moving_to: to } = await this.#placeOf(gatekeeperNetwork);
      if (to === null) continue;
      const move = await moveNetwork(this.#databases, { gatekeeperNetwork, to }, async () => true);
      if (typeof move === 'string' || !['done', 'canceled'].includes(move.phase))
        throw new Error(`the move of ${gatekeeperNetwork} does not end: ${JSON.stringify(move)}`);
    }
  }

  async #placeOf(key: string) {
    const sql = 'SELECT shard, moving_to FROM gatekeeper_networks WHERE key = ?';
    const placed = await this.#shards.DB.prepare(sql).bind(key).first();
    return placed as { readonly shard: (typeof NAMES)[number]; readonly moving_to: string | null };
  }

  /** Returns why the rows are not exactly in the current database of their gatekeeper network; undefined: they are. */
  async faultInPlaces(): Promise<string | undefined> {
    for (const network of NETWORKS) {
      const { shard } = await this.#placeOf(network);
      for (const name of NAMES) {
        for (const table of ['passes', 'events', 'feeds', 'usage', 'changed_passes']) {
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
  forgetMoves();
  const story = new MoveStory(seed, shards);
  await story.addNetworks();
  await story.begin();
  for (let step = 0; step < 40; step += 1) {
    for (let changes = story.below(7); changes > 0; changes -= 1) await story.change();
    await story.publish(shards.DB);
    await story.moveSome();
    await story.fireAlarms(shards.DB);
    if (story.below(2) === 0) await story.read(shards.DB);
    if (story.below(3) === 0) await story.thaw();
    if (story.below(3) === 0) forgetMoves();
    if (story.below(6) > 0) continue;
    await story.readAll(shards.DB);
    await story.deleteRead(shards.DB);
  }
  await story.thaw();
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
