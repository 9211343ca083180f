import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isGatekeeperNetwork } from '../../src/network/slot.ts';
import type { DeploymentOptions } from '../nodes/deployment.ts';
import { parseServiceUrl } from '../service-url.ts';

export const USAGE = `Usage: npm run doctor -- (--env NAME [--secrets FILE] | --local [--localnet FILE])
                         [--url URL] [--gatekeeper-network KEY]…
--env NAME       checks this block of wrangler.toml, before or after its deployment
--secrets FILE   file with the secrets, in a format of \`wrangler secret bulk\`: JSON, or lines of NAME='value'.
                 Without it, the doctor reads the secrets from environment variables, if they are set
--local          checks a running \`npm run dev\`
--localnet FILE  file that describes the localnet; default: .dev/localnet.json
--url URL        URL of the service, including its base path; the doctor then also checks the running service
--gatekeeper-network KEY
                 checks whether the keys may issue for this gatekeeper network. Repeat it for several.
                 Default: the gatekeeper networks of the registered partners
--help           prints this text`;

export interface DoctorOptions extends DeploymentOptions {
  readonly gatekeeperNetworks: readonly string[];
}

export const asksForHelp = (args: readonly string[]): boolean => args.includes('--help');

/** Returns the parsed command line. Throws Failure on an invalid argument. */
export function parseDoctorOptions(args: readonly string[]): DoctorOptions {
  const { env, local, localnet, secrets, url, 'gatekeeper-network': gatekeeperNetworks } = parseValues(args);
  if (local === (env !== undefined)) throw new Failure(USAGE, 2);
  if (local && secrets !== undefined) throw new Failure('--secrets requires --env', 2);
  if (!local && localnet !== undefined) throw new Failure('--localnet requires --local', 2);
  for (const key of gatekeeperNetworks) {
    if (!isGatekeeperNetwork(key))
      throw new Failure(
        '--gatekeeper-network must be a public key: 32 bytes in base58, of which the first 24 are not all zero',
        2,
      );
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
