import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { queryOf } from '../../../scripts/dashboard/dashboard.ts';
import { FAMILIES } from '../../../src/http/metrics/families.ts';

/** The alerts, the dashboard and the scrape example, with the grammar of Prometheus. */

const OPERATORS = join(import.meta.dirname, '../../../docs/operators');
const read = (name: string) => readFileSync(join(OPERATORS, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}
const rules: Rule[] = parse(read('monitoring/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
const panels: { title: string; targets: { expr: string }[] }[] = JSON.parse(read('monitoring/dashboard.json')).panels;

const SUFFIXES = { counter: '_total', info: '_info', gauge: '', histogram: '' } as const;

/** The names of the samples of all metrics. */
const SAMPLES = FAMILIES.flatMap(({ name, type }) =>
  type === 'histogram'
    ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix)
    : type === 'counter'
      ? [`${name}_total`]
      : [type === 'info' ? `${name}_info` : name],
);

/** Returns the nodes of a query that the grammar does not accept. */
function faultsOf(query: string): string[] {
  const faults: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => void (type.isError && faults.push(query.slice(from, to) || `at ${from}`)),
  });
  return faults;
}

const namesIn = (query: string) => query.match(/\bgatepass_\w+/g) ?? [];

it('finds the faults of a query', () => {
  expect(faultsOf('sum(rate(a_total[5m])) by (network) > 0')).toEqual([]);
  for (const query of ['sum(', 'a >', 'rate(a[5x])', 'a{b=c}']) expect(faultsOf(query), query).not.toEqual([]);
});

describe('the alerts', () => {
  it.each(rules)(
    'has a query of existing metrics, a severity and a summary: $alert',
    ({ expr, labels, annotations }) => {
      expect(faultsOf(expr)).toEqual([]);
      for (const name of namesIn(expr)) expect(SAMPLES).toContain(name);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    },
  );

  it('are all in the table of the documentation', () => {
    const table = read('metrics.md');
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert } of rules) expect(table).toContain(`\`${alert}\``);
  });
});

describe('the dashboard', () => {
  it('has one panel with a valid query for each metric', () => {
    expect(panels.map(({ targets }) => targets[0]?.expr)).toEqual(FAMILIES.map(queryOf));
    for (const { targets, title } of panels) {
      const [target] = targets;
      expect(title).toMatch(/^[A-Z]/);
      // Grafana replaces its variable before Prometheus reads the query.
      const query = target?.expr.replaceAll('$__rate_interval', '1m') ?? '';
      expect(faultsOf(query)).toEqual([]);
      for (const name of namesIn(query)) expect(SAMPLES).toContain(name);
    }
  });
});

it('documents every metric, and the scrape has the scope and the path of the route', () => {
  const page = read('metrics.md');
  for (const { name, type } of FAMILIES) {
    const documented = `${name.replace(/^gatepass_/, '')}${SUFFIXES[type]}`;
    expect(page).toContain(`\`${documented}\``);
  }
  const [scrape] = parse(read('monitoring/prometheus.yml')).scrape_configs;
  expect([scrape.metrics_path, scrape.oauth2.scopes]).toEqual(['/admin/metrics', ['metrics:read']]);
});
