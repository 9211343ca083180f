import type { Family } from '../../src/operator/metrics/open-metrics.ts';

/** A Grafana dashboard with one panel for each metric. */

const COLUMNS = 2;
const GRID_WIDTH = 24;
const PANEL_HEIGHT = 8;

/** Grafana's names of the units. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'bytes' };

/** Returns the query of a metric: a rate of a counter, the 95th percentile of a histogram, and the value of a gauge. */
export function queryOf({ name, type, by = 'network' }: Pick<Family, 'name' | 'type' | 'by'>): string {
  switch (type) {
    case 'counter':
      return `sum by (${by}) (rate(${name}_total[$__rate_interval]))`;
    case 'histogram':
      return `histogram_quantile(0.95, sum by (${by}, le) (rate(${name}_bucket[$__rate_interval])))`;
    case 'gauge':
      return name;
    case 'info':
      return `${name}_info`;
  }
}

const TITLES = { counter: ' per second', histogram: ', 95th percentile', gauge: '', info: '' } as const;

export function dashboardOf(metrics: readonly Family[]): object {
  return {
    title: 'Gatepass',
    uid: 'gatepass',
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list: [{ name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels: metrics.map(panelOf),
  };
}

function panelOf(metric: Family, index: number): object {
  const { name, type, unit = '', help } = metric;
  const width = GRID_WIDTH / COLUMNS;
  const title = name.replace(/^gatepass_/, '').replaceAll('_', ' ');
  return {
    id: index + 1,
    type: 'timeseries',
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)}${TITLES[type]}`,
    description: help,
    datasource: { type: 'prometheus', uid: '$source' },
    gridPos: {
      x: (index % COLUMNS) * width,
      y: Math.floor(index / COLUMNS) * PANEL_HEIGHT,
      w: width,
      h: PANEL_HEIGHT,
    },
    fieldConfig: { defaults: { unit: UNITS[unit] ?? 'short', min: 0 }, overrides: [] },
    targets: [{ refId: 'A', expr: queryOf(metric), legendFormat: '__auto' }],
  };
}
