import type { RunningVersion } from './worker-versions.ts';

/**
 * Returns why a release cannot share the requests with the versions that run, or undefined if it can. A gradual deployment divides them
 * between two versions with the same classes of Durable Objects.
 */
export function gradualFault(
  classes: string | undefined,
  running: readonly Pick<RunningVersion, 'classes'>[],
): string | undefined {
  const [only] = running;
  if (only === undefined) return '--percent needs a running release: deploy the first one without it';
  if (running.length > 1)
    return 'a gradual deployment runs already: end it without --percent, or with `npm run rollback`';
  if (only.classes !== classes)
    return `the release migrates the classes of Durable Objects to ${classes}: deploy it without --percent`;
  return undefined;
}
