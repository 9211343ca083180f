import { DAY_SECONDS } from '../lib/units.ts';

/**
 * The names of all counts, and the labels of each. The names are sent to the metrics object and stored there, so they
 * are append-only. Every label but `partner` has a bounded number of values.
 */
export const COUNTED = {
  requests: ['route', 'method', 'status', 'partner'],
  /** Answered with a 5xx status that no unknown caller causes, or later than `REQUEST_MAX_MS`. */
  requestsFailed: ['route', 'method'],
  refusals: ['code'],
  tokensRefused: ['reason'],
  /** Requests for passes that came true later than `activeWithinMs` of their network. */
  settledLate: ['network', 'kind'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

interface Timed {
  readonly labels: readonly string[];
  /** Upper bounds of the buckets in seconds. */
  readonly bounds: readonly number[];
}

/** The durations that every isolate counts. */
export const TIMED = {
  requestSeconds: { labels: ['route', 'method'], bounds: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30] },
  queueSeconds: { labels: ['queue'], bounds: [1, 2, 5, 10, 30, 60, 300, 1800] },
  settlementSeconds: {
    labels: ['network', 'kind'],
    bounds: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 7200, DAY_SECONDS],
  },
} as const satisfies Readonly<Record<string, Timed>>;

/** A request that takes longer counts as failed. A wait that the caller asked for is not included. */
export const REQUEST_MAX_MS = 5_000;

type ValuesOf<Names extends readonly string[]> = { readonly [Name in keyof Names]: string };
export type Labels<Name extends keyof typeof COUNTED> = ValuesOf<(typeof COUNTED)[Name]>;
export type TimedLabels<Name extends keyof typeof TIMED> = ValuesOf<(typeof TIMED)[Name]['labels']>;

/** The numbers of an isolate by their keys: the name of the count, and the values of its labels. */
export type Counts = Readonly<Record<string, number>>;

/** No label has a line feed: routes, codes and networks are constants, and the id of an OAuth client is visible text. */
const SEPARATOR = '\n';

export function keyOf(name: string, labels: readonly string[]): string {
  return [name, ...labels].join(SEPARATOR);
}

export function partsOf(key: string): { readonly name: string; readonly labels: readonly string[] } {
  const [name = '', ...labels] = key.split(SEPARATOR);
  return { name, labels };
}

/** The last label of a duration's keys, besides the bounds: the number of all durations, and their sum in seconds. */
export const ALL = '+Inf';
export const SUM = 'sum';

/** The partner of the requests of all partners that are not among the busiest. */
export const OTHER_PARTNERS = 'other';
