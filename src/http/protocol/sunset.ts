import { SECOND_MS } from '../../lib/time.ts';
import type { Network } from '../../network/network.ts';
import { networkStatusOf } from '../../network/network-status.ts';
import { findNetwork } from '../../network/networks.ts';
import type { Refusal } from './problem.ts';
import { isRefusal, type Reply } from './reply.ts';

/**
 * Returns the outcome of a request whose path names a network, with the end of that network in the header `Sunset` (RFC 8594). A time in
 * the past is allowed there (§3). A refusal that is the same as for an unknown path stays so.
 */
export function withSunset(
  outcome: Reply | Refusal,
  { chain = '', chainNetwork = '' }: Readonly<Record<string, string>>,
  networks: readonly Network[],
): Reply | Refusal {
  const network = findNetwork(networks, chain, chainNetwork);
  if (network === undefined || (isRefusal(outcome) && outcome.code === 'not_found')) return outcome;
  const status = networkStatusOf(network, 0);
  if (status.type === 'live') return outcome;
  return { ...outcome, headers: { ...outcome.headers, sunset: new Date(status.endsAt * SECOND_MS).toUTCString() } };
}
