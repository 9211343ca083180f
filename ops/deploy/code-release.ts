import { execFileSync } from 'node:child_process';
import { RELEASE } from '../../src/config/release.ts';
import { PROJECT } from '../../terminal/wrangler.ts';
import { readNextRelease, readReleases } from './release-file.ts';

/** The release of a checkout. */
export interface CodeRelease {
  readonly release: string;
  /** The release before; undefined: this is the first one. */
  readonly previous: string | undefined;
  /** The commit, with `-changed` if files differ from it; `unknown` without git. */
  readonly commit: string;
  /** The name that Cloudflare shows for the version: the release, or the release and the commit of code after it. */
  readonly tag: string;
  /** The operator's work when the release follows the one before, in this order. */
  readonly operatorSteps: readonly string[];
}

/** Returns the release of this checkout. */
export function readCodeRelease(project = PROJECT, release = RELEASE): CodeRelease {
  const releases = readReleases(project);
  // Code that has no file yet is the candidate after the newest release.
  const own = releases.find(({ version }) => version === release);
  const { operatorSteps } = own ?? readNextRelease(project);
  const previous = own === undefined ? releases.at(-1)?.version : (own.previous ?? undefined);
  const commit = commitOf(project);
  const isTagged = gitOutput(project, 'tag', '--points-at', 'HEAD')?.split('\n').includes(`v${release}`);
  const isExact = commit === 'unknown' || (isTagged && !commit.endsWith('-changed'));
  return { release, previous, commit, tag: isExact ? release : `${release}-${commit}`, operatorSteps };
}

function commitOf(project: string): string {
  const commit = gitOutput(project, 'rev-parse', '--short=10', 'HEAD');
  if (commit === undefined) return 'unknown';
  return gitOutput(project, 'status', '--porcelain') === '' ? commit : `${commit}-changed`;
}

function gitOutput(project: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // There is no git, or the code is no repository.
    return undefined;
  }
}

/** Variables of a deployed version. A change of a secret makes a version without a tag, but with these. */
export const RELEASE_VARIABLES = { release: 'RELEASE', previous: 'RELEASE_BEFORE', commit: 'COMMIT' } as const;

/** Returns the arguments with which `wrangler deploy` and `wrangler versions upload` name a version. */
export function namingArgs({ release, previous, commit, tag }: CodeRelease): string[] {
  return [
    ...['--tag', tag, '--message', `Gatepass ${release}, commit ${commit}`],
    ...['--var', `${RELEASE_VARIABLES.release}:${release}`, '--var', `${RELEASE_VARIABLES.previous}:${previous ?? ''}`],
    ...['--var', `${RELEASE_VARIABLES.commit}:${commit}`],
  ];
}
