import type { Unstable_Config as WranglerConfig } from 'wrangler';
import { isTemplateId } from './environment-block.ts';

/** What the block has that another one has too, by the names of those: a release of one would touch the other. */
export function sharedResourceFault(
  block: WranglerConfig,
  others: Readonly<Record<string, WranglerConfig>>,
): string | undefined {
  for (const [name, other] of Object.entries(others)) {
    const theirs = resourcesOf(other);
    const shared = resourcesOf(block).find((each) => theirs.includes(each));
    if (shared) return `has ${shared}, which is that of [env.${name}]`;
  }
  return undefined;
}

/** What belongs to one deployment. */
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
