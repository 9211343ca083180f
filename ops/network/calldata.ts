import { extname } from 'node:path';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { type Change, describeChange } from './change.ts';

/** Returns a batch in the JSON format of Safe's transaction builder. */
export function safeBatchOf(
  { chainId }: EthereumNetwork,
  contract: string,
  gatekeeperNetwork: string,
  calls: readonly { readonly change: Change; readonly data: string }[],
): string {
  const batch = {
    version: '1.0',
    chainId: String(chainId),
    createdAt: Date.now(),
    meta: {
      name: `Gatekeeper network ${gatekeeperNetwork}`,
      description: calls.map(({ change }) => describeChange(change)).join('; '),
    },
    transactions: calls.map(({ data }) => ({
      to: contract,
      value: '0',
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  return `${JSON.stringify(batch, undefined, 2)}\n`;
}

/** Returns the file for a network. If there are several networks, its name includes the network's. */
export function calldataFileFor(file: string, network: string, isOnly: boolean): string {
  if (isOnly) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}.${network}${extension}`;
}
