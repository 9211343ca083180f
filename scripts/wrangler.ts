import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child-process.ts';
import { Failure } from './failure.ts';

/** The folder of `wrangler.toml`. */
export const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));

/** What wrangler does beside its work is off: banner, update check, metrics, traces (which halve the throughput). */
export const QUIET_ENV = {
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  // Its program is large: compiled code that is kept saves every command a fifth of a second.
  NODE_COMPILE_CACHE: join(PROJECT, 'node_modules', '.cache', 'wrangler'),
} as const;

/** Where wrangler keeps D1 and the objects, in the folder given as `--state`. */
export function storageFolderOf(state: string): string {
  return join(state, 'wrangler');
}

interface WranglerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
}

/** Starts wrangler by its own program: `npx` and its wrapper would each put one more process in between. */
export function startWrangler(args: readonly string[], { env, onLine }: WranglerOptions = {}): Promise<Child> {
  const program = createRequire(import.meta.url).resolve('wrangler');
  // Else it looks for a file by itself, and takes others before this one: not that which was checked.
  const config = ['--config', join(PROJECT, 'wrangler.toml')];
  return startChild(process.execPath, ['--no-warnings', program, ...args, ...config], {
    cwd: PROJECT,
    env: { ...QUIET_ENV, ...env },
    ...(onLine && { onLine }),
  });
}

/** Runs one wrangler command to its end; what it printed comes back. Throws Failure with what wrangler complains of. */
export async function runWrangler(args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const child = await startWrangler(args, { onLine: (line) => lines.push(line) });
  const output = () => lines.join('\n');
  if ((await child.ended) === 0) return output();
  throw new Failure(`wrangler ${args.slice(0, 2).join(' ')}: ${complaintIn(output())}`);
}

/** What a database holds, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** The answer of a database to some SQL statements. */
export interface QueryAnswer {
  /** What each statement found, in order. */
  readonly rows: (readonly Row[])[];
  /** The size of the database; undefined: it is a local one, which reports none. */
  readonly bytes?: number | undefined;
}

/** Runs SQL statements. `database`: its binding, and where it is. */
export async function queryDatabase(sql: string, database: readonly string[]): Promise<QueryAnswer> {
  const answer = await runWrangler(['d1', 'execute', ...database, '--json', '--command', sql]);
  // What it has to say of its configuration comes before.
  const [json = answer] = /^\[$[\s\S]*^\]$/m.exec(answer) ?? [];
  const results = JSON.parse(json) as { results: Row[]; meta?: { size_after?: number } }[];
  return { rows: results.map((each) => each.results), bytes: results.at(-1)?.meta?.size_after };
}

/** What each of some SQL statements finds, in order. */
export async function queryRows(sql: string, database: readonly string[]): Promise<QueryAnswer['rows']> {
  return (await queryDatabase(sql, database)).rows;
}

/** Wrangler writes its errors as JSON (with `--json`), or marked among lines of advice. */
function complaintIn(output: string): string {
  const text = /"text": "(.*)"/.exec(output)?.[1] ?? /\[ERROR\]([\s\S]*?)(?:\n\s*\n\s*\n|$)/.exec(output)?.[1];
  return (text ?? output).replaceAll(/\s+/g, ' ').trim() || 'it failed without a word';
}
