import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LOG_EVENTS } from '../../../src/log/events.ts';
import { FAMILIES } from '../../../src/operator/metrics/families.ts';
import { queryOf } from '../../../tools/dashboard/dashboard.ts';
import { DOCUMENTS, tableRows, textOf } from './markdown.ts';

/** The alerts, the dashboard and the scrape example. `promtool.full.test.ts` reads their queries. */

/** A rule of Prometheus: it records a series, or raises an alert. */
interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An alert that an example of `promtool` expects. */
interface AlertExample {
  readonly alertname: string;
  readonly exp_alerts?: readonly { readonly exp_annotations: Readonly<Record<string, string>> }[];
}

const INDEX = 'docs/operators/runbook/README.md';
const RUNBOOK = DOCUMENTS.filter((file) => file.startsWith('docs/operators/runbook/'));

/** Returns the files to which a text of the index links. */
const linkedIn = (text: string) =>
  [...text.matchAll(/\]\(([^)#]+)/g)].map(([, target = '']) => posix.join(posix.dirname(INDEX), target));

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

const namesIn = (query: string) => query.match(/(?<![\w:])gatepass[_:][\w:]+/g) ?? [];

describe('the alerts', () => {
  it.each(allRules)('has a query of existing metrics: $alert$record', ({ expr }) => {
    for (const name of namesIn(expr)) expect([...SAMPLES, ...recorded]).toContain(name);
  });

  it.each(rules)('has a severity and a summary: $alert', ({ labels, annotations }) => {
    expect(['page', 'ticket']).toContain(labels?.severity);
    expect(annotations?.summary).toMatch(/\.$/);
  });

  it.each(rules)('names a page that says what to do about it: $alert', ({ alert = '', annotations }) => {
    const page = annotations?.runbook ?? '';
    expect(textOf(page)).toContain(`\`${alert}\``);
    const [, table = ''] = textOf(INDEX).split('\n## ');
    const [row = ''] = table.split('\n').filter((line) => line.includes(`\`${alert}\``));
    expect(linkedIn(row)).toEqual([page]);
  });

  it('the runbook names no alert that does not exist', () => {
    const known = new Set(rules.map(({ alert }) => alert));
    const named = RUNBOOK.flatMap((page) => textOf(page).match(/\bGatepass[A-Z]\w+/g) ?? []);
    expect(named.filter((alert) => !known.has(alert))).toEqual([]);
  });

  it('their examples expect the annotations that the rules have', () => {
    const examples = ['alerts.test.yml', 'capacity.test.yml'].flatMap(
      (name) => parse(read(`monitoring/${name}`)).tests,
    );
    const expected = examples.flatMap(({ alert_rule_test: tests }: { alert_rule_test: AlertExample[] }) =>
      tests.flatMap(({ alertname, exp_alerts = [] }) =>
        exp_alerts.map((each) => [alertname, each.exp_annotations.runbook]),
      ),
    );
    expect(expected.length).toBeGreaterThan(10);
    for (const [alertname, runbook] of expected)
      expect(rules.filter(({ alert }) => alert === alertname).map(({ annotations }) => annotations?.runbook)).toContain(
        runbook,
      );
  });
});

it('the examples of the alerts read the files of the example for Prometheus', () => {
  const { rule_files } = parse(read('monitoring/prometheus.yml'));
  for (const name of ['alerts.test.yml', 'capacity.test.yml'])
    expect(parse(read(`monitoring/${name}`)).rule_files, name).toEqual(rule_files);
});

describe('the index of the runbook', () => {
  const index = textOf(INDEX);

  it('leads from each log event that deserves an alert to its page', () => {
    const [, alerts = ''] = read('log-events.md').split('\n## ');
    const named = tableRows(alerts).flatMap(([, cell = '']) => cell.match(/(?<=`)[a-z_]+\.[a-z_]+(?=`)/g) ?? []);
    const rows = tableRows(index.split('\n## ')[2] ?? '');
    expect(named.length).toBeGreaterThan(20);
    for (const event of named) {
      const [cell, page = ''] = rows.find(([each = '']) => each.includes(`\`${event}\``)) ?? [];
      expect([event, cell]).toEqual([event, expect.any(String)]);
      if (page !== 'no page') for (const file of linkedIn(page)) expect(DOCUMENTS).toContain(file);
    }
  });

  it('names only log events that exist', () => {
    const named = index.match(/(?<=`)[a-z_]+\.[a-z_]+(?=`)/g) ?? [];
    expect(named.filter((event) => !Object.hasOwn(LOG_EVENTS, event))).toEqual([]);
  });

  it.each(RUNBOOK.filter((page) => page !== INDEX))(
    '%s says what you see, what to do, and which test runs it',
    (page) => {
      const text = textOf(page);
      if (page.endsWith('/reasons-to-wait.md')) expect(text).toContain('| you |');
      else for (const part of ['**You see.**', '**You.**']) expect(text).toContain(part);
      expect(text).toMatch(/\*\*Tested by\*\* (?:`test\/|`npm run test)/);
    },
  );
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
  it('has one panel for each metric, with a query of existing metrics', () => {
    expect(panels.map(({ targets }) => targets[0]?.expr)).toEqual(FAMILIES.map(queryOf));
    for (const { targets, title } of panels) {
      const [target] = targets;
      expect(title).toMatch(/^[A-Z]/);
      for (const name of namesIn(target?.expr ?? '')) expect(SAMPLES).toContain(name);
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
