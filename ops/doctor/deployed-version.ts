import { type CodeRelease, readCodeRelease } from '../deploy/code-release.ts';
import { configFileOf } from '../deploy/deployment-config.ts';
import { isNewestAlone } from '../deploy/secret-change-fault.ts';
import { compareVersions } from '../deploy/version.ts';
import {
  type RecentVersion,
  type RunningVersion,
  readRecentVersions,
  readRunningVersions,
} from '../deploy/worker-versions.ts';
import { check, type Finding, notice, ok, skip, type Verdict } from './check.ts';

/** Wrangler starts slowly, and runs once for each version. */
const TIMEOUT_MS = 60_000;

/** Compares the versions that answer requests with this checkout and with the newest secrets. It never fails the doctor. */
export async function checkDeployedVersion(environment: string): Promise<Finding[]> {
  const read = readVersions(configFileOf(environment)).catch((fault: Error) => fault);
  const judge = async (verdict: (versions: Versions) => Verdict) => {
    const versions = await read;
    if (versions instanceof Error) return skip(`Cloudflare does not show the versions (${versions.message})`);
    return versions.running.length === 0 ? skip('nothing is deployed yet') : verdict(versions);
  };
  return Promise.all([
    check('version, template', () => judge(({ running }) => templateVerdict(running, readCodeRelease())), TIMEOUT_MS),
    check('version, secrets', () => judge(secretsVerdict), TIMEOUT_MS),
  ]);
}

interface Versions {
  readonly running: readonly RunningVersion[];
  /** The newest first. */
  readonly recent: readonly RecentVersion[];
}

async function readVersions(config: string): Promise<Versions> {
  const running = await readRunningVersions(config);
  return { running, recent: running.length === 0 ? [] : await readRecentVersions(config) };
}

/** Judges whether this checkout, whose template and checks the doctor uses, is older than the code that runs. */
export function templateVerdict(
  running: readonly Pick<RunningVersion, 'id' | 'release'>[],
  { release: own }: Pick<CodeRelease, 'release'>,
): Verdict {
  const unnamed = running.find(({ release }) => release === undefined);
  if (unnamed !== undefined)
    return notice(`the version ${unnamed.id} has no release -> deploy with \`npm run deploy\`, which names it`);
  const releases = running.map(({ release = '' }) => release).toSorted(compareVersions);
  const newest = releases.at(-1) ?? '';
  if (compareVersions(own, newest) < 0)
    return notice(
      `release ${newest} runs, and the template of this checkout is of ${own} -> git checkout v${newest} && npm ci, before you deploy or change anything`,
    );
  return ok(`${[...new Set(releases)].join(' and ')} runs, and the template of this checkout is of ${own}`);
}

/** Judges whether the code runs with the secrets that it was released with, and with the newest ones. */
export function secretsVerdict({ running, recent }: Versions): Verdict {
  const [one, other] = running;
  const isRunning = (id: string) => running.some((each) => each.id === id);
  if (one !== undefined && other !== undefined && namesOf(one) !== namesOf(other))
    return notice(
      `the versions ${one.id} and ${other.id} answer with different secrets -> end the gradual deployment with \`npm run deploy\` or \`npm run rollback\``,
    );
  // A rollback, or an upload from before the change, runs without it.
  const newest =
    running
      .map(({ createdOn }) => createdOn)
      .toSorted()
      .at(-1) ?? '';
  const missed = recent.find(
    ({ id, isSecretChange, createdOn }) => isSecretChange && !isRunning(id) && createdOn > newest,
  );
  if (missed !== undefined)
    return notice(
      `a secret was changed at ${missed.createdOn}, and the running version is older -> deploy again, with the secrets of now`,
    );
  const changed = running.find(({ isSecretChange }) => isSecretChange);
  if (changed !== undefined)
    return notice(
      `a secret was changed at ${changed.createdOn}, after the last release: a rollback would undo that -> deploy again, so that one version has the code and the secrets`,
    );
  if (!isNewestAlone(running, recent))
    return notice(
      `the newest version ${recent[0]?.id} does not answer all requests: Cloudflare changes no secret, and \`npm run emergency\` fails -> deploy the code that shall run`,
    );
  return ok('no secret was changed after the release');
}

const namesOf = ({ secrets }: Pick<RunningVersion, 'secrets'>) => [...secrets].sort().join(' ');
