import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative, resolve } from 'node:path';

const PROJECT = dirname(import.meta.dirname);

const PATTERNS = readFileSync(join(PROJECT, '.gitignore'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.replace(/\/$/, ''));
/** Names and paths that a clone does not have: the folder of git, and the patterns in `.gitignore`. */
const IGNORED = ['.git', ...PATTERNS.filter((line) => !line.startsWith('!'))];
/** Names that a clone has, although a pattern before ignores them. */
const KEPT = PATTERNS.filter((line) => line.startsWith('!')).map((line) => line.slice(1));

/** Whether a clone lacks the file or folder, whose path may begin in the project's folder. Needs no git, so that it also works in an unpacked archive. */
export function isIgnored(path: string): boolean {
  const name = basename(path);
  if (KEPT.includes(name)) return false;
  const place = relative(PROJECT, resolve(PROJECT, path));
  return IGNORED.some((pattern) => matchesGlob(pattern.includes('/') ? place : name, pattern));
}

/** Returns the files of the project that match the glob, as paths from the project's folder, sorted. */
export function projectFiles(glob: string): string[] {
  return globSync(glob, { cwd: PROJECT, exclude: isIgnored })
    .map(String)
    .filter((file) => !isIgnored(file))
    .sort();
}
