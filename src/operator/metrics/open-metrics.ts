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
