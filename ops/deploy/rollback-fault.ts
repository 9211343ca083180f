import type { RecentVersion, RunningVersion, WorkerVersion } from './worker-versions.ts';

/**
 * Returns why the deployment must not return to a version, or undefined if it may:
 * - it is not the neighbor of each running release
 * - it has fewer classes of Durable Objects, which Cloudflare refuses too
 * - a secret has changed since, or a key has been retired since: the version would undo that
 *
 * @param recent The newest versions, the newest first.
 */
export function rollbackFault(
  target: WorkerVersion,
  running: readonly RunningVersion[],
  recent: readonly RecentVersion[],
): string | undefined {
  for (const { release, previous } of running) {
    const isNeighbor = [target.release, target.previous].includes(release) || previous === target.release;
    if (release === undefined || !isNeighbor)
      return `release ${release ?? '(unknown)'} runs, and ${target.release} is not the release before it`;
  }
  const migrated = running.find(({ classes }) => classes !== target.classes);
  if (migrated)
    return `the running version has the classes up to ${migrated.classes ?? 'none'}, and ${target.release} has those up to ${target.classes ?? 'none'}`;
  const changed = recent.find(({ createdOn, isSecretChange }) => isSecretChange && createdOn > target.createdOn);
  if (changed) return `a secret has changed since (version ${changed.id}), and the older version would undo that`;
  const added = running.flatMap(({ secrets }) => secrets).find((name) => !target.secrets.includes(name));
  if (added) return `the older version lacks the secret ${added}`;
  const retired = (version: WorkerVersion) =>
    (version.variables.RETIRED_GATEKEEPERS ?? '').split(/\s+/).filter(Boolean);
  const lost = running.flatMap(retired).find((key) => !retired(target).includes(key));
  if (lost) return `the older version lacks ${lost} in RETIRED_GATEKEEPERS`;
  return undefined;
}
