import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { textOf } from './markdown.ts';

/** Prometheus's own tool reads the rules, their examples and the dashboard, where it is installed. The workflow `Checks` installs it. */

const MONITORING = join(import.meta.dirname, '../../../docs/operators/monitoring');
const panels: { targets: { expr: string }[] }[] = JSON.parse(textOf('docs/operators/monitoring/dashboard.json')).panels;

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

function promtool(...args: string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: MONITORING, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
const isInstalled = spawnSync('promtool', ['--version']).error === undefined;

/** Checks the queries as rules. JSON is YAML. */
function checkQueries(queries: readonly string[]) {
  const rules = queries.map((expr, index) => ({ record: `query:${index}`, expr }));
  const file = join(folder, 'rules.yml');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
  return promtool('check', 'rules', file);
}

describe.skipIf(!isInstalled)('promtool', () => {
  it.each`
    args
    ${['check', 'rules', 'alerts.yml', 'service-levels.yml']}
    ${['test', 'rules', 'alerts.test.yml', 'capacity.test.yml']}
    ${['check', 'config', '--syntax-only', 'prometheus.yml']}
  `('accepts $args', ({ args }) => {
    const { status, output } = promtool(...args);
    expect(status, output).toBe(0);
  });

  it('accepts the queries of the dashboard, and refuses a faulty one', () => {
    // Grafana replaces its variable before Prometheus reads the query.
    const queries = panels.flatMap(({ targets }) =>
      targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
    );
    const { status, output } = checkQueries(queries);
    expect(status, output).toBe(0);
    expect(checkQueries(['rate(gatepass_requests_total[5x])']).status).not.toBe(0);
  });
});
