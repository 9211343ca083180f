import type { Config } from '../../src/config/config.ts';
import { servesNetwork } from '../../src/config/gatekeeper.ts';
import type { Secret } from '../../src/lib/secret.ts';
import type { Network } from '../../src/network/network.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { Failure } from '../../terminal/failure.ts';
import { type Deployment, readDeployment } from './deployment.ts';
import type { NodeOptions, NodeSource } from './options.ts';
import { parseConfigs } from './parse-configs.ts';

/** A network with its nodes. */
export interface NetworkNodes {
  readonly network: Network;
  /** URLs in order of preference. They may contain API keys. */
  readonly endpoints: readonly Secret<string>[];
  /** Addresses of the deployment's gatekeeper keys for the network, without compromised ones. */
  readonly gatekeepers: readonly string[];
}

export interface Nodes {
  /** The networks that the operator named. */
  readonly named: readonly NetworkNodes[];
  /** The other networks of the service. They may have no endpoints. */
  readonly others: readonly NetworkNodes[];
  /** Slot numbers of gatekeeper networks, in addition to the built-in table. */
  readonly slots: Config['slots'];
}

/** Returns the networks with their nodes. Throws Failure if a named network has none. */
export function openNodes({ networks: names, source, contract }: NodeOptions): Nodes {
  const config = readConfig(source);
  const withContract = (network: Network): Network =>
    contract === undefined || network.chain === 'solana' ? network : { ...network, gateway: contract };
  const all = config.networks.map((network) => ({
    network: withContract(network),
    endpoints: config.rpc[network.network] ?? [],
    gatekeepers: config.gatekeepers[network.chain]
      .filter((gatekeeper) => !gatekeeper.compromised && servesNetwork(gatekeeper, network.network))
      .map(({ address }) => address),
  }));
  const isNamed = ({ network, endpoints }: NetworkNodes) =>
    names === 'enabled' ? endpoints.length > 0 : names.includes(network.network);
  const named = all.filter(isNamed);
  const without = named.find(({ endpoints }) => endpoints.length === 0);
  if (without) throw new Failure(`${without.network.network} has no node: ${REMEDIES[source.type]}`, 2);
  if (named.length === 0) throw new Failure(`no network has a node: ${REMEDIES[source.type]}`, 2);
  return { named, others: all.filter((each) => !isNamed(each)), slots: config.slots };
}

const REMEDIES: Readonly<Record<NodeSource['type'], string>> = {
  local: 'the localnet does not run it',
  environment: 'add it to RPC_ENDPOINTS in the file of --secrets',
  urls: 'add --rpc NETWORK=URL',
};

function readConfig(source: NodeSource): Config {
  const { networks } = parseConfigs(readVariables(source));
  if (networks) return networks;
  throw new Failure(
    'the variables or secrets are invalid or missing: `npm run doctor` with the same options says which',
  );
}

/** Returns the variables and the secrets of the environment, or those that give the nodes on the command line. */
export function readVariables(source: NodeSource): Pick<Deployment, 'variables' | 'secrets'> {
  switch (source.type) {
    case 'local':
      return readDeployment({ url: undefined, secrets: undefined, environment: undefined, localnet: source.localnet });
    case 'environment':
      return readDeployment({ url: undefined, localnet: '', ...source });
    case 'urls':
      // A node of a mainnet on the command line is intended.
      return {
        variables: { DEPLOYMENT: 'local', MAINNETS: mainnetsIn(source.rpc).join(' ') },
        secrets: { RPC_ENDPOINTS: JSON.stringify(source.rpc) },
      };
  }
}

function mainnetsIn(rpc: Readonly<Record<string, unknown>>): string[] {
  return NETWORKS.filter(({ network, testnet }) => rpc[network] && !testnet).map(({ network }) => network);
}
