import type { Secret } from '../lib/secret.ts';
import type { Network } from '../network/network.ts';
import { watchEthereum } from './ethereum/watch.ts';
import { watchSolana } from './solana/watch.ts';
import type { WatchPort } from './watch-port.ts';

/**
 * Returns the watch port of a network. It needs no gatekeeper key.
 * @param slots Numbers of gatekeeper networks in addition to the built-in table.
 */
export function openWatch(
  network: Network,
  endpoints: readonly Secret<string>[],
  slots: Readonly<Record<string, bigint>>,
): WatchPort {
  return network.chain === 'solana' ? watchSolana(network, endpoints) : watchEthereum(network, endpoints, slots);
}
