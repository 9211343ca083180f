import type { UnixSeconds } from '../../src/lib/units.ts';
import { type Network, networkStatusOf } from '../../src/network/network.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { factsAt } from '../facts/network-facts.ts';
import { check, type Finding, notice, type Verdict } from './check.ts';

/** Returns a notice of each of the networks that ends or has ended at `now` (Unix seconds), or whose date is that of `NETWORKS`. */
export function checkNetworkStatus(networks: readonly Network[], now: UnixSeconds): Promise<Finding[]> {
  return Promise.all(
    networks.flatMap((network) => {
      const verdict = statusVerdict(network, now);
      return verdict === undefined ? [] : [check(`${network.network}, status`, () => verdict)];
    }),
  );
}

const LEAVE = 'leave it (docs/operators/leave-a-network.md)';

/** Returns what the operator should know about the status; undefined: the network is live. */
export function statusVerdict(network: Network, now: UnixSeconds): Verdict | undefined {
  const status = networkStatusOf(network, now);
  const inTable = NETWORKS.find((row) => row.network === network.network)?.endsOn;
  const isOverridden = inTable !== network.endsOn;
  const source = isOverridden
    ? `NETWORKS; the table has ${inTable ?? 'no end'}`
    : factsAt(now).find((fact) => fact.network === network.network && fact.name === 'status')?.source;
  if (status.type === 'live')
    return isOverridden ? notice(`live (${source}) -> see that it is still right`) : undefined;
  if (status.type === 'ended')
    return notice(`ended on ${status.endsOn} (${source}): the service issues no new passes there -> ${LEAVE}`);
  return notice(
    `ends on ${status.endsOn} (${source}): from then on, the service issues no new passes there -> ${LEAVE}`,
  );
}
