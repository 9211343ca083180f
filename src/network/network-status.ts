import type { UnixSeconds } from '../lib/brand.ts';
import { SECOND_MS } from '../lib/time.ts';
import type { Network } from './network.ts';

/** Whether a network continues. The date decides, so an ending network has ended on its date without a release or a deployment. */
export type NetworkStatus =
  | { readonly type: 'live' }
  | { readonly type: 'ending' | 'ended'; readonly endsOn: string; readonly endsAt: UnixSeconds };

/** Returns the status of the network at `now` (Unix seconds). A date begins at 00:00 UTC. Pure. */
export function networkStatusOf({ endsOn }: Pick<Network, 'endsOn'>, now: UnixSeconds): NetworkStatus {
  if (endsOn === undefined) return { type: 'live' };
  const endsAt = Date.parse(endsOn) / SECOND_MS;
  return { type: now < endsAt ? 'ending' : 'ended', endsOn, endsAt };
}
