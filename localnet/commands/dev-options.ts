import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { NETWORKS } from '../../src/network/networks.ts';

export interface DevOptions {
  readonly port: number;
  /** Folder with all state for the next run. */
  readonly state: string | undefined;
  /** URLs by network, instead of the localnet's nodes. */
  readonly rpc: Readonly<Record<string, string>>;
  /** File that describes a running localnet. */
  readonly localnet: string | undefined;
  /** File with the gateway program of Solana, for the localnet's node. */
  readonly solanaProgram: string | undefined;
}

const DEFAULT_PORT = 8787;

/** Parses the command line of `npm run dev`. Throws for an invalid one. */
export function parseDevOptions(args: readonly string[]): DevOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string' },
      state: { type: 'string' },
      rpc: { type: 'string', multiple: true, default: [] },
      localnet: { type: 'string' },
      'solana-program': { type: 'string' },
    },
  });
  if (values.localnet !== undefined && values['solana-program'] !== undefined) {
    throw new Failure(
      '--solana-program is an option of the command that starts the localnet: `npm run localnet -- --solana-program FILE`',
      2,
    );
  }
  return {
    port: values.port === undefined ? DEFAULT_PORT : parsePort(values.port),
    state: values.state,
    rpc: Object.fromEntries(values.rpc.map(parseEndpoint)),
    localnet: values.localnet === undefined ? undefined : parseLocalnetFile(values.localnet),
    solanaProgram: values['solana-program'],
  };
}

function parseLocalnetFile(value: string): string {
  if (value.trim() === '') throw new Failure('--localnet must name a file, like .dev/localnet.json', 2);
  return resolve(value);
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) throw new Failure('--port must be a number from 1 to 65535', 2);
  return port;
}

/** `NETWORK=URL`. */
function parseEndpoint(value: string): [network: string, url: string] {
  const [, network, url] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (network === undefined || url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new Failure('--rpc must be like sepolia=http://127.0.0.1:8545', 2);
  }
  if (!NETWORKS.some((row) => row.network === network)) throw new Failure(`--rpc: there is no network "${network}"`, 2);
  return [network, url];
}
