import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WRANGLER } from '../../../terminal/wrangler.ts';
import type { Account, RunStatements, Script, Version } from './account.ts';

/**
 * Runs the Workers of an imitated account as they were uploaded: the newest deployed version with its modules, variables, secrets,
 * databases, queues and objects, in the runtime of `wrangler dev`. The static files are missing, and no schedule fires.
 */
export interface Runtime {
  /** Answers as the deployed Worker does; 404 if nothing is deployed. */
  fetch(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

const {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response: RuntimeResponse,
} = createRequire(WRANGLER)('miniflare');

/** The Worker that binds every database of the account, for the API. */
const DATABASES = 'databases-of-the-account';
const NO_WORKER = 'export default { fetch: () => new Response("nothing is deployed here", { status: 404 }) }';

/**
 * Starts the runtime, which also has the account's databases from now on.
 * @param fetchOutside Answers the requests of the Workers to other hosts.
 */
export function startRuntime(account: Account, fetchOutside: FetchOutside): Runtime {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-cloudflare-'));
  let runtime: { readonly options: string; readonly miniflare: MiniflareApi } | undefined;
  let changing: Promise<unknown> = Promise.resolve();

  /** The account is the whole state: the runtime restarts after a change of it, with the same databases and objects. */
  async function current(): Promise<MiniflareApi> {
    const wanted = workersOf(account);
    const options = JSON.stringify(wanted);
    if (runtime?.options === options) return runtime.miniflare;
    const started = optionsOf(wanted, folder, fetchOutside);
    if (runtime) await runtime.miniflare.setOptions(started);
    runtime = { options, miniflare: runtime?.miniflare ?? new Miniflare(started) };
    await runtime.miniflare.ready;
    return runtime.miniflare;
  }

  /** A restart must not interrupt another request. */
  function inTurn<T>(work: (miniflare: MiniflareApi) => Promise<T>): Promise<T> {
    const result = changing.then(current).then(work);
    changing = result.catch(() => undefined);
    return result;
  }

  account.openDatabase =
    (uuid): RunStatements =>
    (statements, values) =>
      inTurn(async (miniflare) => {
        const database = await miniflare.getD1Database(uuid, DATABASES);
        const results = await database.batch(statements.map((each) => database.prepare(each).bind(...values)));
        return results.map(({ results: rows }) => rows as object[]);
      });
  return {
    // A Worker may request itself while it answers, so requests do not wait for each other.
    async fetch(request) {
      const { url, method, headers } = request;
      const body = ['GET', 'HEAD'].includes(method) ? null : await request.arrayBuffer();
      const miniflare = await inTurn(async (started) => started);
      return miniflare.dispatchFetch(url, { method, headers: Object.fromEntries(headers), body, redirect: 'manual' });
    },
    async stop() {
      await changing;
      await runtime?.miniflare.dispose();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type D1Database = import('@cloudflare/workers-types').D1Database;

interface MiniflareApi {
  readonly ready: Promise<URL>;
  setOptions(options: object): Promise<void>;
  getD1Database(binding: string, worker: string): Promise<D1Database>;
  dispatchFetch(url: string, init?: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

type FetchOutside = (request: Request) => Promise<Response>;

function optionsOf(workers: readonly object[], folder: string, fetchOutside: FetchOutside) {
  const outboundService = async ({ url, method, headers, body }: Request) => {
    const content = body === null ? null : await new Response(body).arrayBuffer();
    const answer = await fetchOutside(
      new Request(url, { method, headers: Object.fromEntries(headers), body: content }),
    );
    const text = await answer.arrayBuffer();
    return new RuntimeResponse(text.byteLength === 0 ? null : text, withoutTransfer(answer));
  };
  return {
    ...convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => undefined,
      resourcePersistencePath: folder,
      workers: workers.map((each) => ({ ...each, outboundService })),
    }),
    telemetry: { enabled: false },
  };
}

/** The body is decoded already. */
function withoutTransfer({ status, headers }: Response) {
  const transfer = ['content-encoding', 'content-length', 'transfer-encoding'];
  return { status, headers: Object.fromEntries([...headers].filter(([name]) => !transfer.includes(name))) };
}

/** The first Worker answers the requests. */
function workersOf(account: Account): object[] {
  const deployed = [...account.scripts.values()].flatMap((script) => {
    const version = deployedVersionOf(script);
    return version === undefined ? [] : [workerOf(account, script, version)];
  });
  const databases = Object.fromEntries(account.databases.map(({ uuid }) => [uuid, uuid]));
  const nothing = { name: DATABASES, modules: true, script: NO_WORKER, d1Databases: databases };
  return [...deployed, { ...nothing, compatibilityDate: '2026-08-15' }];
}

function deployedVersionOf({ deployments, versions }: Script): Version | undefined {
  const [largest] = deployments[0]?.versions.toSorted((a, b) => b.percentage - a.percentage) ?? [];
  return versions.find(({ id }) => id === largest?.version_id);
}

function workerOf({ queues }: Account, { name }: Script, version: Version): object {
  const bound = (type: string, value: (binding: Version['bindings'][number]) => unknown) =>
    Object.fromEntries(
      version.bindings.filter((each) => each.type === type).map((each) => [String(each.name), value(each)]),
    );
  const consumed = queues.filter(({ consumers }) => consumers.some(({ script }) => script === name));
  return {
    name,
    compatibilityDate: version.compatibility_date,
    compatibilityFlags: version.compatibility_flags,
    modules: version.modules.map(({ path, contents }) => ({ type: 'ESModule', path: `/${path}`, contents })),
    modulesRoot: '/',
    bindings: { ...bound('plain_text', ({ text }) => text), ...bound('json', ({ json }) => json), ...version.secrets },
    d1Databases: bound('d1', ({ id }) => id),
    durableObjects: bound('durable_object_namespace', ({ class_name }) => ({ className: class_name, useSQLite: true })),
    queueProducers: bound('queue', ({ queue_name }) => ({ queueName: queue_name })),
    queueConsumers: Object.fromEntries(
      consumed.flatMap(({ queue_name, consumers }) =>
        consumers.map(({ dead_letter_queue }) => [queue_name, { deadLetterQueue: dead_letter_queue }]),
      ),
    ),
    ratelimits: bound('ratelimit', ({ namespace_id, simple }) => ({ namespace_id, simple })),
    serviceBindings: bound('assets', () => () => new Response(null, { status: 404 })),
  };
}
