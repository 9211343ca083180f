import type { RecentVersion, RunningVersion } from './worker-versions.ts';

/** Returns the command line that makes the code of a release the newest version. The version gets the secrets of today. */
export const codeAgain = (deployment: string, release: string | undefined): string =>
  `${release === undefined ? '' : `git checkout v${release} && npm ci && `}npm run deploy -- --env ${deployment}`;

/** Whether the newest version answers all requests. Only then, Cloudflare changes a secret. */
export const isNewestAlone = (
  running: readonly Pick<RunningVersion, 'id'>[],
  [newest]: readonly Pick<RecentVersion, 'id'>[],
): boolean => running.length === 1 && running[0]?.id === newest?.id;

/**
 * Returns why Cloudflare changes no secret of a deployment now, and the way out, or undefined if the versions are no reason. The change makes
 * a version from the newest one, so the newest one has to answer all requests. It does not after a rollback, nor in a gradual deployment.
 * @param recent The newest versions, the newest first.
 */
export function secretChangeFault(
  deployment: string,
  running: readonly RunningVersion[],
  recent: readonly RecentVersion[],
): string | undefined {
  const [most] = running.toSorted((a, b) => b.percentage - a.percentage);
  if (most === undefined || isNewestAlone(running, recent)) return undefined;
  return (
    `Cloudflare changes no secret until the newest version, now ${recent[0]?.id}, answers all requests. Deploy the code that shall run, ` +
    `which makes it the newest version, and repeat this command: ${codeAgain(deployment, most.release)}`
  );
}
