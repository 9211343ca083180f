import type { Unstable_Config as WranglerConfig } from 'wrangler';

/** What the block has that another one has too, by the names of those: a release of one would touch the other. */
export function sharedFault(
  block: WranglerConfig,
  others: Readonly<Record<string, WranglerConfig>>,
): string | undefined {
  for (const [name, other] of Object.entries(others)) {
    const theirs = ownOf(other);
    const shared = ownOf(block).find((each) => theirs.includes(each));
    if (shared) return `has ${shared}, which is that of [env.${name}]`;
  }
  return undefined;
}

/** What belongs to one deployment. */
function ownOf({ name, d1_databases, queues, ratelimits }: WranglerConfig): string[] {
  return [
    `name = "${name}"`,
    ...d1_databases
      .map(({ database_id }) => `database_id = "${database_id}"`)
      .filter((id) => !OF_THE_TEMPLATE.test(id)),
    ...(queues.producers ?? []).map(({ queue }) => `queue = "${queue}"`),
    ...(queues.consumers ?? []).map(({ queue }) => `queue = "${queue}"`),
    ...ratelimits.map(({ namespace_id }) => `namespace_id = "${namespace_id}"`),
  ];
}

/** Each block has it until it is given one: it is found out by itself. */
const OF_THE_TEMPLATE = /"[0-]*"$/;
