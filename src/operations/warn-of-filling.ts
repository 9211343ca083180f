import { logFault } from '../log/log.ts';
import type { FillingShard } from '../store/shard-sizes.ts';

/** Logs that a shard is running out of room. From 95 % on, it takes no new passes. */
export function warnOfFilling(shard: FillingShard): void {
  logFault('database.filling', 'add a shard for new gatekeeper networks, or ask for a larger database', { ...shard });
}
