import type { PromHistogramData, PromMetrics } from 'prom2javascript';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../eventually.ts';
import { Api, deployed, partner, seededPartner, workerWith } from './api.ts';
import { aPartner, aToken, newClientId, TRUSTING } from './issuer.ts';
import { sampleOf, samplesOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';

/** The counts of the isolates in the metrics. All requests come first, because an isolate sends its counts ten seconds later. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const ACME = seededPartner('acme').clientId;
const strange = 'x"}\\ ,partner="root';

let metrics: PromMetrics;

beforeAll(async () => {
  const wallet = aWallet();
  await acme.issue(SEPOLIA, wallet);
  await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
  await acme.update(SEPOLIA, wallet, { state: 'FROZEN' });
  await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'FROZEN');

  const api = await aPartner({ clientId: strange });
  for (let requests = 0; requests < 3; requests += 1) await api.call('GET', `/pass/${SEPOLIA}/${aWallet()}`);
  await api.postText(`/pass/${SEPOLIA}`, '{');
  await api.post('/passes', { items: [{ chain: 'ethereum' }] });
  await api.call('HEAD', `/pass/${SEPOLIA}/${aWallet()}`);

  const stranger = new Api(undefined, deployed);
  for (let paths = 0; paths < 30; paths += 1) await stranger.call('GET', `/pass/${paths}"x/sepolia/${aWallet()}`);
  for (let paths = 0; paths < 30; paths += 1) await stranger.call('GET', `/${crypto.randomUUID()}?partner=x`);
  const expired = await aToken({ client_id: newClientId(), exp: 1 });
  const foreign = await aToken({ client_id: newClientId(), aud: 'https://other.example' });
  for (const token of [expired, expired, foreign])
    await new Api(token, workerWith(TRUSTING)).call('GET', `/pass/${SEPOLIA}/${aWallet()}`);
  const unknown = await aToken({ client_id: 'nobody of the partners' });
  await new Api(unknown, workerWith(TRUSTING)).call('GET', `/pass/${SEPOLIA}/${aWallet()}`);

  metrics = await eventually(async () => {
    const found = await scrape();
    expect(sampleOf(found, 'gatepass_refusals_total', { code: 'client_unknown' })).toBe(1);
    expect(settled(found, 'issue')?.count).toBe(1);
    expect(settled(found, 'freeze')?.count).toBe(1);
    return found;
  }, 500);
});

const settled = (found: PromMetrics, kind: string) =>
  (found.gatepass_settlement_seconds?.data as PromHistogramData[] | undefined)?.find(
    ({ labels }) => labels.network === 'sepolia' && labels.kind === kind,
  );
const requests = (labels: Readonly<Record<string, string>>) =>
  samplesOf(metrics, 'gatepass_requests_total', labels).reduce((sum, { value }) => sum + value, 0);

describe('the counts of the isolates', () => {
  it('has the requests of each partner by route, method and class of the status', () => {
    expect(requests({ partner: ACME, method: 'POST', status: '2xx' })).toBe(1);
    expect(requests({ partner: ACME, method: 'PATCH', status: '2xx' })).toBe(1);
    expect(requests({ partner: strange })).toBe(6);
    expect(requests({ method: 'GET', status: '4xx', partner: strange })).toBe(4);
  });

  it('has no label that a caller chose: sixty paths are two routes', () => {
    const labels = samplesOf(metrics, 'gatepass_requests_total').map(({ labels: each }) => each);
    const routes = new Set(labels.map(({ route = '' }) => route));
    for (const route of routes) expect(route).toMatch(/^(\/[\w.:-]+)*$/);
    expect(routes.size).toBeLessThan(12);
    expect(requests({ method: 'GET', status: '4xx' })).toBeGreaterThanOrEqual(36);
    expect(
      samplesOf(metrics, 'gatepass_requests_total').filter(({ labels: { route } }) => route === undefined),
    ).toEqual([expect.objectContaining({ labels: { status: '4xx' } })]);
  });

  it('names as a partner only who is registered', () => {
    const partners = new Set(
      samplesOf(metrics, 'gatepass_requests_total').flatMap(({ labels: { partner: name } }) => name ?? []),
    );
    expect(partners).toEqual(new Set([ACME, strange]));
  });

  it('has the refusals by code, and the refused tokens by reason', () => {
    expect(sampleOf(metrics, 'gatepass_refusals_total', { code: 'invalid_json' })).toBe(1);
    expect(sampleOf(metrics, 'gatepass_refusals_total', { code: 'pass_not_found' })).toBe(4);
    expect(sampleOf(metrics, 'gatepass_tokens_refused_total', { reason: 'expired' })).toBe(2);
    expect(sampleOf(metrics, 'gatepass_tokens_refused_total', { reason: 'audience' })).toBe(1);
    expect(sampleOf(metrics, 'gatepass_tokens_refused_total', { reason: 'missing' })).toBe(30);
  });

  it('has the time of requests from their acceptance until the read model shows the effect', () => {
    const issued = settled(metrics, 'issue');
    expect(issued?.sum).toBeGreaterThan(0);
    expect(issued?.buckets['+Inf']).toBe(1);
    expect(sampleOf(metrics, 'gatepass_network_time_seconds', { network: 'sepolia' })).toBeGreaterThan(30);
  });

  it('has the time of messages in the queue', () => {
    const [single] = (metrics.gatepass_queue_age_seconds?.data ?? []) as PromHistogramData[];
    expect(single?.labels).toEqual({ queue: 'single' });
    expect(single?.count).toBeGreaterThanOrEqual(2);
  });

  it('has the version of the code', () => {
    expect(samplesOf(metrics, 'gatepass_build_info')).toMatchObject([{ labels: { commit: 'unknown' }, value: 1 }]);
  });
});

describe('a metrics object that does not answer', () => {
  it('neither fails nor delays a request, and the metrics say that the counts are missing', async () => {
    const never = () => new Promise(() => {});
    const METRICS = { getByName: () => ({ add: never, read: () => Promise.reject(new Error('away')) }) };
    const api = new Api(undefined, workerWith({ METRICS }));
    expect((await api.call('GET', '/health')).status).toBe(200);
    const found = await scrape({ METRICS });
    expect(sampleOf(found, 'gatepass_counts_missing')).toBe(1);
    expect(sampleOf(found, 'gatepass_signers_missing')).toBe(0);
    expect(samplesOf(found, 'gatepass_requests_total')).toEqual([]);
  });
});

it('a text of a label is escaped', async () => {
  const sums = { counts: { [`requests\n/a\nGET\n2xx\n${strange}`]: 1 }, partners: [strange] };
  const METRICS = { getByName: () => ({ add: async () => {}, read: async () => sums }) };
  const found = await scrape({ METRICS });
  expect(samplesOf(found, 'gatepass_requests_total').map(({ labels }) => labels.route)).toEqual(['/a']);
});
