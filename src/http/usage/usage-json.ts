import { NETWORKS } from '../../network/networks.ts';
import type { Usage } from '../../store/usage.ts';

/** Returns the usage of one gatekeeper network as the API returns it. */
export function usageJson(usage: readonly Usage[]) {
  return usage.map(({ network, issued, renewed, revoked, active }) => {
    const type = NETWORKS.find((each) => each.network === network)?.chain;
    return { chain: { type, network }, issued, renewed, revoked, active };
  });
}

/** Returns the current month (UTC), for example `2026-11`. */
export function currentMonth(): string {
  return new Date().toISOString().slice(0, 7);
}
