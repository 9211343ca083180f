import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';
import { descendantsOf } from '../scripts/process-table.ts';
import type { Built } from './build.ts';
import { memoryLimitBinding } from './memory-rate-limits.ts';

/** A Worker in the local runtime, on a port of 127.0.0.1. */
export interface Server {
  readonly baseUrl: string;
  /** Of the runtime's own process. */
  readonly pid: number;
  /** Where an inspector finds it; undefined unless a port was asked for. */
  readonly inspectorUrl?: string;
  /** What D1 is asked through from outside; not while anything is measured. */
  database(binding?: string): Promise<D1Database>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly built: Built;
  /** Where D1, the objects and everything else are kept: on disk, as what is measured writes there. */
  readonly folder: string;
  /** Variables and secrets beside those of the `wrangler.toml`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Seconds that messages stay in the queue: so long that work behind the answer is not part of what is measured. */
  readonly deliveryDelay?: number;
  readonly inspectorPort?: number;
  /** Gets each line that the Worker logs; otherwise they go nowhere. */
  readonly onLog?: (line: string) => void;
}

type D1Database = import('@cloudflare/workers-types').D1Database;

/**
 * The runtime that `wrangler dev` has, without its proxy, which takes more time than most of what is compared; and without the
 * static files: for them, and here only, a second Worker stands before the one that is measured.
 */
const ofWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'));
const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = ofWrangler('miniflare');

/** Starts a Worker; resolves when it listens. Persistence is on, and nothing watches it. */
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
          modules: [{ type: 'ESModule', path: built.script }],
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

const WORKER_NAME = 'measured';

/** What wrangler makes of a `wrangler.toml` for the runtime. */
type WorkerSettings = Readonly<{
  bindings?: Readonly<Record<string, unknown>>;
  ratelimits?: Readonly<Record<string, unknown>>;
  queueProducers?: Readonly<Record<string, object>>;
  modulesRules?: unknown;
  assets?: unknown;
}>;
