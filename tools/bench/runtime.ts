import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import { descendantsOf } from '../../terminal/process-table.ts';
import type { Built } from './build.ts';
import { memoryLimitBinding } from './memory-rate-limits.ts';

/** A Worker in the local runtime, on a port of 127.0.0.1. */
export interface Server {
  readonly baseUrl: string;
  /** Process id of the runtime. */
  readonly pid: number;
  /** Address of its inspector; undefined unless a port was requested. */
  readonly inspectorUrl?: string;
  /** D1 from outside the Worker; not used during a measurement. */
  database(binding?: string): Promise<D1Database>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly built: Built;
  /** Folder of D1, the objects and all other state. */
  readonly folder: string;
  /** Variables and secrets in addition to those of `wrangler.toml`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Seconds that messages stay in the queue. A long time keeps the work after the answer out of the measurement. */
  readonly deliveryDelay?: number;
  readonly inspectorPort?: number;
  /** Receives each line that the Worker logs; without it, lines are dropped. */
  readonly onLog?: (line: string) => void;
}

type D1Database = import('@cloudflare/workers-types').D1Database;

/**
 * The runtime of `wrangler dev`, without its proxy, which takes more time than most of the compared code, and without the static
 * files, because the local runtime serves those with a second Worker before the measured one.
 */
const ofWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'));
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = ofWrangler('miniflare');

/** Starts a Worker and resolves when it listens. Persistence is on, and nothing watches its files. */
export async function startServer({ built, folder, variables, ...options }: ServerOptions): Promise<Server> {
  process.env.X_LOCAL_OBSERVABILITY = 'false';
  const { workerOptions } = unstable_getMiniflareWorkerOptions(built.config);
  const {
    ratelimits = {},
    queueProducers = {},
    bindings,
    modulesRules: _,
    assets: __,
    ...bound
  } = workerOptions as WorkerSettings;
  const { deliveryDelay, inspectorPort, onLog } = options;
  const delayed = Object.entries(queueProducers).map(([name, queue]) => [name, { ...queue, deliveryDelay }]);
  const runtime = new Miniflare({
    ...convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      ...(inspectorPort && { inspectorPort }),
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ message }: { message: string }) => onLog?.(message),
      resourcePersistencePath: folder,
      workers: [
        {
          ...bound,
          name: WORKER_NAME,
          rootPath: dirname(built.script),
          modules: modulesOf(built),
          bindings: { ...bindings, ...variables },
          queueProducers: deliveryDelay === undefined ? queueProducers : Object.fromEntries(delayed),
          unsafeBindings: Object.keys(ratelimits).map(memoryLimitBinding),
        },
      ],
    }),
    telemetry: { enabled: false },
  });
  const before = new Set((await descendantsOf(process.pid)).map(({ pid }) => pid));
  const url: URL = await runtime.ready;
  const started = (await descendantsOf(process.pid)).filter(({ pid, command }) => {
    return !before.has(pid) && /workerd serve/.test(command);
  });
  return {
    baseUrl: url.origin,
    pid: started[0]?.pid ?? 0,
    ...(inspectorPort && { inspectorUrl: `ws://127.0.0.1:${inspectorPort}/core:user:${WORKER_NAME}` }),
    database: (binding = 'DB') => runtime.getD1Database(binding, WORKER_NAME),
    stop: () => runtime.dispose(),
  };
}

/** The main module comes first. */
function modulesOf({ script }: Built) {
  const folder = dirname(script);
  const others = readdirSync(folder).filter((name) => /\.m?js$/.test(name) && name !== basename(script));
  return [script, ...others.map((name) => join(folder, name))].map((path) => ({ type: 'ESModule', path }));
}

const WORKER_NAME = 'measured';

/** Returns wrangler's translation of a `wrangler.toml` for the runtime. */
type WorkerSettings = Readonly<{
  bindings?: Readonly<Record<string, unknown>>;
  ratelimits?: Readonly<Record<string, unknown>>;
  queueProducers?: Readonly<Record<string, object>>;
  modulesRules?: unknown;
  assets?: unknown;
}>;
