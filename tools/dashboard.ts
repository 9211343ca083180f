/** `npm run dashboard` writes the Grafana dashboard of all metrics. With `--check`, it fails if the file is out of date. */
import { fileURLToPath } from 'node:url';
import { FAMILIES } from '../src/operator/metrics/families.ts';
import { dashboardOf } from './dashboard/dashboard.ts';
import { writeGenerated } from './generated-file.ts';

const DASHBOARD = fileURLToPath(import.meta.resolve('../docs/operators/monitoring/dashboard.json'));

writeGenerated(
  DASHBOARD,
  'the dashboard does not match the list of metrics: run `npm run dashboard`',
  () => `${JSON.stringify(dashboardOf(FAMILIES), undefined, 2)}\n`,
);
