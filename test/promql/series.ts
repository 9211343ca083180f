/** Series of samples, and the notation in which promtool's tests write them. */

export type Labels = Readonly<Record<string, string>>;

export interface Series {
  readonly name: string;
  readonly labels: Labels;
  /** In the order of their times (seconds). */
  readonly samples: readonly { readonly t: number; readonly value: number }[];
}

/** Parses the name and the labels of a series, for example `up{job="a"}`. */
export function parseSeries(text: string): Pick<Series, 'name' | 'labels'> {
  const [, name = '', inner = ''] = /^([\w:]+)(?:\{(.*)\})?$/.exec(text.trim()) ?? [];
  const pairs = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return { name, labels: Object.fromEntries(pairs.map(([, label = '', value = '']) => [label, value])) };
}

/** Expands values like `0 1 2+3x4 7x2 _x3` to samples at that interval: `a+bxn` has n more samples, and `_` has none. */
export function expandValues(text: string, interval: number): Series['samples'] {
  const values = text.trim().split(/\s+/).flatMap(expandOne);
  return values.flatMap((value, index) => (value === undefined ? [] : [{ t: index * interval, value }]));
}

function expandOne(text: string): (number | undefined)[] {
  const missing = /^_(?:x(\d+))?$/.exec(text);
  if (missing !== null) return Array.from({ length: Number(missing[1] ?? 1) }, () => undefined);
  const [, first = '', step = '0', times = '0'] = /^(-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/.exec(text) ?? [];
  if (first === '') throw new Error(`not a value of promtool's notation: ${text}`);
  return Array.from({ length: Number(times) + 1 }, (_, index) => Number(first) + index * Number(step));
}

/** Parses a duration like `1h30m`, in seconds. */
export function secondsOf(duration: string): number {
  const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
  const parts = [...duration.matchAll(/(\d+)(ms|[smhdw])/g)];
  if (parts.map(([part]) => part).join('') !== duration) throw new Error(`not a duration: ${duration}`);
  return parts.reduce((sum, [, n, unit = '']) => sum + Number(n) * (units[unit] ?? 0), 0);
}
