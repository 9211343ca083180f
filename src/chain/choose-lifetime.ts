import { SECOND_MS } from '../lib/units.ts';
import type { Lifetime } from './port.ts';
import { askOneByOne, type Health } from './whom-to-ask.ts';

/**
 * A transaction names the hash of a recent block. With a hash that no chain has, no block includes it, and its step waits until it
 * expires. Every endpoint has another newest block, so two hashes that differ do not show a lie.
 */

/** Maximum difference in blocks between the lifetimes from two endpoints: more than a working endpoint can be behind. */
const LIFETIMES_MAX_APART = 300;
/**
 * The clock of a chain is a few seconds off. On Solana, a blockhash is valid for 150 blocks: 45 s with slots of 300 ms, and 22.5 s with slots of
 * 150 ms, of which more than half must be left.
 */
const FRESH_MAX_MS = 10 * SECOND_MS;

interface Endpoint extends Health {
  lastHeightOf(blockhash: string): Promise<number | undefined>;
}

/** A lifetime, and the endpoint that shows it. */
export interface Claim<W> {
  readonly by: W;
  readonly lifetime: Lifetime;
}

/**
 * Returns the first lifetime whose block another endpoint knows. If no other endpoint knows any of them, the claims take turns,
 * because only one of them can be false. Undefined: the last valid heights are too far apart, and a transaction with a height that is
 * never reached would never count as expired.
 * @param turn Number of the choice.
 */
export async function chooseLifetime<W extends Endpoint>(
  claims: readonly Claim<W>[],
  witnesses: readonly W[],
  turn: number,
): Promise<Lifetime | undefined> {
  const fresh = claims.filter(({ lifetime }) => isFresh(lifetime));
  // An endpoint that is behind knows no newer block, and its own block expires soon.
  const usable = fresh.length > 0 ? fresh : claims;
  const heights = usable.map(({ lifetime }) => lifetime.lastValidBlockHeight);
  const isSimilar = (height: number) => heights.every((each) => Math.abs(each - height) <= LIFETIMES_MAX_APART);
  const areSimilar = heights.every(isSimilar);
  const [first, second] = usable;
  const isSame = first?.lifetime.blockhash === second?.lifetime.blockhash;
  if (!(isSame && areSimilar)) {
    for (const { lifetime, by } of usable) {
      const others = witnesses.filter((each) => each !== by);
      for await (const height of askOneByOne('lifetime', others, (each) => each.lastHeightOf(lifetime.blockhash)))
        if (height !== undefined && Math.abs(height - lifetime.lastValidBlockHeight) <= LIFETIMES_MAX_APART)
          return endingAt(lifetime, height);
    }
  }
  const chosen = usable[turn % usable.length];
  return chosen && areSimilar ? endingAt(chosen.lifetime, ...heights) : undefined;
}

const isFresh = ({ time }: Lifetime) => Date.now() - time * SECOND_MS <= FRESH_MAX_MS;

/** Returns the lifetime with the highest of these ends: a step that counts as expired too early would be signed twice. */
function endingAt(lifetime: Lifetime, ...heights: readonly number[]): Lifetime {
  return { ...lifetime, lastValidBlockHeight: Math.max(lifetime.lastValidBlockHeight, ...heights) };
}
