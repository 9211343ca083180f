import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isGatekeeperNetwork } from '../../src/network/slot.ts';
import { parseServiceUrl } from '../service-url.ts';

export const USAGE = `Usage: npm run doctor -- (--env NAME [--secrets FILE] | --local [--localnet FILE])
                         [--url URL] [--gatekeeper-network KEY]…
--env NAME       checks that block of wrangler.toml, before or after it is deployed
--secrets FILE   what \`wrangler secret bulk\` takes: JSON, or lines of NAME='value'; else the secrets are taken from the
                 environment, where they are there
--local          checks a running \`npm run dev\`
--localnet FILE  describes that localnet, .dev/localnet.json by default
--url URL        where the service answers, its base path included: it is asked as well
--gatekeeper-network KEY
                 which ones are to issue; else those of the registered partners
--help           prints this`;

export interface DoctorOptions {
  /** Name of the block; undefined: the service that runs on this machine. */
  readonly environment: string | undefined;
  /** File that tells of that one. */
  readonly localnet: string;
  /** File with the secrets. */
  readonly secrets: string | undefined;
  /** Without a slash at its end. */
  readonly url: string | undefined;
  readonly gatekeeperNetworks: readonly string[];
}

export const asksForHelp = (args: readonly string[]): boolean => args.includes('--help');

/** Reads the command line; throws Failure on what is wrong with it. */
export function parseDoctorOptions(args: readonly string[]): DoctorOptions {
  const { env, local, localnet, secrets, url, 'gatekeeper-network': gatekeeperNetworks } = parseValues(args);
  if (local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (local && secrets !== undefined) throw new Failure('--secrets goes with --env', 2);
  if (!local && localnet !== undefined) throw new Failure('--localnet goes with --local', 2);
  for (const key of gatekeeperNetworks) {
    if (!isGatekeeperNetwork(key))
      throw new Failure('--gatekeeper-network must be a public key: 32 bytes in base58, the first 24 not all zero', 2);
  }
  return {
    environment: env,
    localnet: resolve(localnet ?? resolve(PROJECT, '.dev', 'localnet.json')),
    secrets: secrets === undefined ? undefined : resolve(secrets),
    url: url === undefined ? undefined : parseServiceUrl(url),
    gatekeeperNetworks: [...new Set(gatekeeperNetworks)],
  };
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        env: { type: 'string' },
        local: { type: 'boolean', default: false },
        localnet: { type: 'string' },
        secrets: { type: 'string' },
        url: { type: 'string' },
        'gatekeeper-network': { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${USAGE}`, 2);
  }
}
