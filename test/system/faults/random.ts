/** Numbers by chance, which the same seed gives again. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number, at least 0, below that one. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(all: readonly T[]): T;
  /** One of them, as often as its weight is of all weights. */
  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T;
  /** A source of its own, so that what is drawn from one does not move the other. */
  fork(): Random;
}

/** @param seed A whole number of 32 bits. */
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
