import { ALL, COUNTED, type Counts, keyOf, partsOf, SUM, TIMED } from '../../counts/counted.ts';

/**
 * The text format of OpenMetrics 1.0, which Prometheus reads:
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

export interface Family {
  /** Without the suffix of its samples, such as `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram' | 'info';
  /** The last part of the name, if the values have a unit. */
  readonly unit?: string;
  readonly help: string;
  /** The label by which the dashboard shows a counter or histogram. Default: `network`. */
  readonly by?: string;
}

export interface Sample {
  /** For example `_total` of a counter, or `_bucket` of a histogram. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns the text of the families that have samples, in their order. */
export function formatMetrics(families: readonly (Family & { readonly samples: readonly Sample[] })[]): string {
  const lines = families.flatMap(({ name, type, unit, help, samples }) => {
    if (samples.length === 0) return [];
    return [
      `# TYPE ${name} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
      `# HELP ${name} ${escapeText(help)}`,
      ...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`),
    ];
  });
  return [...lines, '# EOF', ''].join('\n');
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** The samples of the counts of all isolates. */

/** Returns the labels of a count. A label without a value is missing. */
const labelsOf = (names: readonly string[], values: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']).filter(([, value]) => value !== ''));

function* entriesOf(counts: Counts, name: string): Generator<readonly [labels: readonly string[], value: number]> {
  for (const [key, value] of Object.entries(counts)) {
    const parts = partsOf(key);
    if (parts.name === name) yield [parts.labels, value];
  }
}

/**
 * Returns a sample for each combination of labels that was counted.
 * @param alsoZeroOf A count whose first labels are the same. Combinations that only it has are zero: Prometheus does not see the first
 *   increase of a series that begins with it.
 */
export function countedSamples(counts: Counts, name: keyof typeof COUNTED, alsoZeroOf?: string): Sample[] {
  const labels: readonly string[] = COUNTED[name];
  const zeros = alsoZeroOf === undefined ? [] : [...entriesOf(counts, alsoZeroOf)];
  const sums = new Map(zeros.map(([values]) => [keyOf(name, values.slice(0, labels.length)), 0]));
  for (const [values, value] of entriesOf(counts, name)) sums.set(keyOf(name, values), value);
  return [...sums].map(([key, value]) => ({
    suffix: '_total',
    labels: labelsOf(labels, partsOf(key).labels),
    value,
  }));
}

/** Returns the histograms of a duration, one for each combination of labels. */
export function timedSamples(counts: Counts, name: keyof typeof TIMED): Sample[] {
  const series = new Map<string, { values: readonly string[]; numbers: Map<string, number> }>();
  for (const [labels, value] of entriesOf(counts, name)) {
    const values = labels.slice(0, -1);
    const id = values.join('\n');
    const known = series.get(id) ?? { values, numbers: new Map() };
    series.set(id, known);
    known.numbers.set(labels.at(-1) ?? '', value);
  }
  return [...series.values()].flatMap(({ values, numbers }) =>
    histogramSamples(labelsOf(TIMED[name].labels, values), TIMED[name].bounds, {
      below: (bound) => numbers.get(String(bound)) ?? 0,
      count: numbers.get(ALL) ?? 0,
      sum: numbers.get(SUM) ?? 0,
    }),
  );
}

interface Histogram {
  /** Number of values in the bucket with that upper bound, and in no lower one. */
  readonly below: (bound: number) => number;
  readonly count: number;
  readonly sum: number;
}

export function histogramSamples(
  labels: Readonly<Record<string, string>>,
  bounds: readonly number[],
  { below, count, sum }: Histogram,
): Sample[] {
  let total = 0;
  const bounded = bounds.map((bound) => {
    total += below(bound);
    // OpenMetrics writes bounds as floating-point numbers.
    const le = Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
    return { suffix: '_bucket', labels: { ...labels, le }, value: total };
  });
  return [
    ...bounded,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
