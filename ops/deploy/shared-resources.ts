import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isTemplateId } from './environment-block.ts';

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
