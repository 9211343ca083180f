import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../terminal/wrangler.ts';
import type { Outcome } from './measure.ts';

/** The newest results, by measure. */
export interface Results {
  readonly machine: { readonly processor: string; readonly cores: number; readonly memory: string };
  readonly versions: Readonly<Record<string, string>>;
  readonly measures: Readonly<Record<string, MeasureResult>>;
}

export interface MeasureResult {
  /** When the run ended (ISO 8601), and its commit. */
  readonly at: string;
  readonly commit: string;
  readonly quick: boolean;
  readonly seconds: number;
  readonly outcomes: readonly Outcome[];
}

const RESULTS = join(PROJECT, 'tools', 'bench', 'results.json');

export async function readResults(file = RESULTS): Promise<Results | undefined> {
  return readFile(file, 'utf8').then(JSON.parse, () => undefined);
}

/** Stores the measured results, and leaves those of other measures. */
export async function storeResult(name: string, result: MeasureResult, file = RESULTS): Promise<void> {
  const before = await readResults(file);
  const measures = { ...before?.measures, [name]: result };
  const results: Results = { machine: describeMachine(), versions: readVersions(), measures };
  await writeFile(file, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Returns the measured commit, with a mark if files differ from it. */
export function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : ' and changes');
  } catch {
    return 'unknown';
  }
}

function describeMachine(): Results['machine'] {
  const all = cpus();
  return {
    processor: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  };
}

function readVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const ofWrangler = createRequire(require.resolve('wrangler'));
  return {
    node: process.versions.node,
    wrangler: require('wrangler/package.json').version,
    workerd: ofWrangler('workerd/package.json').version,
  };
}
