import { resolve } from 'node:path';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { NETWORKS } from '../../src/network/networks.ts';

/** The options with which a command names its networks and their nodes, in the form of `parseArgs`. */
export const NODE_OPTIONS = {
  network: { type: 'string', multiple: true, default: [] as string[] },
  local: { type: 'boolean', default: false },
  localnet: { type: 'string' },
  env: { type: 'string' },
  secrets: { type: 'string' },
  rpc: { type: 'string', multiple: true, default: [] as string[] },
} as const;

export const NODE_USAGE = `--network NAME     a network to work on; repeat it for several. \`enabled\`: every network that has nodes
--local            the nodes of a running \`npm run dev\`
--localnet FILE    file that describes the localnet; default: .dev/localnet.json
--env NAME         the nodes and gatekeepers of this block of wrangler.toml
--secrets FILE     file with the secrets of that environment, in a format of \`wrangler secret bulk\`.
                   Without it, the command reads the secrets from environment variables
--rpc NETWORK=URL  a node of a network; repeat it for several`;

export type NodeSource =
  | { readonly type: 'local'; readonly localnet: string }
  | { readonly type: 'environment'; readonly environment: string; readonly secrets: string | undefined }
  | { readonly type: 'urls'; readonly rpc: Readonly<Record<string, readonly string[]>> };

/** The networks that the operator named, and where their nodes come from. */
export interface NodeOptions {
  /** Names of networks; 'enabled': every network that has nodes. */
  readonly networks: readonly string[] | 'enabled';
  readonly source: NodeSource;
}

interface Values {
  readonly network: readonly string[];
  readonly local: boolean;
  readonly localnet?: string | undefined;
  readonly env?: string | undefined;
  readonly secrets?: string | undefined;
  readonly rpc: readonly string[];
}

/** Returns the parsed values of `NODE_OPTIONS`. Throws Failure on an invalid one. */
export function parseNodeOptions(values: Values): NodeOptions {
  return { networks: parseNetworkNames(values.network), source: parseSource(values) };
}

function parseNetworkNames(names: readonly string[]): NodeOptions['networks'] {
  if (names.length === 0) throw new Failure('name a network with --network NAME, or all with --network enabled', 2);
  if (names.includes('enabled')) {
    if (names.length > 1) throw new Failure('--network enabled already names every network that has nodes', 2);
    return 'enabled';
  }
  for (const name of names) demandNetwork('--network', name);
  return [...new Set(names)];
}

function parseSource({ local, localnet, env, secrets, rpc }: Values): NodeSource {
  if ([local, env !== undefined, rpc.length > 0].filter(Boolean).length !== 1)
    throw new Failure('name the nodes with one of --local, --env NAME, or --rpc NETWORK=URL', 2);
  if (localnet !== undefined && !local) throw new Failure('--localnet requires --local', 2);
  if (secrets !== undefined && env === undefined) throw new Failure('--secrets requires --env', 2);
  if (local) return { type: 'local', localnet: resolve(localnet ?? resolve(PROJECT, '.dev', 'localnet.json')) };
  if (env !== undefined)
    return { type: 'environment', environment: env, secrets: secrets === undefined ? undefined : resolve(secrets) };
  return { type: 'urls', rpc: parseUrls(rpc) };
}

/** The Failure for an invalid URL does not quote it, because it may contain an API key. */
function parseUrls(given: readonly string[]): Record<string, string[]> {
  const urls: Record<string, string[]> = {};
  for (const text of given) {
    const [, network = '', url = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw new Failure('--rpc must be like sepolia=https://node.example.com', 2);
    demandNetwork('--rpc', network);
    urls[network] = [...(urls[network] ?? []), url];
  }
  return urls;
}

function demandNetwork(option: string, name: string): void {
  const known = NETWORKS.map(({ network }) => network);
  if (!known.includes(name)) throw new Failure(`${option}: "${name}" is not one of ${known.join(', ')}`, 2);
}
