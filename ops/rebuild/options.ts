import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isShardName } from '../../src/config/shard-name.ts';
import { parseServiceUrl } from '../service-url.ts';

export const USAGE = `Usage: npm run rebuild -- --shard NAME (--env NAME --url URL | --local [--localnet FILE])
                          [--ids FILE] [--parallel N] [--continue]
Brings a restored or emptied database back to the state of the pass objects.
--shard NAME     binding of the database: DB, or like DB_1
--env NAME       block of wrangler.toml; the ids of the objects come from Cloudflare's API, with CLOUDFLARE_ACCOUNT_ID and
                 CLOUDFLARE_API_TOKEN (permission: Workers Scripts Read)
--url URL        where the service answers, its base path included. The operator's token: GATEPASS_TOKEN, or
                 GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID, GATEPASS_CLIENT_SECRET and, where needed, GATEPASS_AUDIENCE,
                 GATEPASS_SCOPE
--local          rebuilds for a running \`npm run dev\`, which also knows the ids of its objects
--localnet FILE  describes that localnet, .dev/localnet.json by default
--ids FILE       takes the ids from a file with one on each line
--parallel N     slices under way at once, 1 to 32; 8 by default
--continue       continues a rebuild that was stopped, if the shard was not restored again since then
--help           prints this`;

export interface RebuildOptions {
  readonly shard: string;
  /** Name of the block; undefined: the service that runs on this machine. */
  readonly environment: string | undefined;
  /** Without a slash at its end; undefined: that of the localnet. */
  readonly url: string | undefined;
  readonly localnet: string;
  readonly idFile: string | undefined;
  readonly parallel: number;
  readonly continues: boolean;
}

/** Reads the command line; throws Failure on what is wrong with it. */
export function parseRebuildOptions(args: readonly string[]): RebuildOptions {
  const { shard, env, url, local, localnet, ids, parallel, continue: continues } = parseValues(args);
  if (shard === undefined || local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (!isShardName(shard)) throw new Failure('--shard must be DB, or like DB_1', 2);
  if (!local && url === undefined) throw new Failure('--env goes with --url', 2);
  if (!local && localnet !== undefined) throw new Failure('--localnet goes with --local', 2);
  if (!/^([1-9]|[12]\d|3[012])$/.test(parallel)) throw new Failure('--parallel must be a number from 1 to 32', 2);
  return {
    shard,
    environment: env,
    url: url === undefined ? undefined : parseServiceUrl(url),
    localnet: resolve(localnet ?? resolve(PROJECT, '.dev', 'localnet.json')),
    idFile: ids === undefined ? undefined : resolve(ids),
    parallel: Number(parallel),
    continues,
  };
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        shard: { type: 'string' },
        env: { type: 'string' },
        url: { type: 'string' },
        local: { type: 'boolean', default: false },
        localnet: { type: 'string' },
        ids: { type: 'string' },
        parallel: { type: 'string', default: '8' },
        continue: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${USAGE}`, 2);
  }
}
