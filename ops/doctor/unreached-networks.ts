import type { Config } from '../../src/config/config.ts';
import { CHAINS, type Chain, findNetwork } from '../../src/network/networks.ts';
import { check, type Finding, notice, type Verdict } from './check.ts';
import type { IssuanceDemand } from './databases.ts';

/**
 * What is prepared for networks without an endpoint: keys of a chain that has none, and networks that partners are limited
 * to. It may be meant so.
 */
export async function checkUnreachedNetworks(
  config: Config,
  demands: Promise<readonly IssuanceDemand[] | undefined>,
): Promise<Finding[]> {
  const isReached = (network: string) => Boolean(config.rpc[network]?.length);
  const chains = CHAINS.filter(
    (chain) =>
      config.gatekeepers[chain].length > 0 &&
      !Object.keys(config.rpc).some((network) => isReached(network) && findNetwork(config.networks, chain, network)),
  );
  const limits = (await demands)?.flatMap(({ networks = [] }) => networks) ?? [];
  const networks = [...new Set(limits)].filter((network) => !isReached(network)).sort();
  return Promise.all([
    ...chains.map((chain) => check(`${chain}, gatekeepers`, () => idleKeysVerdict(chain, config))),
    ...networks.map((network) => check(network, () => UNREACHED_NETWORK)),
  ]);
}

function idleKeysVerdict(chain: Chain, { gatekeepers }: Config): Verdict {
  const { length } = gatekeepers[chain];
  return notice(
    `${length === 1 ? 'a key is' : `${length} keys are`} set, and no network of the chain has an endpoint: ` +
      'nothing is issued there, and changes to its passes wait; if it is to be used, name one in RPC_ENDPOINTS',
  );
}

const UNREACHED_NETWORK = notice(
  'a partner is limited to networks with this one among them, and it has no endpoint: issuing there answers 400 ' +
    'network_not_enabled; if it is to be used, name one in RPC_ENDPOINTS',
);
