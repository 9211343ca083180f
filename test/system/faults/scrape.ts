import { setTimeout as sleep } from 'node:timers/promises';
import { getMetricsFromIterator, type PromData, type PromMetrics } from 'prom2javascript';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';

/** Scrapes the metrics like Prometheus. */

/** Calls a route of the operator. Throws unless it answers 200. */
export async function readAdmin(facts: LocalnetFacts, path: string): Promise<string> {
  const authorization = `Bearer ${await fetchToken(facts.tokenUrl, facts.operator)}`;
  const response = await fetch(`${facts.baseUrl}/admin/${path}`, { headers: { authorization } });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`GET /admin/${path}: ${response.status} ${text}`);
  return text;
}

export async function scrape(facts: LocalnetFacts): Promise<PromMetrics> {
  const text = await readAdmin(facts, 'metrics');
  if (!text.endsWith('# EOF\n')) throw new Error('the metrics have no end');
  return getMetricsFromIterator(text.split('\n')[Symbol.iterator]());
}

/** Scrapes until the work has ended. Returns the result of the work and the scrapes. Throws if one of them fails. */
export async function scrapeDuring<T>(facts: LocalnetFacts, work: Promise<T>): Promise<[T, PromMetrics[]]> {
  const scrapes: PromMetrics[] = [];
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    scrapes.push(await scrape(facts));
    await Promise.race([ended.catch(() => undefined), sleep(2_000)]);
  }
  return [await ended, scrapes];
}

export const samplesOf = (metrics: PromMetrics, name: string) => (metrics[name]?.data ?? []) as PromData[];

export const sumOf = (metrics: PromMetrics, name: string) =>
  samplesOf(metrics, name).reduce((sum, { value }) => sum + value, 0);
