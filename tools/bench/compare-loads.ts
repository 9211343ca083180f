import type { Name } from './contenders.ts';
import { type Caller, CONNECTIONS_COUNT, type Loaded, startCaller } from './load.ts';
import type { BenchContext, Outcome, Target } from './measure.ts';
import { processorTimeOf } from './processor-time.ts';
import { median, medianRatio, runInTurn } from './rounds.ts';

/** The results of the rounds, by service. */
export interface Compared<Asked extends string = Name> {
  /** Requests per second. */
  readonly speed: Readonly<Record<Asked, readonly number[]>>;
  /** Processor time of the runtime per request (ms). */
  readonly cost: Readonly<Record<Asked, readonly number[]>>;
}

export interface Rounds {
  readonly rounds: number;
  /** Seconds of a round for each service. */
  readonly seconds: number;
}

/** Puts the same load on each service in turn. Each round begins with another one, and all are warm before the first. */
export async function compareLoads<Asked extends string>(
  { atEnd, say }: BenchContext,
  loaded: Readonly<Record<Asked, Loaded>>,
  { rounds, seconds }: Rounds,
): Promise<Compared<Asked>> {
  const names = Object.keys(loaded) as Asked[];
  const caller = await startCaller();
  atEnd(caller.stop);
  for (const name of names) await timed(caller, loaded[name], Math.min(1, 2 * seconds));
  const asks = Object.fromEntries(names.map((name) => [name, () => timed(caller, loaded[name], seconds)]));
  const took = await runInTurn(asks as Record<Asked, () => Promise<Took>>, rounds);
  await caller.stop();
  const compared = comparedOf(took);
  say(names.map((name) => `${name} ${Math.round(median(compared.speed[name]))}/s`).join(', '));
  return compared;
}

/** Runs one load for some seconds, or each request once. */
export async function timed(caller: Caller, { server, requests }: Loaded, seconds?: number): Promise<Took> {
  const before = processorTimeOf(server.pid);
  const job = { url: server.baseUrl, requests, connections: CONNECTIONS_COUNT, seconds };
  const { perSecond, answered } = await caller.send(job);
  return { perSecond, cost: (processorTimeOf(server.pid) - before) / answered };
}

/** One round of one service. */
export interface Took {
  /** Requests per second. */
  readonly perSecond: number;
  /** Processor time of the runtime per request (ms). */
  readonly cost: number;
}

/** Returns the rounds of each service, grouped by measured value. */
export function comparedOf<Asked extends string>(took: Readonly<Record<Asked, readonly Took[]>>): Compared<Asked> {
  const names = Object.keys(took) as Asked[];
  const of = (part: keyof Took) =>
    Object.fromEntries(names.map((name) => [name, took[name].map((each) => each[part])])) as Record<Asked, number[]>;
  return { speed: of('perSecond'), cost: of('cost') };
}

/** Returns the rounds of several comparisons as those of one. */
export function joined<Asked extends string>(lots: readonly Compared<Asked>[]): Compared<Asked> {
  const names = Object.keys(lots[0]?.speed ?? {}) as Asked[];
  const of = (part: keyof Compared) =>
    Object.fromEntries(names.map((name) => [name, lots.flatMap((lot) => lot[part][name])])) as Record<Asked, number[]>;
  return { speed: of('speed'), cost: of('cost') };
}

/** Returns the speed of the service and of the others, and the processor time of each. */
export function outcomesOf<Asked extends string>(
  what: string,
  { speed, cost }: Compared<Asked | 'ours'>,
  targets: readonly Target[],
): Outcome[] {
  return [
    { what, unit: 'requests/s', ...beside(speed), targets },
    { what: `${what}, processor time`, unit: 'ms', ...beside(cost), targets: [] },
  ];
}

function beside({
  ours,
  ...others
}: Readonly<Record<string, readonly number[]>> & { readonly ours: readonly number[] }) {
  const of = (compute: (rounds: readonly number[]) => number) =>
    Object.fromEntries(Object.entries(others).map(([name, rounds]) => [name, compute(rounds)]));
  return {
    value: median(ours),
    peers: of(median),
    ratios: of((rounds) => medianRatio(ours, rounds)),
    rounds: { ours, ...others },
  };
}
