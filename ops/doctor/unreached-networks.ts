import type { Config } from '../../src/config/config.ts';
import { servesNetwork } from '../../src/config/gatekeeper.ts';
import { CHAINS, networkNamesOf } from '../../src/network/networks.ts';
import { check, type Finding, notice, type Verdict } from './check.ts';
import type { IssuanceDemand } from './databases.ts';

/**
 * Returns notices about networks without an endpoint: keys that serve no other network, and networks in a partner's limit.
 * Both may be intended.
 */
export async function checkUnreachedNetworks(
  config: Config,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
): Promise<Finding[]> {
  const isReached = (network: string) => Boolean(config.rpc[network]?.length);
  const idle = CHAINS.flatMap((chain) => {
    const reached = networkNamesOf(chain).filter(isReached);
    const keys = config.gatekeepers[chain].filter((key) => !reached.some((network) => servesNetwork(key, network)));
    return keys.map(({ network }) => network ?? chain);
  });
  const limits = (await demands)?.flatMap(({ networks = [] }) => networks) ?? [];
  const networks = [...new Set(limits)].filter((network) => !isReached(network)).sort();
  return Promise.all([
    ...[...Map.groupBy(idle, (name) => name)].map(([name, keys]) =>
      check(`${name}, gatekeepers`, () => idleKeysVerdict(keys.length)),
    ),
    ...networks.map((network) => check(network, () => UNREACHED_NETWORK)),
  ]);
}

function idleKeysVerdict(count: number): Verdict {
  return notice(
    `${count === 1 ? 'a key is set, but none of its' : `${count} keys are set, but none of their`} networks has an endpoint: ` +
      'the service issues nothing there, and changes to its passes wait; if you need the network, add an endpoint to ' +
      'RPC_ENDPOINTS',
  );
}

const UNREACHED_NETWORK = notice(
  'the limit of a partner includes this network, but it has no endpoint: issuing there answers 400 ' +
    'network_not_enabled; if you need the network, add an endpoint to RPC_ENDPOINTS',
);
