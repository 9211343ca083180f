import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../terminal/failure.ts';
import { queryRows, type Row, runStatements, runWrangler, storageFolderOf } from '../../terminal/wrangler.ts';
import { CODE_UPDATE_MAX_MS } from '../deploy/code-update.ts';
import { configFileOf, wranglerConfigOf } from '../deploy/deployment-config.ts';
import { setSecrets } from '../deploy/set-secrets.ts';
import { readInPages } from '../row-statements.ts';

/** Where the restored data comes from: the history of a deployed database, or a copy of the file of a local one. */
export type RestoreSource =
  /** `moment` is the option of wrangler that names the moment. */
  | { readonly type: 'history'; readonly environment: string; readonly moment: string }
  | { readonly type: 'copy'; readonly state: string; readonly file: string };

/** The database to restore. */
export interface RestoredDatabase {
  /** Names the restored moment or file. */
  readonly target: string;
  /** Returns all rows of a SELECT, whose rows the key tells apart. */
  read(select: string, key: readonly string[]): Promise<readonly Row[]>;
  /** Runs the statements in one transaction. */
  run(statements: readonly string[]): Promise<void>;
  /** Makes the service use the database no more. Waits until it does. */
  close(): Promise<void>;
  restore(): Promise<void>;
  /** Makes the service use the database again. */
  open(): Promise<void>;
}

/** Isolates have a new version within seconds, and every running object has it after this time. */
const CLOSE_MS = CODE_UPDATE_MAX_MS + 60_000;

/** Returns the database with this binding. */
export function openDatabase(shard: string, from: RestoreSource): RestoredDatabase {
  const options =
    from.type === 'history'
      ? ['--remote', '--config', configFileOf(from.environment)]
      : ['--local', '--persist-to', storageFolderOf(from.state)];
  const rowsOf = async (sql: string) => (await queryRows(sql, [shard, ...options])).flat();
  const common = {
    read: (select: string, key: readonly string[]) => readInPages(rowsOf, select, key),
    run: (statements: readonly string[]) => runStatements(statements, [shard, ...options]),
  };
  if (from.type === 'copy') {
    return {
      ...common,
      target: from.file,
      // A stopped Worker uses no database.
      close: async () => {},
      open: async () => {},
      restore: async () => replaceDatabase(from),
    };
  }
  const { environment, moment } = from;
  const name = databaseNameOf(environment, shard);
  return {
    ...common,
    target: moment,
    async close() {
      await setClosed(shard, environment);
      await sleep(CLOSE_MS);
    },
    async restore() {
      // With --json, wrangler asks for no confirmation.
      await runWrangler([
        'd1',
        'time-travel',
        'restore',
        name,
        moment,
        '--json',
        '--config',
        configFileOf(environment),
      ]);
    },
    // No database has this name.
    open: () => setClosed('none', environment),
  };
}

/** Returns the `database_name` of a shard. Throws Failure if the deployment does not bind the shard. */
function databaseNameOf(environment: string, shard: string): string {
  const name = wranglerConfigOf(environment).d1_databases.find(({ binding }) => binding === shard)?.database_name;
  if (name === undefined) throw new Failure(`the deployment ${environment} does not bind ${shard}`, 2);
  return name;
}

/** A new version of the Worker starts with the secret. */
const setClosed = (names: string, environment: string) => setSecrets(environment, { CLOSED_SHARDS: names });

/** Replaces the SQLite file of the local database, of which a localnet has one. */
function replaceDatabase({ state, file }: Extract<RestoreSource, { type: 'copy' }>): void {
  const folder = join(storageFolderOf(state), 'v3', 'd1', 'miniflare-D1DatabaseObject');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite');
  const [name] = names;
  if (name === undefined || names.length > 1) throw new Failure(`${folder} must have the file of one database`);
  for (const suffix of ['-wal', '-shm']) rmSync(join(folder, name + suffix), { force: true });
  copyFileSync(file, join(folder, name));
}
