import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isShardName } from '../../src/config/shard-name.ts';

/** What keeps a block of `wrangler.toml` from doing what the top level does; undefined where nothing does. */
export function environmentFault(block: WranglerConfig, top: WranglerConfig): string | undefined {
  const missing = bindingsOf(top).filter((name) => !bindingsOf(block).includes(name));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  return (
    queueFault(block, top) ??
    databaseFault(block, top) ??
    rateLimitFault(block) ??
    assetsFault(block, top) ??
    cronFault(block, top) ??
    workersDevFault(block)
  );
}

/** What the Worker cannot do without; blocks inherit none. */
function bindingsOf({ d1_databases, durable_objects, queues, ratelimits }: WranglerConfig): string[] {
  return [
    ...d1_databases.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name, class_name }) => `${name} (${class_name})`),
    ...(queues.producers ?? []).map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
  ];
}

/** What is written to a queue is read, tried again, and kept where it is given up. */
function queueFault({ queues }: WranglerConfig, top: WranglerConfig): string | undefined {
  const consumers = queues.consumers ?? [];
  const written = (queues.producers ?? []).flatMap(({ queue }) => queue ?? []);
  const deadLetters = consumers.flatMap(({ dead_letter_queue }) => dead_letter_queue ?? []);
  const unread = [...written, ...deadLetters].find((queue) => !consumers.some((each) => each.queue === queue));
  if (unread) return `lacks a consumer of the queue ${unread}`;
  const untried = consumers.find(({ max_retries }) => max_retries === 0);
  if (untried) return `must have max_retries for the queue ${untried.queue}`;
  const keeps = (config: WranglerConfig) => config.queues.consumers?.some((each) => each.dead_letter_queue);
  const losing = consumers.find(({ queue, dead_letter_queue }) => written.includes(queue) && !dead_letter_queue);
  return losing && keeps(top) ? `lacks a dead_letter_queue for the queue ${losing.queue}` : undefined;
}

/** Each database is migrated as the first one is, and is one of its own. */
function databaseFault({ d1_databases: databases }: WranglerConfig, top: WranglerConfig): string | undefined {
  const [{ migrations_dir } = {}] = top.d1_databases;
  for (const each of databases) {
    if (!isShardName(each.binding)) return `binds the database ${each.binding}: the names are DB, DB_1, DB_2 …`;
    if (each.migrations_dir !== migrations_dir)
      return `must have migrations_dir = "${migrations_dir}" for ${each.binding}`;
    const same = databases.find(({ database_id }) => database_id === each.database_id);
    if (same !== each) return `has one database for ${same?.binding} and ${each.binding}: their ids must differ`;
  }
  return undefined;
}

/** Limits with one id are counted together. */
function rateLimitFault({ ratelimits }: WranglerConfig): string | undefined {
  for (const each of ratelimits) {
    const same = ratelimits.find(({ namespace_id }) => namespace_id === each.namespace_id);
    if (same !== each) return `has one namespace_id for ${same?.name} and ${each.name}: they must differ`;
  }
  return undefined;
}

/** Blocks inherit them. With settings of its own, the platform might answer with the files itself: without limits and base path. */
function assetsFault({ assets: own = {} }: WranglerConfig, { assets = {} }: WranglerConfig): string | undefined {
  const names = ['directory', 'binding', 'run_worker_first', 'html_handling'] as const;
  const wrong = names.find((name) => own[name] !== assets[name]);
  return wrong && `must have ${wrong} = ${JSON.stringify(assets[wrong])} in its assets`;
}

function cronFault({ triggers }: WranglerConfig, top: WranglerConfig): string | undefined {
  const isLacking = top.triggers.crons?.length && !triggers.crons?.length;
  return isLacking ? 'must have crons: the nightly reconciliation' : undefined;
}

/** Its address at workers.dev would be a second door, past what guards the domain. */
function workersDevFault({ workers_dev, routes, route }: WranglerConfig): string | undefined {
  return workers_dev && (routes ?? route) ? 'has routes of its own: workers_dev must be false' : undefined;
}
