import { logFault } from '../log/log.ts';
import type { FillingShard } from '../store/shard-sizes.ts';

/** Tells the operator in time: above 95 %, the shard takes no new passes. */
export function warnOfFilling(shard: FillingShard): void {
  logFault('database-filling', 'add a shard for new gatekeeper networks, or ask for a larger database', { ...shard });
}
