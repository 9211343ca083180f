/**
 * The algorithm of Wing and Gong with the memory of Lowe: it decides whether concurrent operations have an order in which a sequential model
 * explains each of them, and which agrees with time.
 */

/** An operation that happened at one moment. */
export interface Operation<State> {
  /** It happened no earlier (Unix milliseconds). */
  readonly from: number;
  /** It happened no later. */
  readonly until: number;
  /** Of two operations with different places, the one with the lower place came first; undefined: unknown. */
  readonly place?: number | undefined;
  /** Operations that came before. */
  readonly after: readonly Operation<State>[];
  /** Returns the states after it that agree with its answer; empty: it did not happen in that state. The same object: it changed nothing. */
  readonly outcomes: (state: State) => readonly State[];
}

/** The end of the longest order that agrees with the model. */
export interface DeadEnd<State> {
  readonly state: State;
  /** The operations that might come next, and do not fit. */
  readonly left: readonly Operation<State>[];
}

/** Returns undefined if an order of all operations agrees with the model. */
export function linearize<State>(operations: readonly Operation<State>[], first: State): DeadEnd<State> | undefined {
  const all = operations.toSorted((a, b) => a.from - b.from);
  const earlier = all.map((each) => maskOf(all, (other) => other !== each && precedes(other, each)));
  const complete = (1n << BigInt(all.length)) - 1n;
  const seen = new Set<string>();
  let longest: { readonly done: bigint; readonly state: State } | undefined;

  const isNext = (index: number, done: bigint) =>
    (done & bit(index)) === 0n && ((earlier[index] as bigint) & ~done) === 0n;
  /** An operation that may come now, and changes nothing, need not come later. */
  const addUnchanging = (before: bigint, state: State): bigint => {
    let done = before;
    for (let index = 0; index < all.length; index += 1) {
      if (!isNext(index, done)) continue;
      const outcomes = all[index]?.outcomes(state) ?? [];
      if (outcomes.length !== 1 || outcomes[0] !== state) continue;
      done |= bit(index);
      // An operation that waited for it may be next.
      index = -1;
    }
    return done;
  };
  const search = (before: bigint, state: State): boolean => {
    const done = addUnchanging(before, state);
    if (done === complete) return true;
    const name = `${done} ${JSON.stringify(state)}`;
    if (seen.has(name)) return false;
    seen.add(name);
    if (longest === undefined || sizeOf(done) > sizeOf(longest.done)) longest = { done, state };
    return all.some(
      ({ outcomes }, index) => isNext(index, done) && outcomes(state).some((next) => search(done | bit(index), next)),
    );
  };

  if (search(0n, first)) return undefined;
  const { done = 0n, state = first } = longest ?? {};
  return { state, left: all.filter((_, index) => isNext(index, done)) };
}

function precedes<State>(a: Operation<State>, b: Operation<State>): boolean {
  const hasLowerPlace = a.place !== undefined && b.place !== undefined && a.place < b.place;
  return a.until < b.from || hasLowerPlace || b.after.includes(a);
}

const bit = (index: number): bigint => 1n << BigInt(index);

function maskOf<T>(all: readonly T[], has: (each: T) => boolean): bigint {
  return all.reduce((mask, each, index) => (has(each) ? mask | bit(index) : mask), 0n);
}

function sizeOf(mask: bigint): number {
  let size = 0;
  for (let left = mask; left > 0n; left &= left - 1n) size += 1;
  return size;
}
