import { DurableObject } from 'cloudflare:workers';
import { alarmsOf, type Call, describe, type QueueName, type Script, type Step, THROWN, VALUES } from './script.ts';

/** A `ScriptObject`, as others call it. */
type ScriptStub = {
  [Name in 'play' | 'append' | 'appended' | 'take']: (
    ...args: Parameters<ScriptObject[Name]>
  ) => Promise<Awaited<ReturnType<ScriptObject[Name]>>>;
};

/** The bindings of the Worker that plays scripts. */
export interface ScriptEnv extends Record<QueueName, Queue> {
  readonly SCRIPTS: { getByName(name: string): ScriptStub };
  readonly D1: D1Database;
  readonly LIMIT: RateLimit;
}

const LIST = '~list';
const ON_ALARM = '~on-alarm';
const BOOKMARK = '~bookmark';
const POLL_MS = 20;
const POLLS_MAX = 1_000;

/** Plays steps with its storage. */
export class ScriptObject extends DurableObject<ScriptEnv> {
  #count = 0;
  readonly #latches = new Map<string, { readonly opened: Promise<void>; open(): void }>();

  /** Returns the outcomes of the steps, or the value of a step `return`. Throws what a step throws. */
  async play(steps: readonly Step[]): Promise<unknown> {
    const outcomes: string[] = [];
    for (const step of steps) {
      if (step[0] === 'return') return VALUES[step[1]]();
      const outcome = this.#run(step);
      // Steps without an `await` run in one piece, as in the Worker.
      outcomes.push(describe(outcome instanceof Promise ? await outcome : outcome));
    }
    return outcomes;
  }

  /** Tells its list each run, and how it ends. The list is another object's, because a fault of this one must not change it. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const list = this.env.SCRIPTS.getByName(alarmsOf(this.ctx.id.name ?? ''));
    const runs = this.ctx.storage.kv.get<readonly (readonly Step[])[]>(ON_ALARM) ?? [];
    await list.append(`began ${info?.retryCount} ${info?.isRetry}`);
    const began = (await list.appended()).filter((text) => text.startsWith('began'));
    const steps = runs[began.length - 1] ?? [];
    try {
      const outcomes = describe(await this.play(steps));
      await list.append(`ended ${outcomes}`);
    } catch (fault) {
      await list.append(`threw ${describe(fault)}`);
      throw fault;
    }
  }

  /** Adds a text to its list, and returns how many it has. */
  append(text: string): number {
    const list = [...this.appended(), text];
    this.ctx.storage.kv.put(LIST, list);
    return list.length;
  }

  appended(): string[] {
    return this.ctx.storage.kv.get<string[]>(LIST) ?? [];
  }

  /** Returns a value, and how it arrived. */
  take(value: unknown): unknown[] {
    return [describe(value), value];
  }

  #run(step: Step): unknown {
    const { storage } = this.ctx;
    switch (step[0]) {
      case 'put':
        return storage.kv.put(step[1], VALUES[step[2]]());
      case 'get':
        return storage.kv.get(step[1]);
      case 'delete':
        return storage.kv.delete(step[1]);
      case 'list':
        return [...storage.kv.list(step[1])].filter(([key]) => !key.startsWith('~'));
      case 'append':
        return this.append(step[1]);
      case 'appended':
        return this.appended();
      case 'sql': {
        const cursor = storage.sql.exec(step[1], ...step.slice(2));
        const rows = cursor.toArray();
        return { rows, wrote: /^(INSERT|UPDATE|DELETE)/.test(step[1]) && cursor.rowsWritten > 0 };
      }
      case 'one':
        return storage.sql.exec(step[1]).one();
      case 'bind':
        return storage.sql.exec('SELECT ? AS bound, typeof(?1) AS type', VALUES[step[1]]()).toArray();
      case 'cursor':
        return this.#readAround(step[1], step[2]);
      case 'transaction':
        return storage.transactionSync(() => step[1].map((each) => describe(this.#run(each))));
      case 'catch':
        try {
          return this.#run(step[1]);
        } catch (fault) {
          return `threw ${describe(fault)}`;
        }
      case 'throw':
        throw THROWN[step[1]]();
      case 'on-alarm':
        return storage.kv.put(ON_ALARM, step[1]);
      case 'count':
        this.#count += 1;
        return this.#count;
      case 'name':
        return this.ctx.id.name;
      case 'open-latch':
        return this.#latch(step[1]).open();
      case 'tell':
        this.env.SCRIPTS.getByName(step[1])
          .play(step[2])
          .catch(() => {});
        return 'told';
      case 'wait-until':
        return this.ctx.waitUntil(this.play(step[1]));
      default:
        return this.#wait(step);
    }
  }

  async #wait(step: Step): Promise<unknown> {
    const { storage } = this.ctx;
    const { SCRIPTS, D1, LIMIT } = this.env;
    switch (step[0]) {
      case 'set-alarm':
        return storage.setAlarm(Date.now() + step[1]);
      case 'set-alarm-at':
        return storage.setAlarm(step[1]);
      case 'get-alarm':
        return (await storage.getAlarm()) === null ? 'no alarm' : 'an alarm';
      case 'delete-alarm':
        return storage.deleteAlarm();
      case 'delete-all':
        return storage.deleteAll();
      case 'delete-all-and-alarm':
        return Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
      case 'at-once':
        return Promise.all(step[1].map((each) => this.#run(each)));
      case 'microtask':
        return Promise.resolve('microtask');
      case 'wait':
        return scheduler.wait(step[1]);
      case 'await-latch':
        return this.#latch(step[1]).opened;
      case 'await-list':
        return awaitList(SCRIPTS.getByName(step[1]), (list) => list.length >= step[2], step[3]);
      case 'await-text':
        await awaitList(SCRIPTS.getByName(step[1]), (list) => list.some((text) => text.startsWith(step[2])));
        return 'found';
      case 'try':
        return this.play(step[1]).catch((fault) => `threw ${describe(fault)}`);
      case 'ask':
        return SCRIPTS.getByName(step[1]).play(step[2]);
      case 'ask-at-once':
        return playGroup(step[1], SCRIPTS);
      case 'give':
        return SCRIPTS.getByName(step[1]).take(VALUES[step[2]]());
      case 'call-missing':
        return (SCRIPTS.getByName(step[1]) as ScriptStub & { missing(): Promise<unknown> }).missing();
      case 'block':
        return this.ctx.blockConcurrencyWhile(() => this.play(step[1]));
      case 'abort':
        return this.ctx.abort('aborted by the script');
      case 'send':
        await this.env[step[1]].sendBatch(
          step[2].map(({ value, ...rest }) => ({ body: { ...rest, ...(value && { value: VALUES[value]() }) } })),
        );
        return 'sent';
      case 'send-one':
        await this.env[step[1]].send(VALUES[step[2]]());
        return 'sent';
      case 'cache': {
        const cache = await caches.open('scripts');
        return cache.put(
          step[1],
          new Response(step[2], { headers: { 'cache-control': `public, max-age=${step[3]}` } }),
        );
      }
      case 'cached': {
        const cache = await caches.open('scripts');
        return (await cache.match(step[1]))?.text();
      }
      case 'limit':
        return LIMIT.limit({ key: step[1] });
      case 'session':
        return this.#playInSession(step[1], step[2]);
      default:
        return playInDatabase(D1, step);
    }
  }

  /** `one` of a cursor and `next` go through the same rows. */
  #readAround(query: string, between: string): unknown {
    const { sql } = this.ctx.storage;
    const cursor = sql.exec(query);
    const { done, value } = cursor.next();
    const other = sql.exec(between).toArray();
    const rest = [...cursor];
    return { done, value, other, rest, after: cursor.toArray() };
  }

  async #playInSession(constraint: string, steps: readonly Step[]): Promise<unknown> {
    const known = this.ctx.storage.kv.get<string>(BOOKMARK) ?? 'first-unconstrained';
    const session = this.env.D1.withSession(
      constraint === 'bookmark' ? known : constraint === 'unknown' ? '00000000-00000000-00000000-00' : constraint,
    );
    const before = typeof session.getBookmark();
    const outcomes: string[] = [];
    try {
      for (const step of steps) outcomes.push(describe(await playInDatabase(session, step)));
    } finally {
      const bookmark = session.getBookmark();
      if (bookmark !== null) this.ctx.storage.kv.put(BOOKMARK, bookmark);
    }
    return { outcomes, before, after: typeof session.getBookmark() };
  }

  #latch(name: string) {
    const known = this.#latches.get(name);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    const latch = { opened: promise, open: resolve };
    this.#latches.set(name, latch);
    return latch;
  }
}

async function awaitList(
  object: { appended(): Promise<string[]> },
  isComplete: (list: readonly string[]) => boolean,
  order?: 'sorted',
): Promise<string[]> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const list = await object.appended();
    if (isComplete(list)) return order === 'sorted' ? list.toSorted() : list;
    await scheduler.wait(POLL_MS);
  }
  throw new Error('the list stays incomplete');
}

async function playInDatabase(db: Pick<D1Database, 'prepare' | 'batch'>, step: Step): Promise<unknown> {
  const bound = ([query, ...values]: readonly [string, ...unknown[]]) => db.prepare(query).bind(...values);
  switch (step[0]) {
    case 'batch':
      return (await db.batch(step[1].map(bound))).map(answerOf);
    case 'd1-column':
      return db.prepare(step[2]).first(step[1]);
    case 'd1-bind':
      return bound(['SELECT ? AS bound, typeof(?1) AS type', VALUES[step[1]]()]).first();
    case 'd1': {
      const [, method, ...statement] = step;
      const result = await bound(statement)[method]();
      return method === 'first' ? result : answerOf(result as D1Result);
    }
    default:
      throw new Error(`unknown step ${step[0]}`);
  }
}

const answerOf = ({ success, results, meta }: D1Result) => ({ success, results, changes: meta.changes });

const playGroup = (calls: readonly Call[], objects: ScriptEnv['SCRIPTS']): Promise<string[]> =>
  Promise.all(
    calls.map(({ object, steps }) =>
      objects
        .getByName(object)
        .play(steps)
        .then(describe, (fault) => `threw ${describe(fault)}`),
    ),
  );

/** Plays a script, and returns the outcomes of its calls. */
export async function playScript(script: Script, { SCRIPTS }: ScriptEnv): Promise<string[][]> {
  const groups: string[][] = [];
  for (const calls of script) groups.push(await playGroup(calls, SCRIPTS));
  return groups;
}
