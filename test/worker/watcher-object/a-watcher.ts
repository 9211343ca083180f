import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { inject } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { findValidity } from '../../../src/store/validity.ts';
import { Watcher } from '../../../src/watcher-object/watcher.ts';
import type { WatcherObject } from '../../../src/watcher-object/watcher-object.ts';
import type { WatcherStatus } from '../../../src/watcher-object/watcher-store.ts';
import { configureObject, keepAlive } from '../configure-object.ts';

const bindings = env as Env;
const NEVER_MS = 3_600_000;

interface WatcherOptions {
  readonly network?: string;
  /** Endpoints in place of the localnet's node. */
  readonly urls?: readonly string[];
  /** Settings of `NETWORKS`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** No pass of the network is older (ms). By default none has existed, so that no machine is too busy for the first interval. */
  readonly passesSince?: number;
}

/** Returns the variables with which the watcher of a network is on. */
export function variablesFor({ network = 'sepolia', urls, settings }: WatcherOptions = {}) {
  const { NETWORKS = '{}', RPC_ENDPOINTS = '{}' } = env as unknown as Record<string, string>;
  const networks = JSON.parse(NETWORKS);
  const on = { ...networks[network], watch: true, watchMs: 30_000, ...settings };
  const endpoints = urls === undefined ? {} : { [network]: urls };
  return {
    NETWORKS: JSON.stringify({ ...networks, [network]: on }),
    RPC_ENDPOINTS: JSON.stringify({ ...JSON.parse(RPC_ENDPOINTS), ...endpoints }),
  };
}

/** The watcher of a network. Its intervals are only those that the test runs. */
export class TestWatcher {
  readonly network: string;
  readonly object: DurableObjectStub<WatcherObject>;

  constructor(network = 'sepolia') {
    this.network = network;
    this.object = bindings.WATCHERS.getByName(network);
  }

  /** Begins with an empty store. The coverage in D1 stays, because the object remembers that it has written it. */
  static async begin(options: WatcherOptions = {}): Promise<TestWatcher> {
    const watcher = new TestWatcher(options.network);
    keepAlive(watcher.object);
    await runInDurableObject(watcher.object, (_, { storage }) => storage.deleteAll());
    await watcher.configure(options);
    await runInDurableObject(watcher.object, async (object, { storage }) => {
      await object.begin(options.passesSince ?? Date.now() + NEVER_MS);
      await storage.setAlarm(Date.now() + NEVER_MS);
    });
    await watcher.interval();
    return watcher;
  }

  configure(options: WatcherOptions): Promise<unknown> {
    return configureObject(this.object, variablesFor({ network: this.network, ...options }));
  }

  /** Runs intervals, one after another. */
  async interval(times = 1): Promise<void> {
    for (let done = 0; done < times; done += 1) {
      await runInDurableObject(this.object, async (object, { storage }) => {
        await object.alarm();
        await storage.setAlarm(Date.now() + NEVER_MS);
      });
    }
  }

  /** Runs an interval in a new object with the same storage, as after a restart, with other bindings. */
  async intervalWith(changes: Readonly<Record<string, unknown>>, options: WatcherOptions = {}): Promise<void> {
    const changed = { ...bindings, ...variablesFor({ network: this.network, ...options }), ...changes } as Env;
    await runInDurableObject(this.object, async (_, context) => {
      // It sets its alarm at once, and the test's replaces that: an alarm of the object itself would have the usual bindings.
      const interval = new Watcher(context, () => changed).fireAlarm();
      await context.storage.setAlarm(Date.now() + NEVER_MS);
      await interval;
    });
  }

  async status(): Promise<WatcherStatus> {
    const status = await this.object.status();
    if (status === undefined) throw new Error('the watcher has not begun');
    return status;
  }
}

/** Makes what was postponed due. */
export const hurry = (watcher: TestWatcher) =>
  runInDurableObject(watcher.object, (_, { storage }) => {
    storage.sql.exec('UPDATE foreign_change SET not_before = 0');
  });

/** Returns what public checks know of a pass. */
export const validityOf = async (key: PassKey) => (await findValidity(bindings.DB, key)).validity;

/** Returns how far public checks know that the watcher has followed the network. */
export const coverageOf = async (key: PassKey) => (await findValidity(bindings.DB, key)).coveredUntil;

export const nodeOf = (network: string) => inject('localnet').rpc[network] as string;
