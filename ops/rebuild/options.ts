import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isShardName } from '../../src/config/shard-name.ts';
import { parseServiceUrl } from '../service-url.ts';

export const USAGE = `Usage: npm run rebuild -- --shard NAME (--env NAME --url URL | --local [--localnet FILE])
                          [--ids FILE] [--parallel N] [--continue]
Updates a restored or emptied database from the pass objects.
--shard NAME     binding of the database: DB or like DB_1
--env NAME       block of wrangler.toml. The ids of the objects come from Cloudflare's API: set CLOUDFLARE_ACCOUNT_ID and
                 CLOUDFLARE_API_TOKEN (permission: Workers Scripts Read)
--url URL        URL of the service, including its base path. For the operator's token, set GATEPASS_TOKEN, or
                 GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET. If your issuer needs them, also
                 set GATEPASS_AUDIENCE and GATEPASS_SCOPE
--local          rebuilds a database of a running \`npm run dev\`, and reads the ids from its state folder
--localnet FILE  file that describes the localnet; default: .dev/localnet.json
--ids FILE       reads the ids from a file with one id per line
--parallel N     number of parallel requests, 1 to 32; default: 8
--continue       continues a stopped rebuild. Do not use it if the shard was restored again since then
--help           prints this text`;

export interface RebuildOptions {
  readonly shard: string;
  /** Name of the block; undefined: the localnet. */
  readonly environment: string | undefined;
  /** Without a slash at its end; undefined: the URL of the localnet. */
  readonly url: string | undefined;
  readonly localnet: string;
  readonly idFile: string | undefined;
  readonly parallel: number;
  readonly continues: boolean;
}

/** Returns the parsed command line. Throws Failure on an invalid argument. */
export function parseRebuildOptions(args: readonly string[]): RebuildOptions {
  const { shard, env, url, local, localnet, ids, parallel, continue: continues } = parseValues(args);
  if (shard === undefined || local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (!isShardName(shard)) throw new Failure('--shard must be DB or like DB_1', 2);
  if (!local && url === undefined) throw new Failure('--env requires --url', 2);
  if (!local && localnet !== undefined) throw new Failure('--localnet requires --local', 2);
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
