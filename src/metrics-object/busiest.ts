import { HOUR_MS, type Milliseconds } from '../lib/units.ts';

/** The number of requests of each partner, halved every hour, so that the busiest of the last hours are known. */
export interface Activity {
  readonly halvedAt: Milliseconds;
  readonly weights: Readonly<Record<string, number>>;
}

/** Number of partners that are a label. */
export const LABELED_MAX = 100;
/** Number of partners whose requests are counted. */
const KNOWN_MAX = 1_000;

/** Returns the activity with further requests. */
export function withRequests(
  { halvedAt, weights }: Activity,
  requests: ReadonlyMap<string, number>,
  now: Milliseconds,
): Activity {
  const halvings = Math.max(0, Math.floor((now - halvedAt) / HOUR_MS));
  const share = 0.5 ** halvings;
  const next = new Map(Object.entries(weights).map(([partner, weight]) => [partner, weight * share]));
  for (const [partner, n] of requests) next.set(partner, (next.get(partner) ?? 0) + n);
  // A weight far below one request says nothing, and would never end.
  const ordered = [...next].filter(([, weight]) => weight >= 0.01).toSorted(byWeight);
  return { halvedAt: halvedAt + halvings * HOUR_MS, weights: Object.fromEntries(ordered.slice(0, KNOWN_MAX)) };
}

const byWeight = ([a, x]: [string, number], [b, y]: [string, number]) => y - x || (a < b ? -1 : 1);

/**
 * Returns the partners that are a label. A labeled one stays until another one has twice its requests: otherwise two that are equally
 * busy would take turns, and each would lose its counts.
 */
export function labeledPartners({ weights }: Activity, labeled: readonly string[]): string[] {
  const weightOf = (partner: string) => (weights[partner] ?? 0) * (labeled.includes(partner) ? 2 : 1);
  return Object.keys(weights)
    .map((partner): [string, number] => [partner, weightOf(partner)])
    .toSorted(byWeight)
    .slice(0, LABELED_MAX)
    .map(([partner]) => partner);
}
