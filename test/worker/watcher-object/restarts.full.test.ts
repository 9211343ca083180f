import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { WatcherObject } from '../../../src/watcher-object/watcher-object.ts';
import { makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { UnreliableDatabase } from '../store/unreliable.ts';
import { withoutTimers } from '../without-timers.ts';
import { nodeOf, TestWatcher, validityOf, variablesFor } from './a-watcher.ts';
import { anActivePass, anOtherGatekeeper, changedByOther } from './others.ts';

/** The platform ends the watcher at each of its calls: before the call, or after the call and before its answer. */

const CUT_URL = 'http://cut.test/';
const bindings = env as Env;

makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

/** Counts calls, and ends the run at one of them. */
class Cut {
  readonly #at: number;
  readonly #isAfter: boolean;
  /** Set by the run, because a promise belongs to the event that made it. */
  end: () => void = () => {};
  calls = 0;
  isReached = false;

  constructor(at: number, isAfter: boolean) {
    this.#at = at;
    this.#isAfter = isAfter;
  }

  /** Runs the call, unless the run has ended. A call of an ended run has no answer. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    this.calls += 1;
    if (this.isReached) return new Promise(() => {});
    if (this.calls < this.#at) return call();
    this.isReached = true;
    if (this.#isAfter) await call();
    this.end();
    return new Promise(() => {});
  }

  stub<T extends object>(stub: T): T {
    return new Proxy(stub, {
      get:
        (target, name) =>
        (...args: unknown[]) =>
          // The method of a stub is itself a stub, so it must be called on the object.
          this.pass(async () => (target as Record<PropertyKey, (...args: unknown[]) => unknown>)[name]?.(...args)),
    });
  }

  namespace<T extends { getByName(name: string): object }>(namespace: T): T {
    return { getByName: (name: string) => this.stub(namespace.getByName(name)) } as unknown as T;
  }

  database(): D1Database {
    const database = new UnreliableDatabase(bindings.DB);
    database.manner = (work) => this.pass(work);
    return database.asD1;
  }
}

/** Runs an interval that ends at that call. */
async function intervalUntil(watcher: TestWatcher, cut: Cut): Promise<void> {
  const { fetch } = globalThis;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
    String(input) === CUT_URL ? cut.pass(() => fetch(nodeOf('sepolia'), init)) : fetch(input, init),
  );
  const changed = {
    ...bindings,
    ...variablesFor({ urls: [CUT_URL] }),
    DB: cut.database(),
    PASSES: cut.namespace(bindings.PASSES),
    SIGNERS: cut.namespace(bindings.SIGNERS),
    PASS_QUEUE: cut.stub(bindings.PASS_QUEUE),
  } as Env;
  await withoutTimers(() =>
    runInDurableObject(watcher.object, (_, context) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      cut.end = resolve;
      return Promise.race([new WatcherObject(context, changed).alarm(), ended]);
    }),
  );
  vi.restoreAllMocks();
}

it.each([
  ['before', false],
  ['after', true],
])('nothing is lost or done twice if the watcher ends %s any of its calls', async (_, isAfter) => {
  const key = await anActivePass();
  const watcher = await TestWatcher.begin();
  const changesByOthers = async () => (await recordOf(key))?.events.filter(({ byOthers }) => byOthers).length;
  let isCut = true;
  let changes = 0;
  for (let at = 1; isCut; at += 1) {
    const kind = changes % 2 === 0 ? 'freeze' : 'unfreeze';
    await changedByOther(key, kind);
    await mine(3);
    changes += 1;
    const cut = new Cut(at, isAfter);
    await intervalUntil(watcher, cut);
    isCut = cut.isReached;
    await watcher.interval(2);
    const onChainState = kind === 'freeze' ? 'FROZEN' : 'ACTIVE';
    expect(await validityOf(key), `cut at ${at}`).toMatchObject({ onChainState, isPending: false });
    expect(await changesByOthers(), `cut at ${at}`).toBe(changes);
    expect(await watcher.status(), `cut at ${at}`).toMatchObject({ waiting: 0, why: null });
  }
  expect(changes).toBeGreaterThan(8);
});
