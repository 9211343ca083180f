import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { PromHistogramData, PromMetrics } from 'prom2javascript';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import alerts from '../../../docs/operators/monitoring/alerts.yml?raw';
import serviceLevels from '../../../docs/operators/monitoring/service-levels.yml?raw';
import { MINUTE_MS } from '../../../src/lib/time.ts';
import { passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { type Rule, runRules } from '../../promql/run-rules.ts';
import type { Series } from '../../promql/series.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { partner, seededPartner, workerWith } from './api.ts';
import { withoutBlocks } from './node.ts';
import { sampleOf, samplesOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';

/** The alerts of the service levels, on what scrapes of a healthy and of a broken service show. */

const { PASSES } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const rules: Rule[] = [alerts, serviceLevels].flatMap((text) =>
  parse(text).groups.flatMap((group: { rules: Rule[] }) => group.rules),
);
const LATE_PASSES = 6;
/** A few slow requests on a busy machine stay within the error budget. */
const HEALTHY_REQUESTS = 400;
const TOGETHER = 10;
const FAILED_REQUESTS = 30;

const acme = await partner('acme');
const { gatekeeperNetwork } = seededPartner('acme');

const requestsIn = (found: PromMetrics, name = 'gatepass_requests_total') =>
  samplesOf(found, name).reduce((sum, { value }) => sum + value, 0);
const settledIn = (found: PromMetrics) =>
  ((found.gatepass_settlement_seconds?.data ?? []) as PromHistogramData[]).reduce((sum, { count }) => sum + count, 0);

async function issue() {
  const wallet = aWallet();
  await acme.issue(SEPOLIA, wallet);
  return wallet;
}
const untilActive = (wallet: ReturnType<typeof aWallet>) =>
  acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'ACTIVE');

/** Makes a pass ten minutes older that waits, as if the chain had been away for that time. */
async function age(wallet: ReturnType<typeof aWallet>) {
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as const;
  await runInDurableObject(PASSES.getByName(passName(key)), (_, { storage: { kv } }) => {
    const stored = kv.get<{ awaited: { at: number } }>('pass');
    expect(stored?.awaited).toBeDefined();
    const at = (stored?.awaited.at ?? 0) - 10 * MINUTE_MS;
    kv.put('pass', { ...stored, awaited: { ...stored?.awaited, at } });
  });
}

/** Issues passes that become ACTIVE late. */
async function issueLate() {
  const wallets = await withoutBlocks('sepolia', async () => {
    const issued = await Promise.all(Array.from({ length: LATE_PASSES }, issue));
    for (const wallet of issued) await age(wallet);
    return issued;
  });
  await Promise.all(wallets.map(untilActive));
}

/** The scrapes: of a young service, after more traffic, and after failures. */
let scrapes: Readonly<Record<'young' | 'healthy' | 'broken' | 'worse', PromMetrics>>;

beforeAll(async () => {
  const scrapedAfter = (holds: (found: PromMetrics) => void) =>
    eventually(async () => {
      const found = await scrape();
      holds(found);
      return found;
    }, 500);
  await untilActive(await issue());
  const young = await scrapedAfter((found) => expect(settledIn(found)).toBe(1));
  const before = requestsIn(young);
  // Few at once: many would wait for each other, and on a busy machine count as late.
  for (let requests = 0; requests < HEALTHY_REQUESTS; requests += TOGETHER)
    await Promise.all(Array.from({ length: TOGETHER }, () => acme.search({})));
  await untilActive(await issue());
  const healthy = await scrapedAfter((found) => {
    expect(settledIn(found)).toBe(2);
    expect(requestsIn(found)).toBeGreaterThan(before + HEALTHY_REQUESTS);
  });
  const database = new UnreliableDatabase();
  database.manner = failing('D1_ERROR: Network connection lost.');
  const unlucky = acme.through(workerWith({ DB: database }));
  for (let requests = 0; requests < FAILED_REQUESTS; requests += 1) expect((await unlucky.search({})).status).toBe(503);
  const lateIn = (found: PromMetrics) =>
    sampleOf(found, 'gatepass_settlements_late_total', { network: 'sepolia', kind: 'issue' });
  await issueLate();
  const broken = await scrapedAfter((found) => {
    expect(lateIn(found)).toBeGreaterThanOrEqual(LATE_PASSES);
    expect(requestsIn(found, 'gatepass_requests_failed_total')).toBeGreaterThanOrEqual(FAILED_REQUESTS);
  });
  await issueLate();
  const worse = await scrapedAfter((found) => expect(lateIn(found)).toBeGreaterThanOrEqual(2 * LATE_PASSES));
  scrapes = { young, healthy, broken, worse };
});

/** Returns the series of scrapes every minute, each with the value of the scrape that was the newest one then. */
function seriesOf(scraped: readonly (readonly [minutes: number, found: PromMetrics])[]): Series[] {
  const series = new Map<
    string,
    { name: string; labels: Record<string, string>; samples: Series['samples'][number][] }
  >();
  let t = 0;
  for (const [minutes, found] of scraped)
    for (let minute = 0; minute < minutes; minute += 1, t += 60)
      for (const [family, { data }] of Object.entries(found))
        for (const each of data as readonly { labels: Record<string, string>; value?: number; count?: number }[]) {
          const name = each.value === undefined ? `${family}_count` : family;
          const key = JSON.stringify([name, each.labels]);
          const known = series.get(key) ?? { name, labels: each.labels, samples: [] };
          series.set(key, known);
          known.samples.push({ t, value: each.value ?? each.count ?? 0 });
        }
  return [...series.values()];
}

function firingAfter(scraped: Parameters<typeof seriesOf>[0]): string[] {
  const minutes = scraped.reduce((sum, [each]) => sum + each, 0) - 1;
  const firing = runRules(rules, seriesOf(scraped), { until: minutes * 60, interval: 60 });
  return [...new Set(firing.get(minutes * 60)?.map(({ alert, labels }) => `${alert} ${labels.severity}`))].toSorted();
}

describe('the alerts of the service levels', () => {
  it('are silent while the service is healthy', () => {
    const { young, healthy } = scrapes;
    const firing = firingAfter([
      [30, young],
      [45, healthy],
    ]);
    expect(firing.filter((each) => /^Gatepass(Requests|Passes|Partners|Ceiling|Counts)/.test(each))).toEqual([]);
  });

  it('page when requests fail and passes are late', () => {
    const { young, healthy, broken, worse } = scrapes;
    const firing = firingAfter([
      [30, young],
      [30, healthy],
      [1, broken],
    ]);
    expect(firing).toContain('GatepassRequestsFail page');
    // The alert about passes waits for five minutes, so that a peak of fees wakes nobody.
    expect(firing).not.toContain('GatepassPassesLate page');
    const later = firingAfter([
      [30, young],
      [30, healthy],
      [4, broken],
      [3, worse],
    ]);
    expect(later).toContain('GatepassPassesLate page');
  });
});
