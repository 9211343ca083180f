/** Returns a number from 0 to 1, without 1, that a seed and a text decide (FNV-1a, then the finalizer of MurmurHash3). */
function drawOf(seed: number, text: string): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Chance that a seed decides. Each question names its subject, and its answer depends on nothing but the seed, the subject and how often
 * that subject asked before: a world that lacks one step decides everything else as before.
 */
export class Chance {
  readonly seed: number;
  readonly #asked = new Map<string, number>();

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Returns a number from 0 to 1, without 1. */
  draw(subject = ''): number {
    const n = this.#asked.get(subject) ?? 0;
    this.#asked.set(subject, n + 1);
    return drawOf(this.seed + Math.imul(n, 0x9e3779b1), subject);
  }

  /** Returns a whole number below `limit`. */
  below(limit: number, subject = ''): number {
    return Math.floor(this.draw(subject) * limit);
  }

  /** Whether an event of that probability happens. */
  happens(probability: number, subject = ''): boolean {
    return probability > 0 && this.draw(subject) < probability;
  }

  /** Returns one of them. Throws if there is none. */
  oneOf<T>(all: readonly T[], subject = ''): T {
    if (all.length === 0) throw new Error(`there is nothing to choose from for ${subject}`);
    return all[this.below(all.length, subject)] as T;
  }
}
