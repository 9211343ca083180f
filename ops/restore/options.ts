import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isShardName } from '../../src/config/shard-name.ts';

export const USAGE = `Usage: npm run restore -- --shard NAME --env NAME (--timestamp TIME | --bookmark BOOKMARK) [--yes]
       npm run restore -- --shard NAME --local --state DIR --file FILE [--yes]
Restores a database to an earlier moment, so that its event feeds use no sequence twice. It closes the database for the service,
restores it, raises the sequences, and opens it again. A stopped run continues with the same command.
--shard NAME     binding of the database: DB or like DB_1
--env NAME       block of wrangler.toml, for a deployed service
--timestamp TIME moment to return to: Unix seconds, or like 2026-07-01T00:00:00Z
--bookmark TEXT  the same as a bookmark of D1
--local          restores a database of a stopped \`npm run dev\`
--state DIR      its state folder; default: .dev/state
--file FILE      a copy of the SQLite file of its database
--yes            does not ask for confirmation
--help           prints this text`;

export interface RestoreOptions {
  readonly shard: string;
  readonly from: RestoreSource;
  readonly yes: boolean;
}

/** Where the restored data comes from: the history of a deployed database, or a copy of the file of a local one. */
export type RestoreSource =
  | { readonly type: 'history'; readonly environment: string; readonly moment: readonly string[] }
  | { readonly type: 'copy'; readonly state: string; readonly file: string };

/** Returns the parsed command line. Throws Failure on an invalid argument. */
export function parseRestoreOptions(args: readonly string[]): RestoreOptions {
  const { shard, env, timestamp, bookmark, local, state, file, yes } = parseValues(args);
  if (shard === undefined || local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (!isShardName(shard)) throw new Failure('--shard must be DB or like DB_1', 2);
  if (env === undefined) {
    if (file === undefined || timestamp !== undefined || bookmark !== undefined)
      throw new Failure('--local requires --file, and no moment', 2);
    return {
      shard,
      yes,
      from: { type: 'copy', state: resolve(state ?? resolve(PROJECT, '.dev', 'state')), file: resolve(file) },
    };
  }
  if (state !== undefined || file !== undefined) throw new Failure('--state and --file require --local', 2);
  if ((timestamp === undefined) === (bookmark === undefined))
    throw new Failure('--env requires --timestamp or --bookmark', 2);
  if (timestamp !== undefined && !/^\d{9,11}$/.test(timestamp) && Number.isNaN(Date.parse(timestamp)))
    throw new Failure('--timestamp must be Unix seconds, or like 2026-07-01T00:00:00Z', 2);
  const moment = timestamp === undefined ? [`--bookmark=${bookmark}`] : [`--timestamp=${timestamp}`];
  return { shard, yes, from: { type: 'history', environment: env, moment } };
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        shard: { type: 'string' },
        env: { type: 'string' },
        timestamp: { type: 'string' },
        bookmark: { type: 'string' },
        local: { type: 'boolean', default: false },
        state: { type: 'string' },
        file: { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${USAGE}`, 2);
  }
}
