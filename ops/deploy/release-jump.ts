import type { CodeRelease } from './code-release.ts';
import { compareVersions } from './version.ts';
import type { RunningVersion } from './worker-versions.ts';

/** The flag with which an operator takes responsibility. */
export const ANY_RELEASE = '--any-release';

/**
 * Returns why code must not run beside the versions that answer requests, or undefined if it may. A release works with the stored
 * data, the messages and the calls of the release before and of the release after, and of no other.
 */
export function jumpFault(code: CodeRelease, running: readonly RunningVersion[]): string | undefined {
  for (const { id, release, previous } of running) {
    if (release === undefined)
      return (
        `the running version ${id} does not say its release, so nobody knows whether ${code.release} can follow it. ` +
        `If you know that it can, add ${ANY_RELEASE}`
      );
    const isNeighbor = [code.release, code.previous].includes(release) || previous === code.release;
    if (isNeighbor) continue;
    return compareVersions(release, code.release) < 0
      ? `release ${release} runs, and ${code.release} can only follow ${code.previous ?? 'nothing'}: deploy the releases between them first, one after the other`
      : `release ${release} runs, which follows ${previous ?? 'nothing'}: to return to ${code.release}, deploy the releases between them first, one after the other`;
  }
  return undefined;
}
