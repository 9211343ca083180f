import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isHourly, isShardName } from '../../src/config/bindings.ts';
import { isTemplateId } from './environment-block.ts';

/** Returns why a block of `wrangler.toml` cannot do what the top level does, or undefined if it can. */
export function environmentFault(block: WranglerConfig, top: WranglerConfig): string | undefined {
  const missing = bindingsOf(top).filter((name) => !bindingsOf(block).includes(name));
  if (missing.length > 0) return `lacks ${missing.join(', ')}`;
  // Code that reads such a constant would fail in the deployed Worker only.
  const constant = Object.keys(top.define).find((name) => block.define[name] !== top.define[name]);
  if (constant !== undefined) return `must have ${constant} = ${JSON.stringify(top.define[constant])} in its define`;
  return (
    queueFault(block, top) ??
    databaseFault(block, top) ??
    rateLimitFault(block) ??
    assetsFault(block, top) ??
    cronFault(block, top) ??
    workersDevFault(block)
  );
}

/** Returns the bindings that the Worker needs. Blocks do not inherit them. */
function bindingsOf({ d1_databases, durable_objects, queues, ratelimits }: WranglerConfig): string[] {
  return [
    ...d1_databases.map(({ binding }) => binding),
    ...durable_objects.bindings.map(({ name, class_name }) => `${name} (${class_name})`),
    ...(queues.producers ?? []).map(({ binding }) => binding),
    ...ratelimits.map(({ name }) => name),
  ];
}

/** Every queue needs a consumer that retries, and a dead letter queue if the top level has one. */
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

/** Every shard needs the migrations folder of the first one, and a database that no other shard uses. */
function databaseFault({ d1_databases: databases }: WranglerConfig, top: WranglerConfig): string | undefined {
  const [{ migrations_dir } = {}] = top.d1_databases;
  for (const each of databases) {
    if (!isShardName(each.binding)) return `binds the database ${each.binding}: name it DB, DB_1, DB_2 …`;
    if (each.migrations_dir !== migrations_dir)
      return `must have migrations_dir = "${migrations_dir}" for ${each.binding}`;
    const same = databases.find(({ database_id }) => database_id === each.database_id);
    if (same !== each)
      return `has the same database for ${same?.binding} and ${each.binding}: give each its own database_id`;
  }
  return undefined;
}

/** Rate limits with the same namespace share one counter. */
function rateLimitFault({ ratelimits }: WranglerConfig): string | undefined {
  for (const each of ratelimits) {
    const same = ratelimits.find(({ namespace_id }) => namespace_id === each.namespace_id);
    if (same !== each)
      return `has the same namespace_id for ${same?.name} and ${each.name}: give each rate limit its own`;
  }
  return undefined;
}

/**
 * Blocks inherit the assets. With other settings, the platform might serve the files itself, without rate limits and base
 * path.
 */
function assetsFault({ assets: own = {} }: WranglerConfig, { assets = {} }: WranglerConfig): string | undefined {
  const names = ['directory', 'binding', 'run_worker_first', 'html_handling'] as const;
  const wrong = names.find((name) => own[name] !== assets[name]);
  return wrong && `must have ${wrong} = ${JSON.stringify(assets[wrong])} in its assets`;
}

/** A block needs a nightly schedule and an hourly one if the top level has them. */
function cronFault({ triggers }: WranglerConfig, top: WranglerConfig): string | undefined {
  const lacks = (hourly: boolean) => {
    const has = ({ crons = [] }: WranglerConfig['triggers']) => crons.some((cron) => isHourly(cron) === hourly);
    return has(top.triggers) && !has(triggers);
  };
  if (lacks(false)) return 'must have crons: they start the nightly reconciliation';
  return lacks(true) ? 'must have an hourly cron: it deletes events of a database that fills up' : undefined;
}

/** A workers.dev address would be a second entrance that bypasses the protection of the domain. */
function workersDevFault({ workers_dev, routes, route }: WranglerConfig): string | undefined {
  return workers_dev && (routes ?? route) ? 'has routes: set workers_dev to false' : undefined;
}

/**
 * Returns which resource the block shares with another one, or undefined. With a shared resource, a release of one deployment
 * would affect the other.
 * @param others Blocks by the names of their environments.
 */
export function sharedResourceFault(
  block: WranglerConfig,
  others: Readonly<Record<string, WranglerConfig>>,
): string | undefined {
  for (const [name, other] of Object.entries(others)) {
    const theirs = resourcesOf(other);
    const shared = resourcesOf(block).find((each) => theirs.includes(each));
    if (shared) return `has ${shared}, which [env.${name}] also uses: give each environment its own`;
  }
  return undefined;
}

/** Returns the resources that must belong to one deployment only. */
function resourcesOf({ name, d1_databases, queues, ratelimits }: WranglerConfig): string[] {
  return [
    `name = "${name}"`,
    ...d1_databases
      .filter(({ database_id }) => !isTemplateId(database_id))
      .map(({ database_id }) => `database_id = "${database_id}"`),
    ...(queues.producers ?? []).map(({ queue }) => `queue = "${queue}"`),
    ...(queues.consumers ?? []).map(({ queue }) => `queue = "${queue}"`),
    ...ratelimits.map(({ namespace_id }) => `namespace_id = "${namespace_id}"`),
  ];
}
