import { smallestUnitsOf } from '../../src/chain/units.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { NanoCoins } from '../../src/lib/brand.ts';
import { RESERVE_SHARE } from '../../src/network/network.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, notice, ok, type Verdict } from './check.ts';

/** A ceiling for fewer issuances stops an ordinary day. */
const ISSUANCES_MIN_COUNT = 20n;

/**
 * Returns what a key may spend in a day, and for how many issuances that lasts.
 * @param cost Of an issuance; `more`: than the key has; undefined: not known.
 */
export function ceilingsVerdict(
  { formatAmount }: Pick<ChainDoctor, 'formatAmount'>,
  { chain, network }: EnabledNetwork,
  cost: bigint | 'more' | undefined,
): Verdict {
  const { dailyCeiling, dailyLaneCeiling } = network;
  const format = (amount: NanoCoins) => formatAmount(smallestUnitsOf(amount, chain));
  const day = `${format(dailyCeiling)} a day, ${format(dailyLaneCeiling)} of it for one gatekeeper network, and ${format(Math.floor(dailyCeiling / RESERVE_SHARE))} more for revocations`;
  if (typeof cost !== 'bigint' || cost === 0n) return ok(day);
  const issuances = smallestUnitsOf(Math.min(dailyCeiling, dailyLaneCeiling), chain) / cost;
  const lasts = `${day}: ${issuances} issuances for one gatekeeper network, at the most that is paid for one now`;
  if (issuances === 0n) return fail(lasts, 'raise dailyCeiling and dailyLaneCeiling in NETWORKS');
  return issuances < ISSUANCES_MIN_COUNT ? notice(lasts) : ok(lasts);
}
