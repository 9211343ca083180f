import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FAMILIES } from '../../../src/http/metrics/families.ts';
import { queryOf } from '../../../tools/dashboard/dashboard.ts';
import { evaluate } from '../../promql/evaluate.ts';
import { type Rule, runRules } from '../../promql/run-rules.ts';
import { expandValues, parseSeries, secondsOf } from '../../promql/series.ts';

/** The alerts, the dashboard and the scrape example, with the grammar of Prometheus. */

const OPERATORS = join(import.meta.dirname, '../../../docs/operators');
const read = (name: string) => readFileSync(join(OPERATORS, name), 'utf8');

/** All rules, in the order in which Prometheus reads them. */
const allRules: Rule[] = ['alerts.yml', 'service-levels.yml'].flatMap((file) =>
  parse(read(`monitoring/${file}`)).groups.flatMap(({ rules: each }: { rules: Rule[] }) => each),
);
const rules = allRules.filter(({ alert }) => alert !== undefined);
const recorded = allRules.flatMap(({ record }) => record ?? []);
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

const namesIn = (query: string) => query.match(/(?<![\w:])gatepass[_:][\w:]+/g) ?? [];

it('finds the faults of a query', () => {
  expect(faultsOf('sum(rate(a_total[5m])) by (network) > 0')).toEqual([]);
  for (const query of ['sum(', 'a >', 'rate(a[5x])', 'a{b=c}']) expect(faultsOf(query), query).not.toEqual([]);
});

describe('the alerts', () => {
  it.each(rules)(
    'has a query of existing metrics, a severity and a summary: $alert',
    ({ expr, labels, annotations }) => {
      expect(faultsOf(expr)).toEqual([]);
      for (const name of namesIn(expr)) expect([...SAMPLES, ...recorded]).toContain(name);
      expect(['page', 'ticket']).toContain(labels?.severity);
      expect(annotations?.summary).toMatch(/\.$/);
    },
  );

  it('are all in the table of the documentation', () => {
    const table = read('metrics.md');
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert } of rules) expect(table).toContain(`\`${alert}\``);
  });
});

/** A case in the notation of promtool's tests of rules. */
interface RuleTest {
  readonly name: string;
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts?: readonly { readonly exp_labels: Rule['labels']; readonly exp_annotations: unknown }[];
  }[];
}
const CASES = ['alerts.test.yml', 'capacity.test.yml'];
const caseFiles = CASES.map((name): { tests: RuleTest[]; evaluation_interval: string; rule_files: string[] } =>
  parse(read(`monitoring/${name}`)),
);
const allTests = caseFiles.flatMap(({ tests, evaluation_interval: every }) =>
  tests.map((test) => ({ ...test, every })),
);

/** Fills in the labels of an annotation, as Prometheus does. */
const render = (text: string, labels: Readonly<Record<string, string>>) =>
  text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => labels[name] ?? '');

describe('the rules', () => {
  it.each(allRules)('has a query that the tests can evaluate: $alert$record', ({ expr, for: time = '0s' }) => {
    expect(faultsOf(expr)).toEqual([]);
    expect(evaluate(expr, [], 0)).toEqual(expr.includes('absent(') ? expect.anything() : []);
    expect(secondsOf(time)).toBeGreaterThanOrEqual(0);
  });

  it.each(allTests)('raises the alerts of the example: $name', ({ interval, every, input_series, alert_rule_test }) => {
    const series = input_series.map(({ series: name, values }) => ({
      ...parseSeries(name),
      samples: expandValues(values, secondsOf(interval)),
    }));
    const until = Math.max(...alert_rule_test.map(({ eval_time }) => secondsOf(eval_time)));
    const firing = runRules(allRules, series, { until, interval: secondsOf(every) });
    for (const { eval_time, alertname, exp_alerts = [] } of alert_rule_test) {
      const found = firing.get(secondsOf(eval_time))?.filter(({ alert }) => alert === alertname) ?? [];
      const expected = exp_alerts.map(({ exp_labels, exp_annotations }) => [exp_labels, exp_annotations]);
      const shown = found.map(({ labels, annotations: { summary = '' } }) => [
        labels,
        { summary: render(summary, labels) },
      ]);
      expect(shown.length, `${alertname} after ${eval_time}`).toBe(expected.length);
      expect(shown).toEqual(expect.arrayContaining(expected));
    }
  });

  it('pass the checks and the tests of promtool, where it is present', (context) => {
    if (spawnSync('promtool', ['--version']).error !== undefined) return context.skip('promtool is not installed');
    const folder = join(OPERATORS, 'monitoring');
    for (const args of [
      ['check', 'rules', 'alerts.yml', 'service-levels.yml'],
      ['test', 'rules', ...CASES],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
      expect(status, stdout + stderr).toBe(0);
    }
  });

  it('are the files of the examples for Prometheus and for promtool', () => {
    const { rule_files } = parse(read('monitoring/prometheus.yml'));
    expect(caseFiles.map((each) => each.rule_files)).toEqual(CASES.map(() => rule_files));
  });
});

describe('the routes of Alertmanager', () => {
  const { route, receivers, inhibit_rules, time_intervals } = parse(read('monitoring/alertmanager.yml'));
  const names = receivers.map(({ name }: { name: string }) => name);

  it('name receivers and times that exist, and every severity', () => {
    for (const { receiver, active_time_intervals = [] } of [route, ...route.routes]) {
      expect(names).toContain(receiver);
      for (const each of active_time_intervals)
        expect(time_intervals.map(({ name }: { name: string }) => name)).toContain(each);
    }
    const matched = route.routes.flatMap(({ matchers }: { matchers: string[] }) => matchers);
    expect(matched).toEqual(['severity="page"', 'severity="ticket"']);
    // A page must not wait for the working day.
    expect(route.routes[0].active_time_intervals).toBeUndefined();
  });

  it('name alerts that exist', () => {
    const known = new Set(rules.map(({ alert }) => alert));
    const named = JSON.stringify(inhibit_rules).match(/Gatepass\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect(known).toContain(name);
  });

  it('let no alert of the working day silence a page', () => {
    const pages = rules.filter(({ labels }) => labels?.severity === 'page').map(({ alert }) => alert);
    for (const { source_matchers: sources } of inhibit_rules as { source_matchers: string[] }[])
      for (const source of sources)
        expect(['severity="page"', ...pages.map((alert) => `alertname="${alert}"`)]).toContain(source);
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
