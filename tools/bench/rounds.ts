/** Rounds on one machine: the compared services take turns, and the median counts. */

export interface Rounds<Name extends string> {
  readonly medians: Readonly<Record<Name, number>>;
  /** Ratios of the first to each other: the median over the rounds. A slow moment of the machine slows both. */
  readonly ratios: Readonly<Record<Name, number>>;
  readonly rounds: Readonly<Record<Name, readonly number[]>>;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 === 0 ? (below + above) / 2 : above;
}

/** Returns the ratio of the first to the second: the median over the rounds. */
export function medianRatio(one: readonly number[], other: readonly number[]): number {
  return median(one.map((number, round) => number / (other[round] ?? Number.NaN)));
}

/** Runs each contender once per round. Each round begins with another one. */
export async function compareInTurn<Name extends string>(
  contenders: Readonly<Record<Name, (round: number) => Promise<number>>>,
  rounds: number,
): Promise<Rounds<Name>> {
  const names = Object.keys(contenders) as Name[];
  const taken = await runInTurn(contenders, rounds);
  const [first] = names as [Name];
  const of = (compute: (name: Name) => number) =>
    Object.fromEntries(names.map((name) => [name, compute(name)])) as Record<Name, number>;
  const medians = of((name) => median(taken[name]));
  return { medians, ratios: of((name) => medianRatio(taken[first], taken[name])), rounds: taken };
}

/** Returns the results of each, round by round. */
export async function runInTurn<Name extends string, T>(
  contenders: Readonly<Record<Name, (round: number) => Promise<T>>>,
  rounds: number,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contenders) as Name[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let round = 0; round < rounds; round++) {
    const turn = round % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      taken[name].push(await contenders[name](round));
    }
  }
  return taken;
}
