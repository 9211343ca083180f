import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { solanaAddress } from '../../src/network/wallet.ts';
import { Failure } from '../failure.ts';
import { PROJECT } from '../wrangler.ts';

export const USAGE = `Usage: npm run doctor -- (--env NAME [--secrets FILE] | --local [--world FILE])
                         [--url URL] [--gatekeeper-network KEY]…
--env NAME       checks that block of wrangler.toml, before or after it is deployed
--secrets FILE   what \`wrangler secret bulk\` takes: JSON, or lines of NAME='value'; else the secrets are taken from the
                 environment, where they are there
--local          checks a running \`npm run dev\`
--world FILE     what tells of it, .dev/world.json unless it says otherwise
--url URL        where the service answers, its base path included: it is asked as well
--gatekeeper-network KEY
                 which ones are to issue; else those of the registered partners`;

export interface DoctorOptions {
  /** Name of the block; undefined: the service that runs on this machine. */
  readonly environment: string | undefined;
  /** File that tells of that one. */
  readonly world: string;
  /** File with the secrets. */
  readonly secrets: string | undefined;
  /** Without a slash at its end. */
  readonly url: string | undefined;
  readonly gatekeeperNetworks: readonly string[];
}

/** Reads the command line; throws on what is wrong with it. */
export function doctorOptions(args: readonly string[]): DoctorOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      env: { type: 'string' },
      local: { type: 'boolean', default: false },
      world: { type: 'string' },
      secrets: { type: 'string' },
      url: { type: 'string' },
      'gatekeeper-network': { type: 'string', multiple: true, default: [] },
    },
  });
  const { env, local, world, secrets, url, 'gatekeeper-network': gatekeeperNetworks } = values;
  if (local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (local && secrets !== undefined) throw new Failure('--secrets goes with --env', 2);
  if (!local && world !== undefined) throw new Failure('--world goes with --local', 2);
  for (const key of gatekeeperNetworks) {
    if (solanaAddress(key) === undefined)
      throw new Failure('--gatekeeper-network must be a public key: 32 bytes in base58', 2);
  }
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('--url must be like https://api.acme.com', 2);
  return {
    environment: env,
    world: resolve(world ?? resolve(PROJECT, '.dev', 'world.json')),
    secrets: secrets === undefined ? undefined : resolve(secrets),
    url: url?.replace(/\/+$/, ''),
    gatekeeperNetworks: [...new Set(gatekeeperNetworks)],
  };
}
