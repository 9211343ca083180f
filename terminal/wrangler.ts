import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from './child-process.ts';
import { Failure } from './failure.ts';

/** The folder of `wrangler.toml`. */
export const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Switches off wrangler's extras: banner, update check, metrics, and traces, which halve the throughput. */
export const QUIET_ENV = {
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  // Wrangler is large: a cache of its compiled code saves every command a fifth of a second.
  NODE_COMPILE_CACHE: join(PROJECT, 'node_modules', '.cache', 'wrangler'),
} as const;

/** Megabytes for new objects from the start. With the default, collecting garbage takes a tenth of a short command's time. */
const NEW_OBJECTS_MB = 16;

/** Wrangler's own program. `npx` and its wrapper would each add a process in between. */
export const WRANGLER = createRequire(import.meta.url).resolve('wrangler');

/** Returns wrangler's functions. They take most of a second to load, so a command that needs none of them, like `--help`, starts without. */
export const loadWrangler = () => createRequire(import.meta.url)(WRANGLER) as typeof import('wrangler');

/** Returns the folder where wrangler stores D1 and the objects, inside the folder given as `--state`. */
export function storageFolderOf(state: string): string {
  return join(state, 'wrangler');
}

interface WranglerOptions {
  /** The configuration file, unless an argument names it. Default: the file of the project. */
  readonly config?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** A text that wrangler reads from the file `INPUT_FILE`. */
  readonly input?: string | undefined;
  readonly onLine?: (line: string) => void;
}

/** Starts wrangler's own program. */
export function startWrangler(
  args: readonly string[],
  { config = join(PROJECT, 'wrangler.toml'), env, input, onLine }: WranglerOptions = {},
): Promise<Child> {
  // Without the option, wrangler looks for a file itself and may prefer one that was not checked.
  const file = args.includes('--config') ? [] : ['--config', config];
  const flags = ['--no-warnings', `--min-semi-space-size=${NEW_OBJECTS_MB}`];
  return startChild(process.execPath, [...flags, WRANGLER, ...args, ...file], {
    cwd: PROJECT,
    env: { ...QUIET_ENV, ...env },
    input,
    ...(onLine && { onLine }),
  });
}

/** A wrangler command that failed, with wrangler's error message. */
export class WranglerFailure extends Failure {
  /** SQLite's most exact code, like `SQLITE_CONSTRAINT_UNIQUE`; undefined: the database did not fail. */
  readonly sqliteCode: string | undefined;
  /** The code of an error of Cloudflare's API; undefined: the API did not fail. */
  readonly apiCode: number | undefined;

  constructor(message: string) {
    super(message);
    const [, code] = /\[code: (\d+)\]/.exec(message) ?? [];
    this.apiCode = code === undefined ? undefined : Number(code);
    this.sqliteCode = message.match(/\bSQLITE_[A-Z_]+\b/g)?.at(-1);
  }
}

/**
 * Runs one wrangler command to its end and returns its output. Throws WranglerFailure.
 * @param input A text that wrangler reads from the file `INPUT_FILE`.
 */
export async function runWrangler(args: readonly string[], input?: string): Promise<string> {
  const lines: string[] = [];
  const child = await startWrangler(args, { input, onLine: (line) => lines.push(line) });
  const output = () => lines.join('\n');
  if ((await child.ended) === 0) return output();
  throw new WranglerFailure(`wrangler ${args.slice(0, 2).join(' ')}: ${complaintIn(output())}`);
}

/** Runs a wrangler command that prints JSON, and returns the value. Throws WranglerFailure. */
export async function runWranglerForJson(args: readonly string[]): Promise<unknown> {
  const printed = await runWrangler(args);
  // Notes about the configuration may precede the JSON.
  const [json = printed] = /^[[{]$[\s\S]*?^[\]}]$|^\[\]$/m.exec(printed) ?? [];
  try {
    return JSON.parse(json);
  } catch {
    throw new WranglerFailure(`wrangler ${args.slice(0, 2).join(' ')}: it printed no JSON`);
  }
}

/** A row of a database, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** The answer of a database to some SQL statements. */
export interface QueryAnswer {
  /** The rows that each statement found, in order. */
  readonly rows: (readonly Row[])[];
  /** The size of the database; undefined for a local database, which reports none. */
  readonly bytes?: number | undefined;
}

/** Runs SQL statements and returns their rows. `database` has the binding and the options that locate the database. */
export async function queryDatabase(sql: string, database: readonly string[]): Promise<QueryAnswer> {
  const answer = await runWranglerForJson(['d1', 'execute', ...database, '--json', '--command', sql]);
  const results = answer as { results: Row[]; meta?: { size_after?: number } }[];
  return { rows: results.map((each) => each.results), bytes: results.at(-1)?.meta?.size_after };
}

/** Returns the rows that each of the SQL statements finds, in order. */
export async function queryRows(sql: string, database: readonly string[]): Promise<QueryAnswer['rows']> {
  return (await queryDatabase(sql, database)).rows;
}

/**
 * Runs SQL statements without results in one transaction. A file has room for any number of them, unlike an argument. A deployed
 * database answers no other query meanwhile.
 */
export async function runStatements(statements: readonly string[], database: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-sql-'));
  try {
    const file = join(folder, 'statements.sql');
    writeFileSync(file, statements.map((statement) => `${statement};\n`).join(''), { mode: 0o600 });
    await runWrangler(['d1', 'execute', ...database, '--json', '--file', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns wrangler's error message. Wrangler writes it as JSON (with `--json`, and with notes), or with a mark among lines of advice. */
function complaintIn(output: string): string {
  const texts = [...output.matchAll(/"text": "(.*)"/g)].map(([, said]) => said);
  const text = texts.length > 0 ? texts.join(' ') : /\[ERROR\]([\s\S]*?)(?:\n\s*\n\s*\n|$)/.exec(output)?.[1];
  return (
    (text ?? output).replaceAll(/\s+/g, ' ').trim() ||
    'it failed without a message; run the command by hand to see more'
  );
}
