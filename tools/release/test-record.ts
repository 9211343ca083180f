import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

/** The file of the record, relative to the project. */
export const RECORD_FILE = 'test/record.json';

/** The newest complete run of `npm run test:all`: its tree, its counts and its times. It is in the repository, and no part of the tree that it is about. */
export interface TestRecord {
  readonly commit: string;
  /** The tree that ran (`treeOf`); null if the checkout had changes that no commit has. */
  readonly tree: string | null;
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
  /** Seconds from the start of the run to its end. */
  readonly seconds: number;
  /** Seconds of each file: its setup, its imports and its tests. */
  readonly secondsByFile: Readonly<Record<string, number>>;
}

const git = (project: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: project, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Returns the hash of everything that a commit has but the record itself, so that a commit of the record has the same tree. */
export function treeOf(project: string, commit = 'HEAD'): string {
  const rows = git(project, 'ls-tree', '-r', '-z', commit).split('\0');
  const others = rows.filter((row) => !row.endsWith(`\t${RECORD_FILE}`));
  return createHash('sha256').update(others.join('\n')).digest('hex');
}

/** Returns the commit and the tree of the checkout, or null for its tree if it differs from its commit. */
export function checkedOut(project = PROJECT): { commit: string; tree: string | null } {
  const changed = git(project, 'status', '--porcelain', '--', '.', `:!${RECORD_FILE}`).trim() !== '';
  return { commit: git(project, 'rev-parse', 'HEAD').trim(), tree: changed ? null : treeOf(project) };
}

/** Returns the record of a checkout; undefined if it has none. */
export function readRecord(project = PROJECT): TestRecord | undefined {
  const file = join(project, RECORD_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** Returns why the record does not prove that the commit passes all tests; undefined if it does. */
export function recordFault(record: TestRecord | undefined, tree: string): string | undefined {
  if (record === undefined) return 'no run of `npm run test:all` is recorded';
  if (record.failed > 0) return `the recorded run of \`npm run test:all\` failed: ${record.failed} tests`;
  if (record.tree !== tree) return `\`npm run test:all\` ran on another tree, of commit ${record.commit.slice(0, 12)}`;
  return undefined;
}
