import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { projectFiles } from '../project-files.ts';

const PROJECT = dirname(dirname(import.meta.dirname));
const BUILDER = join(PROJECT, 'tools', 'site', 'build-site.ts');
/** Finished sites by the hash of their sources. A build takes seconds, and every start of `wrangler dev` or of a test needs one. */
const CACHE = join(PROJECT, 'node_modules', '.cache', 'gatepass-site');
/** The number of sites that the cache keeps. */
const CACHE_MAX = 8;

/** Everything that decides the content of the partners' site. The lockfile has the versions of the generator. */
const SOURCES = [
  'docs/partners/*.md',
  'docs/partners/openapi.json',
  'docs/partners/pictures/*',
  'pages/docs/**/*',
  'tools/site/*.ts',
  'tools/assets/site.ts',
  'CHANGELOG.md',
  'package.json',
  'package-lock.json',
];

/** Returns the files of the partners' site by their path under `/docs`. Builds the site if its sources have changed. */
export function siteFiles(): ReadonlyMap<string, Buffer> {
  const folder = join(CACHE, hashOfSources());
  if (!existsSync(folder)) buildInto(folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [relative(folder, file).replaceAll(sep, '/'), readFileSync(file)];
    }),
  );
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(projectFiles).filter((name) => /\.\w+$/.test(name))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(PROJECT, file)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 24);
}

/** Builds into a temporary folder and renames it, because another process may build the same site at the same time. */
function buildInto(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const temporary = mkdtempSync(join(CACHE, 'unfinished-'));
  // The generator chooses the environment of its own process, and would complain about that of `wrangler dev`.
  const { NODE_ENV: _, ...env } = process.env;
  try {
    execFileSync(process.execPath, [BUILDER, 'partners', temporary], { env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`the site of the documents cannot be built:\n${stdout}${stderr}`, { cause: error });
  }
  try {
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  removeOldSites(folder);
}

/** Keeps some sites: clones of the project may share the cache. A process that loses its site builds it again. */
function removeOldSites(newest: string): void {
  const sites = readdirSync(CACHE).filter((name) => /^[0-9a-f]{24}$/.test(name) && join(CACHE, name) !== newest);
  for (const name of sites.slice(0, Math.max(0, sites.length - CACHE_MAX + 1))) {
    rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}
