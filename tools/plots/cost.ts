import { ACCENT, bars, dot, line, MUTED, path, picture, text, WIDTH } from './svg.ts';

/** Cloudflare's list prices in dollars, and the monthly volumes that the Workers Paid plan includes. */
const PLAN_USD = 5;
export const PRICES = {
  requests: { usd: 0.3 / 1e6, included: 10e6 },
  cpuMs: { usd: 0.02 / 1e6, included: 30e6 },
  d1RowsRead: { usd: 0.001 / 1e6, included: 25e9 },
  d1RowsWritten: { usd: 1 / 1e6, included: 50e6 },
  d1Gigabytes: { usd: 0.75, included: 5 },
  objectCalls: { usd: 0.15 / 1e6, included: 1e6 },
  objectGigabyteSeconds: { usd: 12.5 / 1e6, included: 400_000 },
  objectRowsRead: { usd: 0.001 / 1e6, included: 25e9 },
  objectRowsWritten: { usd: 1 / 1e6, included: 50e6 },
  queueOperations: { usd: 0.4 / 1e6, included: 1e6 },
  logLines: { usd: 0.6 / 1e6, included: 20e6 },
} as const;
type Volumes = { readonly [name in keyof typeof PRICES]: number };

const FETCHES = 10;
/** The operations of a pass, from the tables of docs/operators/cost.md. */
const PER_PASS: Omit<Volumes, 'd1Gigabytes'> = {
  requests: 1.02 + FETCHES,
  cpuMs: 4 + 0.3 * FETCHES,
  d1RowsRead: FETCHES,
  // The pass and its new state with their indexes, its event, and the deletion of the event.
  d1RowsWritten: 9,
  objectCalls: 5.04,
  objectGigabyteSeconds: 0.06 * 0.128,
  objectRowsRead: 60,
  objectRowsWritten: 13.2,
  queueOperations: 6,
  logLines: 1.1 + 0.05 * FETCHES,
};

/** Returns the dollars of a month in which that number of passes is issued, each fetched ten times. */
export function dollarsOfMonth(passes: number, d1Gigabytes: number): number {
  const names = Object.keys(PRICES) as (keyof typeof PRICES)[];
  const volumes = { ...PER_PASS, d1Gigabytes: d1Gigabytes / passes };
  const beyond = (name: keyof typeof PRICES) => Math.max(0, volumes[name] * passes - PRICES[name].included);
  return PLAN_USD + names.reduce((sum, name) => sum + beyond(name) * PRICES[name].usd, 0);
}

/** The parts of the bill as people call them. */
const PARTS: readonly (readonly [string, readonly (keyof typeof PER_PASS)[]])[] = [
  ['rows written', ['d1RowsWritten', 'objectRowsWritten']],
  ['requests', ['requests']],
  ['queue', ['queueOperations']],
  ['log lines', ['logLines']],
  ['calls of objects', ['objectCalls', 'objectGigabyteSeconds']],
  ['processor time', ['cpuMs']],
  ['rows read', ['d1RowsRead', 'objectRowsRead']],
];

/** Draws what a million passes, each issued and fetched ten times, cost beyond the included volumes. */
export function drawParts(): string {
  const sums = PARTS.map(([label, names]) => ({
    label,
    value: names.reduce((sum, name) => sum + PER_PASS[name] * PRICES[name].usd * 1e6, 0),
  }));
  const { parts, end } = bars(
    56,
    sums.map(({ label, value }) => ({ label, value, shown: `$${value.toFixed(2)}`, fill: ACCENT })),
    Math.max(...sums.map(({ value }) => value)),
  );
  const total = sums.reduce((sum, { value }) => sum + value, 0);
  const note = `Together $${total.toFixed(0)}, beyond the volumes that the plan includes.`;
  return picture('Dollars for a million passes, each issued once and fetched ten times', end + 34, [
    ...parts,
    text(20, end + 18, note, { size: 12, fill: MUTED }),
  ]);
}

const [LEFT, RIGHT, TOP, BOTTOM] = [70, WIDTH - 60, 60, 250];
const [FEWEST, MOST] = [10_000, 10_000_000];
const DOLLARS = [1, 10, 100, 1_000] as const;

/** Draws the dollars of a month by passes, both by powers of ten. */
export function drawMonth(gigabytesOf: (passes: number) => number): string {
  const xOf = (passes: number) => LEFT + ((RIGHT - LEFT) * Math.log10(passes / FEWEST)) / Math.log10(MOST / FEWEST);
  const yOf = (dollars: number) => BOTTOM - ((BOTTOM - TOP) * Math.log10(dollars)) / Math.log10(1_000);
  const pointOf = (passes: number) => [xOf(passes), yOf(dollarsOfMonth(passes, gigabytesOf(passes)))] as const;
  const passes = [10_000, 100_000, 1_000_000, 10_000_000];
  const steps = Array.from({ length: 61 }, (_, index) => FEWEST * 10 ** (index / 20));
  return picture('Dollars a month by passes issued in the month', BOTTOM + 62, [
    ...DOLLARS.flatMap((dollars) => [
      line(LEFT, yOf(dollars), RIGHT, yOf(dollars)),
      text(LEFT - 10, yOf(dollars) + 4, `$${dollars.toLocaleString('en-US')}`, {
        size: 12,
        fill: MUTED,
        anchor: 'end',
      }),
    ]),
    ...passes.map((many) =>
      text(xOf(many), BOTTOM + 20, many.toLocaleString('en-US'), { size: 12, fill: MUTED, anchor: 'middle' }),
    ),
    text((LEFT + RIGHT) / 2, BOTTOM + 44, 'passes a month', { size: 12, fill: MUTED, anchor: 'middle' }),
    path(steps.map(pointOf), ACCENT),
    ...passes.flatMap((many) => {
      const [x, y] = pointOf(many);
      const dollars = dollarsOfMonth(many, gigabytesOf(many));
      const shown = `$${dollars.toLocaleString('en-US', { maximumSignificantDigits: 2 })}`;
      const anchor = many === FEWEST ? 'start' : 'middle';
      return [dot(x, y, ACCENT), text(x, y - 12, shown, { weight: 600, anchor })];
    }),
  ]);
}
