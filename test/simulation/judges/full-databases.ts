import type { Asked } from '../world/requests.ts';
import type { World } from '../world/world.ts';

/** While D1 is full, and nothing else fails, the service answers about passes (docs/operators/runbook/a-shard-is-full.md). */

/** A sync asks the nodes too. */
const isAboutPasses = ({ path }: Asked): boolean => /^\/(pass|passes|verify)\b/.test(path) && !path.endsWith('/sync');

export function faultsOfFullDatabases({
  weather,
  crashes,
  incidents: { fullTimes, restores },
  requests,
}: World): string[] {
  // A restore closes the database for some minutes.
  if (fullTimes.length === 0 || restores.length > 0 || weather.hasDisturbed || crashes.hasCrashed) return [];
  const failed = requests.asked.filter(
    (each) =>
      isAboutPasses(each) &&
      (each.status ?? 0) >= 500 &&
      fullTimes.some(({ from, until }) => each.at >= from && each.at < until),
  );
  return failed.map(({ method, path, status }) => `${method} ${path} is answered with ${status} because D1 is full`);
}
