import type { PassCost } from '../../src/chain/pass-cost.ts';
import { smallestUnitsOf } from '../../src/chain/units.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { NanoCoins } from '../../src/lib/units.ts';
import { RESERVE_SHARE } from '../../src/network/network.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, notice, ok, type Verdict } from './check.ts';

/** A ceiling for fewer issuances would stop the service on an ordinary day. */
const ISSUANCES_MIN_COUNT = 20n;

/**
 * Returns how many coins a key may spend per day, and how many issuances that pays for.
 * @param cost Maximum cost of an issuance; `more`: more than the key's balance; undefined: unknown.
 */
export function ceilingsVerdict(
  { formatAmount }: Pick<ChainDoctor, 'formatAmount'>,
  { chain, network }: EnabledNetwork,
  cost: PassCost,
): Verdict {
  const { dailyCeiling, dailyLaneCeiling } = network;
  const format = (amount: NanoCoins) => formatAmount(smallestUnitsOf(amount, chain));
  const reserve = format(Math.floor(dailyCeiling / RESERVE_SHARE));
  const day =
    `${format(dailyCeiling)} per day, at most ${format(dailyLaneCeiling)} of it for one gatekeeper network, ` +
    `and ${reserve} more for revocations`;
  if (typeof cost !== 'bigint' || cost === 0n) return ok(day);
  const issuances = smallestUnitsOf(Math.min(dailyCeiling, dailyLaneCeiling), chain) / cost;
  const lasts = `${day}; one gatekeeper network can issue ${issuances} passes at their current maximum cost`;
  if (issuances === 0n) return fail(lasts, 'raise dailyCeiling and dailyLaneCeiling in NETWORKS');
  return issuances < ISSUANCES_MIN_COUNT ? notice(lasts) : ok(lasts);
}
