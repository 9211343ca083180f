import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { type GatekeeperNetwork, isGatekeeperNetwork } from '../../src/network/slot.ts';
import { canonicalWalletOfAnyChain } from '../../src/network/wallet.ts';
import { NODE_OPTIONS, NODE_USAGE, type NodeOptions, parseNodeOptions } from '../nodes/options.ts';

export const USAGE = `Usage: npm run takeover -- scan --gatekeeper-network KEY --network NAME… --out FILE
                           (--local [--localnet FILE] | --env NAME [--secrets FILE] | --rpc NETWORK=URL…)
                           [--from-block B | --by-index] [--gatekeeper ADDRESS]…
Reads every token of a gatekeeper network into a CSV file. A stopped scan continues if you run the same command again.
--gatekeeper-network KEY
                   the public key of the gatekeeper network
--out FILE         new file for the tokens
${NODE_USAGE}
--from-block B     the first block whose logs are read, on one Ethereum-type network; default: the block of the
                   contract's deployment, if it is known
--by-index         on Ethereum-type networks, reads the contract's list of tokens instead of its logs
--gatekeeper ADDRESS
                   on Solana, a gatekeeper whose tokens are read if the provider refuses to list all tokens; repeat it
                   for several. The gatekeepers of --local and --env are known
--help             prints this text`;

export interface ScanOptions {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly nodes: NodeOptions;
  readonly out: string;
  readonly fromBlock: number | undefined;
  readonly byIndex: boolean;
  readonly gatekeepers: readonly string[];
}

/** Returns the parsed command line. Throws Failure on an invalid argument. */
export function parseTakeoverCommand([command, ...args]: readonly string[]): ScanOptions {
  if (command !== 'scan') throw new Failure(USAGE, 2);
  const values = parseValues(args);
  const { 'gatekeeper-network': key, out, 'from-block': fromBlock, 'by-index': byIndex } = values;
  if (key === undefined || out === undefined) throw new Failure(USAGE, 2);
  if (!isGatekeeperNetwork(key))
    throw new Failure(
      '--gatekeeper-network must be a public key: 32 bytes in base58, of which the first 24 are not all zero',
      2,
    );
  const nodes = parseNodeOptions(values);
  if (fromBlock !== undefined) {
    if (!/^\d{1,15}$/.test(fromBlock)) throw new Failure('--from-block must be the number of a block', 2);
    if (byIndex) throw new Failure('--by-index reads no logs, so it does not take --from-block', 2);
    if (nodes.networks.length !== 1) throw new Failure('--from-block requires a single --network', 2);
  }
  return {
    gatekeeperNetwork: key,
    nodes,
    out: resolve(out),
    fromBlock: fromBlock === undefined ? undefined : Number(fromBlock),
    byIndex,
    gatekeepers: [...new Set(values.gatekeeper.map(parseGatekeeper))],
  };
}

function parseGatekeeper(text: string): string {
  const address = canonicalWalletOfAnyChain(text);
  if (address === undefined) throw new Failure(`--gatekeeper: "${text}" is not an address`, 2);
  return address;
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...NODE_OPTIONS,
        'gatekeeper-network': { type: 'string' },
        out: { type: 'string' },
        'from-block': { type: 'string' },
        'by-index': { type: 'boolean', default: false },
        gatekeeper: { type: 'string', multiple: true, default: [] as string[] },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${(error as Error).message}\n${USAGE}`, 2);
  }
}
