import { extname } from 'node:path';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { writeNewFile } from '../files.ts';
import type { Call } from './ethereum-sender.ts';
import { tell } from './targets.ts';

/** A call with its description, which is part of a sentence. */
export type DescribedCall = Call & { readonly text: string };

/** Writes the calls as a batch in the JSON format of Safe's transaction builder. Throws Failure if the file exists. */
export function writeSafeBatch(
  file: string,
  network: EthereumNetwork,
  name: string,
  calls: readonly DescribedCall[],
): void {
  const batch = {
    version: '1.0',
    chainId: String(network.chainId),
    createdAt: Date.now(),
    meta: { name, description: calls.map(({ text }) => text).join('; ') },
    transactions: calls.map(({ to, data, value = 0n }) => ({
      to,
      value: String(value),
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  writeNewFile(file, `${JSON.stringify(batch, undefined, 2)}\n`, { exitCode: 1 });
  tell(`${network.network}: wrote the calls to ${file}. Nothing was sent.`);
}

/** Returns the file for a network. If there are several networks, its name includes the network's. */
export function calldataFileFor(file: string, network: string, isOnly: boolean): string {
  if (isOnly) return file;
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}.${network}${extension}`;
}
