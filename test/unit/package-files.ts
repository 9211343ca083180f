import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of `package.json` that name packages or allow install scripts. */
export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  /** The version of each package everywhere, or the versions of its own dependencies. */
  readonly overrides: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** The folders of the packages in this repository. */
  readonly workspaces: readonly string[];
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/** A package in `package-lock.json`. Its key is the folder of the installation, or `''` for the project itself. */
export interface Locked extends Partial<Manifest> {
  readonly version?: string;
  readonly name?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  /** Whether only the development needs it. */
  readonly dev?: boolean;
  /** Whether the development needs it, and others only as an option. */
  readonly devOptional?: boolean;
  readonly engines?: Readonly<Record<string, string>> | readonly string[];
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Locked>>;
}

const PROJECT = join(import.meta.dirname, '../..');

/** Returns the text of a file. The path is relative to the project's folder. */
export const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');

export const manifest = (): Manifest => JSON.parse(textOf('package.json'));
export const lockfile = (): Lockfile => JSON.parse(textOf('package-lock.json'));

/** Returns the `package.json` of a workspace, in which lists may be missing. */
export const manifestOf = (
  workspace: string,
): Partial<Manifest> & {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly publishConfig?: object;
} => JSON.parse(textOf(`${workspace}/package.json`));

/** Returns the name of the package in a folder: `@scure/base` for `node_modules/viem/node_modules/@scure/base`. */
export const nameOf = (folder: string) => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns the text below a heading of the second level. */
export function section(document: string, heading: string): string {
  const [, below = ''] = document.split(`\n## ${heading}\n`);
  return below.split('\n## ')[0] ?? '';
}

/** Returns the rows of the table under this heading row, as cells. */
function rowsOf(document: string, heading: string): string[][] {
  const [, below = ''] = document.split(`\n${heading}\n`);
  const [table = ''] = below.split('\n\n');
  return table.split('\n').flatMap((row) =>
    /^\| `/.test(row)
      ? [
          row
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ]
      : [],
  );
}

/** Returns `name version` for each package in the first cell, which has a name in backticks and a version after it. */
const namesIn = ([first = '']: readonly string[]) =>
  [...first.matchAll(/`([^`]+)` (\d\S*\d)/g)].map(([, name, version]) => `${name} ${version}`);

/** Returns the packages that `docs/dependencies.md` lists: the direct dependencies, and the transitive ones. */
export function documentedPackagesOf(document: string) {
  const chosen = rowsOf(document, '| package | for | instead of |');
  const along = rowsOf(document, '| package | through | for |');
  return {
    chosen: chosen.flatMap(namesIn),
    along: along.flatMap(namesIn),
    withoutReason: [...chosen, ...along].filter((cells) => cells.length !== 3 || cells.includes('')),
  };
}

/** The folders of our own packages, by their path in `node_modules`. */
export const workspaces: Readonly<Record<string, string>> = Object.fromEntries(
  manifest().workspaces.map((folder) => [`node_modules/${manifestOf(folder).name}`, folder]),
);

/** The folders in `test/packages/` whose packages only `npm run test:packages` installs. */
export const proofs: readonly string[] = readdirSync(join(PROJECT, 'test/packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
