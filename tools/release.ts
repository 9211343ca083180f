/** `npm run release -- VERSION`: names a release: its file, the changelog, the version of the code, a commit and a tag. */
import { execFileSync, execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readDeployedParts } from '../ops/deploy/deployed-parts.ts';
import {
  EMPTY_NEXT,
  nextFile,
  type Release,
  readNextRelease,
  readReleases,
  releaseFile,
} from '../ops/deploy/release-file.ts';
import { SECRET_NAMES } from '../ops/deploy/secret-names.ts';
import { compareVersions, isVersion } from '../ops/deploy/version.ts';
import { factFaults, factsAt } from '../ops/facts/network-facts.ts';
import { nowSeconds, SECOND_MS, type UnixSeconds } from '../src/lib/units.ts';
import { npmCommand, type Run, runNpmCommand } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import { print } from '../terminal/print.ts';
import { PROJECT } from '../terminal/wrangler.ts';
import { notesOf, READERS, releaseChangelog } from './release/changelog.ts';
import { releaseFaults } from './release/release-faults.ts';
import { RECORD_FILE, readRecord, recordFault, treeOf } from './release/test-record.ts';

interface ReleaseOptions {
  readonly version: string;
  readonly dryRun: boolean;
  readonly notes: boolean;
}

export const releaseCommand = (run: Run<ReleaseOptions>): Command =>
  npmCommand('release', 'Names a release: writes its file and its version, commits and tags.')
    .argument('<version>', 'like 1.2.3, or 1.2.3-rc.4 for a candidate')
    .option('--dry-run', 'checks everything, and changes nothing', false)
    .option('--notes', 'prints the notes of a release by reader, and changes nothing', false)
    .action((version: string, options: Omit<ReleaseOptions, 'version'>) => run({ version, ...options }));

export const runReleaseCommand = (
  args: readonly string[],
  project = PROJECT,
  now: UnixSeconds = nowSeconds(),
): Promise<number> =>
  runNpmCommand(
    releaseCommand(({ version, dryRun, notes }) => {
      if (!isVersion(version)) throw new Failure(`"${version}" must be like 1.2.3 or 1.2.3-rc.4`, 2);
      if (notes) print(...notesText(project, version).split('\n'));
      else nameRelease(project, version, dryRun, now);
    }),
    args,
  );

const FACTS_FILE = 'ops/facts/network-facts.ts';
const FORMAT = 'npx --no-install biome format --write ops/releases';

/** Writes everything in one commit with a tag, or nothing. */
function nameRelease(project: string, version: string, isDryRun: boolean, now: UnixSeconds): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  if (git('status', '--porcelain') !== '')
    throw new Failure('commit or stash your changes first: a release is a commit');
  if (git('tag', '--list', `v${version}`) !== '') throw new Failure(`the tag v${version} exists`);
  const release = planRelease(project, version);
  const changelog = releaseChangelog(
    read(project, 'CHANGELOG.md'),
    version,
    new Date(now * SECOND_MS).toISOString().slice(0, 10),
  );
  const [stale, ...others] = factFaults(factsAt(now), now);
  if (stale !== undefined)
    throw new Failure(
      `${stale}${others.length > 0 ? `, and ${others.length} more` : ''}. Check it, and write the day to ${FACTS_FILE}`,
    );
  const fault = recordFault(readRecord(project), treeOf(project));
  if (fault !== undefined) throw new Failure(`${fault}. Run it, and commit ${RECORD_FILE}`);
  if (isDryRun) return print(`${version} can be released after ${release.previous ?? 'nothing'}. Nothing was changed.`);
  const head = git('rev-parse', 'HEAD');
  try {
    writeVersion(project, version);
    write(project, 'CHANGELOG.md', changelog);
    write(project, releaseFile(version), json(release));
    write(project, nextFile(), json(EMPTY_NEXT));
    // The documents that state the version, and the format of the files above.
    for (const command of ['npm run openapi', 'npm run collection', 'npm run types -w @gatepass/client', FORMAT])
      execSync(command, { cwd: project, stdio: 'pipe' });
    git('add', '--all');
    git('commit', '--quiet', '--message', `release: name ${version}`);
    git('tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', notesText(project, version));
  } catch (error) {
    git('reset', '--quiet', '--hard', head);
    rmSync(join(project, releaseFile(version)), { force: true });
    throw error;
  }
  print(`Released ${version}: one commit and the tag v${version}. Publish both: git push --follow-tags`);
}

/** Returns the content of the release's file. Throws Failure if the release cannot follow the one before. */
function planRelease(project: string, version: string): Release {
  const newest = readReleases(project).at(-1);
  if (newest !== undefined && compareVersions(newest.version, version) >= 0)
    throw new Failure(`${version} must be newer than ${newest.version}`);
  const next = readNextRelease(project);
  const unsaid = Object.entries(next.meaning).flatMap(([reader, text]) => (text.trim() === '' ? [reader] : []));
  if (unsaid.length > 0)
    throw new Failure(`${nextFile()}: meaning must say what the release means for ${unsaid.join(', ')}`);
  const parts = readDeployedParts(project, SECRET_NAMES);
  const faults = newest === undefined ? [] : releaseFaults(newest.parts, parts, next);
  if (faults.length > 0) throw new Failure(`${nextFile()}: ${faults.join('\n')}`);
  return { version, previous: newest?.version ?? null, ...next, parts };
}

/** Writes the version to the files that state it. */
function writeVersion(project: string, version: string): void {
  for (const file of ['package.json', 'package-lock.json']) {
    const own = JSON.parse(read(project, file));
    own.version = version;
    if (own.packages) own.packages[''].version = version;
    write(project, file, json(own));
  }
  const code = 'src/config/release.ts';
  write(
    project,
    code,
    read(project, code).replace(/^export const RELEASE = '.*';$/m, `export const RELEASE = '${version}';`),
  );
}

/** Returns the notes of a release: its meaning and its changes for each reader, and what the operator does. */
function notesText(project: string, version: string): string {
  const release = readReleases(project).find((each) => each.version === version);
  if (release === undefined) throw new Failure(`there is no ${releaseFile(version)}`);
  const changes = notesOf(read(project, 'CHANGELOG.md'), version);
  const { meaning, operatorSteps } = release;
  const sections = READERS.flatMap((reader) => {
    const key = reader.toLowerCase() as keyof typeof meaning;
    const steps = reader === 'Operators' ? stepsText(operatorSteps) : [];
    const list = changes.get(reader);
    return [`## ${reader}`, meaning[key], ...steps, ...(list === undefined ? [] : [list])];
  });
  return [`# Gatepass ${version}`, ...sections].join('\n\n');
}

const stepsText = (steps: readonly string[]) =>
  steps.length === 0
    ? ['An operator runs `npm run deploy`, and nothing else.']
    : ['An operator does this, in this order:', steps.map((step, at) => `${at + 1}. ${step}`).join('\n')];

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
const read = (project: string, file: string) => readFileSync(join(project, file), 'utf8');
const write = (project: string, file: string, text: string) => writeFileSync(join(project, file), text);

if (import.meta.main) process.exitCode = await runReleaseCommand(process.argv.slice(2));
