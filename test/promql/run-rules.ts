import { evaluate } from './evaluate.ts';
import { type Labels, type Series, secondsOf } from './series.ts';

/** A rule of Prometheus: it records a series, or raises an alert. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An alert that fires. */
export interface Firing {
  readonly alert: string;
  readonly labels: Labels;
  /** As the rule has them, with the placeholders of its template. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Runs the rules at each interval up to `until` (seconds), like Prometheus, and returns the alerts that fire at each of these times. A rule
 * reads the series that the rules before it have recorded.
 */
export function runRules(
  rules: readonly Rule[],
  scraped: readonly Series[],
  { until, interval }: { readonly until: number; readonly interval: number },
): ReadonlyMap<number, readonly Firing[]> {
  const recorded = new Map<string, { name: string; labels: Labels; samples: { t: number; value: number }[] }>();
  const activeSince = new Map<string, number>();
  const firing = new Map<number, readonly Firing[]>();
  for (let t = 0; t <= until; t += interval) {
    const found: Firing[] = [];
    for (const [place, rule] of rules.entries()) {
      const samples = evaluate(rule.expr, [...scraped, ...recorded.values()], t);
      const active = new Set<string>();
      for (const { labels: given, value } of samples) {
        const { __name__: _, ...labels } = { ...given, ...rule.labels };
        const key = `${place} ${JSON.stringify(labels)}`;
        if (rule.record !== undefined) {
          const series = recorded.get(key) ?? { name: rule.record, labels, samples: [] };
          recorded.set(key, series);
          series.samples.push({ t, value });
          continue;
        }
        active.add(key);
        const since = activeSince.get(key) ?? t;
        activeSince.set(key, since);
        if (t - since >= secondsOf(rule.for ?? '0s'))
          found.push({ alert: rule.alert ?? '', labels, annotations: rule.annotations ?? {} });
      }
      for (const key of activeSince.keys())
        if (key.startsWith(`${place} `) && !active.has(key)) activeSince.delete(key);
    }
    firing.set(t, found);
  }
  return firing;
}
