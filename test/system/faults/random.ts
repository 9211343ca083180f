/** A source of random numbers. The same seed gives the same numbers. */
export interface Random {
  /** Returns a number of at least 0 and below 1. */
  next(): number;
  /** Returns an integer of at least 0 and below `end`. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(all: readonly T[]): T;
  /** Returns one of the values, with a probability in proportion to its weight. */
  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T;
  /** Returns an independent source. Drawing from one source does not change the other. */
  fork(): Random;
}

/** Returns a source of random numbers. `seed` is an integer of 32 bits. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32 (Tommy Ettinger, public domain).
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (all) => all[below(all.length)] as (typeof all)[number],
    weighted(all) {
      let left = next() * all.reduce((sum, [weight]) => sum + weight, 0);
      const found = all.find(([weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? (all[0] as (typeof all)[number]))[1];
    },
    fork: () => randomFrom(below(2 ** 32)),
  };
}
