import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../../terminal/failure.ts';
import { DeployedParts } from './deployed-parts.ts';
import { compareVersions, isVersion } from './version.ts';

const Sentence = v.pipe(v.string(), v.trim(), v.minLength(1));

/** The part that exists before a release has a name. */
const PLAN = {
  /** The meaning of the release for each reader, in a sentence or two. */
  meaning: v.strictObject({ partners: Sentence, operators: Sentence, developers: Sentence }),
  /** The operator's work beyond `npm run deploy`, in this order. */
  operatorSteps: v.array(Sentence),
  /** No deployment becomes this release, so nobody rolls back past it. */
  isNewDeployment: v.optional(v.literal(true)),
};

/** The content of `ops/releases/next.json`. It is empty after a release, and grows with the changes that need it. */
export const NextRelease = v.strictObject({
  meaning: v.strictObject({ partners: v.string(), operators: v.string(), developers: v.string() }),
  operatorSteps: PLAN.operatorSteps,
  isNewDeployment: PLAN.isNewDeployment,
});
export type NextRelease = v.InferOutput<typeof NextRelease>;

/** The content of `ops/releases/VERSION.json`, which never changes after the release. */
export const Release = v.strictObject({
  version: v.pipe(v.string(), v.check(isVersion, 'must be like 1.2.3 or 1.2.3-rc.4')),
  /** The release before, or null for the first one. */
  previous: v.nullable(v.string()),
  ...PLAN,
  parts: DeployedParts,
});
export type Release = v.InferOutput<typeof Release>;

export const EMPTY_NEXT: NextRelease = {
  meaning: { partners: '', operators: '', developers: '' },
  operatorSteps: [],
};

const FOLDER = 'ops/releases';
const NEXT = join(FOLDER, 'next.json');

/** Returns the path of a release's file in a checkout. */
export const releaseFile = (version: string): string => join(FOLDER, `${version}.json`);
export const nextFile = (): string => NEXT;

/** Returns the releases of a checkout, oldest first. Throws Failure if a file is invalid or the chain of releases is broken. */
export function readReleases(project: string): Release[] {
  const folder = join(project, FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => isVersion(basename(file, '.json'))) : [];
  const releases = files.map((file) => parse(Release, project, join(FOLDER, file)));
  const sorted = releases.toSorted((a, b) => compareVersions(a.version, b.version));
  for (const [at, { version, previous }] of sorted.entries()) {
    const before = sorted[at - 1]?.version ?? null;
    if (!files.includes(`${version}.json`))
      throw new Failure(`${FOLDER}: a file does not have the name ${version}.json`);
    if (previous !== before) throw new Failure(`${releaseFile(version)}: previous must be ${before ?? 'null'}`);
  }
  return sorted;
}

/** Returns what the next release needs so far. Throws Failure if the file is invalid. */
export const readNextRelease = (project: string): NextRelease => parse(NextRelease, project, NEXT);

function parse<Schema extends v.GenericSchema>(schema: Schema, project: string, file: string): v.InferOutput<Schema> {
  const result = v.safeParse(schema, readJson(join(project, file), file));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Failure(`${file}: ${v.getDotPath(issue) ?? 'it'}: ${issue.message}`);
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Failure(`${name}: ${(error as Error).message}`);
  }
}
