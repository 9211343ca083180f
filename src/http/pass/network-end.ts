import type { UnixSeconds } from '../../lib/brand.ts';
import type { Network } from '../../network/network.ts';
import { networkStatusOf } from '../../network/network-status.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/**
 * Refuses a request that gives access on a network which has ended at `now`, because no transaction can make it true; undefined: the network
 * continues. Requests that take access away are not for this check: they hold for public checks without the chain.
 */
export function refuseEnded(network: Network, now: UnixSeconds): Refusal | undefined {
  const status = networkStatusOf(network, now);
  if (status.type !== 'ended') return undefined;
  return refuse('network_ended', {
    detail: `${network.network} ended on ${status.endsOn}, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.`,
  });
}
