import { type Command, Option } from 'commander';
import type { Hex } from 'viem';
import { repeated } from '../../terminal/command.ts';
import { Failure } from '../../terminal/failure.ts';
import {
  contractAddress,
  demandOneOf,
  demandWith,
  filePath,
  LOCALNET_FILE,
  type NodeUrl,
  networkName,
  nodeUrl,
} from '../../terminal/option-values.ts';

export type NodeSource =
  | { readonly type: 'local'; readonly localnet: string }
  | { readonly type: 'environment'; readonly environment: string; readonly secrets: string | undefined }
  | { readonly type: 'urls'; readonly rpc: Readonly<Record<string, readonly string[]>> };

/** The networks that the operator named, and where their nodes come from. */
export interface NodeOptions {
  /** Names of networks; 'enabled': every network that has nodes. */
  readonly networks: readonly string[] | 'enabled';
  readonly source: NodeSource;
  /** The contract on Ethereum-type networks; undefined: the default contract of each network. */
  readonly contract?: Hex | undefined;
}

/** The values of the options that `addNodeOptions` adds. */
export interface NodeValues {
  readonly network: readonly string[];
  readonly local?: true;
  readonly localnet?: string;
  readonly env?: string;
  readonly secrets?: string;
  readonly rpc?: readonly NodeUrl[];
  readonly contract?: Hex;
}

/** Adds the options with which a command names its networks and their nodes. */
export function addNodeOptions(command: Command): Command {
  return command
    .requiredOption(
      '--network <name>',
      'a network to work on; repeat it for several. `enabled`: every network that has nodes',
      repeated((text) => (text === 'enabled' ? text : networkName(text))),
    )
    .option('--local', 'the nodes of a running `npm run dev`')
    .option('--localnet <file>', 'file that describes the localnet; default: .dev/localnet.json', filePath)
    .option('--env <name>', 'the nodes and gatekeepers of this deployment')
    .option(
      '--secrets <file>',
      'file with the secrets of that deployment, in a format of `wrangler secret bulk`. ' +
        'Without it, the command reads the secrets from environment variables',
      filePath,
    )
    .option('--rpc <network=url>', 'a node of a network; repeat it for several', repeated(nodeUrl));
}

/** Returns the option that names the contract of a gatekeeper network. */
export const contractOption = () =>
  new Option(
    '--contract <address>',
    'the contract of the gatekeeper network, on Ethereum-type networks; default: the default contract of each network',
  ).argParser(contractAddress);

/** Returns the networks and the nodes that the options name. Throws Failure if they contradict each other. */
export function nodeOptionsOf(values: NodeValues): NodeOptions {
  return { networks: networksOf(values), source: sourceOf(values), contract: values.contract };
}

function networksOf({ network: names }: NodeValues): NodeOptions['networks'] {
  if (!names.includes('enabled')) return [...new Set(names)];
  if (names.length > 1) throw new Failure('--network enabled already names every network that has nodes', 2);
  return 'enabled';
}

function sourceOf(values: NodeValues): NodeSource {
  demandOneOf(values, 'local', 'env', 'rpc');
  demandWith(values, 'localnet', 'local');
  demandWith(values, 'secrets', 'env');
  const { local, localnet = LOCALNET_FILE, env, secrets, rpc = [] } = values;
  if (local) return { type: 'local', localnet };
  if (env !== undefined) return { type: 'environment', environment: env, secrets };
  const networks = [...Map.groupBy(rpc, ([network]) => network)];
  return {
    type: 'urls',
    rpc: Object.fromEntries(networks.map(([network, urls]) => [network, urls.map(([, url]) => url)])),
  };
}
