/** `npm run dashboard` writes the Grafana dashboard of all metrics. With `--check`, it fails if the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FAMILIES } from '../src/http/metrics/families.ts';
import { dashboardOf } from './dashboard/dashboard.ts';
import { Failure, reportFailure } from './failure.ts';

const DASHBOARD = fileURLToPath(new URL('../docs/operators/monitoring/dashboard.json', import.meta.url));

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const text = `${JSON.stringify(dashboardOf(FAMILIES), undefined, 2)}\n`;
  if (!values.check) writeFileSync(DASHBOARD, text);
  else if (readFileSync(DASHBOARD, 'utf8') !== text) {
    throw new Failure('the dashboard does not match the list of metrics: run `npm run dashboard`');
  }
} catch (error) {
  process.exitCode = reportFailure(error);
}
