import type { Secret } from '../lib/secret.ts';
import type { Network } from '../network/network.ts';
import { watchEthereum } from './ethereum/watch.ts';
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
  if (network.chain === 'solana') throw new Error('not yet');
  return watchEthereum(network, endpoints, slots);
}
