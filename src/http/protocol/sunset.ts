import { SECOND_MS } from '../../lib/time.ts';
import { type Network, networkStatusOf } from '../../network/network.ts';
import type { Refusal } from './problem.ts';
import { isRefusal, type Reply } from './reply.ts';

/** The values of the header `Sunset` (RFC 8594), by chain and network. A time in the past is allowed there (§3). */
export type Sunsets = ReadonlyMap<string, string>;

const nameOf = (chain: string, network: string) => `${chain}/${network}`;

export function sunsetsOf(networks: readonly Network[]): Sunsets {
  return new Map(
    networks.flatMap((row) => {
      const status = networkStatusOf(row, 0);
      if (status.type === 'live') return [];
      return [[nameOf(row.chain, row.network), new Date(status.endsAt * SECOND_MS).toUTCString()] as const];
    }),
  );
}

/**
 * Returns the outcome of a request whose path names a network, with the end of that network in its headers. A refusal that is the same as
 * for an unknown path stays so.
 */
export function withSunset(
  outcome: Reply | Refusal,
  { chain = '', chainNetwork = '' }: Readonly<Record<string, string>>,
  sunsets: Sunsets,
): Reply | Refusal {
  const sunset = sunsets.get(nameOf(chain, chainNetwork));
  if (sunset === undefined || (isRefusal(outcome) && outcome.code === 'not_found')) return outcome;
  return { ...outcome, headers: { ...outcome.headers, sunset } };
}
