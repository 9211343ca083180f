import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isShardName } from '../../src/config/bindings.ts';
import { lacksId } from './deployment-config.ts';

/** Returns why the Worker cannot run with the configuration of a deployment, or undefined if it can. */
export function deploymentFault(config: WranglerConfig): string | undefined {
  return databaseFault(config) ?? workersDevFault(config);
}

/** Every shard needs a database that no other shard uses. */
function databaseFault({ d1_databases: databases }: WranglerConfig): string | undefined {
  if (!databases.some(({ binding }) => binding === 'DB')) return 'lacks the database DB';
  for (const each of databases) {
    if (!isShardName(each.binding)) return `binds the database ${each.binding}: name it DB, DB_1, DB_2 …`;
    const same = databases.find(
      ({ binding, database_id }) => binding === each.binding || database_id === each.database_id,
    );
    if (same !== each)
      return `has the same database for ${same?.binding} and ${each.binding}: give each its own database_id`;
  }
  return undefined;
}

/** A workers.dev address would be a second entrance that bypasses the protection of the domain. */
function workersDevFault({ workers_dev, routes, route }: WranglerConfig): string | undefined {
  return workers_dev && (routes ?? route) ? 'has routes: set workers_dev to false' : undefined;
}

/**
 * Returns which resource a deployment shares with another one, or undefined. With a shared resource, a release of one deployment
 * would affect the other.
 * @param others Configurations by the names of their deployments.
 */
export function sharedResourceFault(
  config: WranglerConfig,
  others: Readonly<Record<string, WranglerConfig>>,
): string | undefined {
  for (const [name, other] of Object.entries(others)) {
    const theirs = resourcesOf(other);
    const shared = resourcesOf(config).find((each) => theirs.includes(each));
    if (shared) return `has ${shared}, which the deployment ${name} also uses: give each deployment its own`;
  }
  return undefined;
}

/** Returns the resources that must belong to one deployment only. */
function resourcesOf({ name, d1_databases, queues, ratelimits }: WranglerConfig): string[] {
  return [
    `name = "${name}"`,
    ...d1_databases
      .filter(({ database_id }) => !lacksId(database_id))
      .map(({ database_id }) => `database_id = "${database_id}"`),
    ...(queues.producers ?? []).map(({ queue }) => `the queue ${queue}`),
    ...(queues.consumers ?? []).map(({ queue }) => `the queue ${queue}`),
    ...ratelimits.map(({ namespace_id }) => `the namespace_id ${namespace_id}`),
  ];
}
