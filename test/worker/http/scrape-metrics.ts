import { getMetricsFromIterator, type PromData, type PromMetrics } from 'prom2javascript';
import { expect } from 'vitest';
import { workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';

/** Returns the metrics of another Worker than before, because a Worker keeps its text for 15 s. */
export async function scrape(changes: Readonly<Record<string, unknown>> = {}): Promise<PromMetrics> {
  const scraper = await anOperator({ scope: 'metrics:read' }, workerWith({ ...TRUSTING, ...changes }));
  const { status, text } = await scraper.call('GET', '/admin/metrics');
  expect(status).toBe(200);
  return parseMetrics(text);
}

/** Reads the text as a parser of Prometheus does. */
export const parseMetrics = (text: string) => getMetricsFromIterator(text.split('\n')[Symbol.iterator]());

/** Returns the samples of that name with these labels. */
export function samplesOf(
  metrics: PromMetrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): PromData[] {
  const samples = (metrics[name]?.data ?? []) as PromData[];
  return samples.filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value));
}

/** Returns the value of a sample; undefined if there is none. */
export function sampleOf(
  metrics: PromMetrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const matches = samplesOf(metrics, name, labels);
  expect(matches.length).toBeLessThanOrEqual(1);
  return matches[0]?.value;
}
