import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { PromData, PromHistogramData, PromMetrics } from 'prom2javascript';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import { webhookName } from '../../../src/message/hand-over.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import { collectMetrics } from '../../../src/operator/metrics/collect-metrics.ts';
import { FAMILIES } from '../../../src/operator/metrics/families.ts';
import type { Family } from '../../../src/operator/metrics/open-metrics.ts';
import { openStore } from '../../../src/store/store.ts';
import type { WatcherStatus } from '../../../src/watcher-object/watcher-store.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { withOwnTimers } from '../own-timers.ts';
import { partner, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { callNodeOf, withoutBlocks } from './node.ts';
import { anOperator, operator } from './operator.ts';
import { parseMetrics, sampleOf, scrape } from './scrape-metrics.ts';
import { untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** The metrics, as a parser of Prometheus reads them. */

const SEPOLIA = 'ethereum/sepolia';
const { ethereum: KEY } = inject('localnet').gatekeeper;
const acme = await partner('acme');
const ops = await operator();

/** The time after which a scrape gives up an object that does not answer. */
const ANSWER_TIMEOUT_MS = 1_500;

/**
 * Scrapes on a simulated clock, which moves by the time of one answer whenever `isWaiting` holds. It gets the number of
 * moves before. Returns the metrics and the simulated milliseconds.
 */
async function scrapeInSimulatedTime(
  changes: Readonly<Record<string, unknown>>,
  isWaiting: (moves: number) => boolean,
) {
  const scraper = await anOperator({ scope: 'metrics:read' }, workerWith({ ...TRUSTING, ...changes }));
  return withOwnTimers(async () => {
    let moves = 0;
    let answer: Awaited<ReturnType<typeof scraper.call>> | undefined;
    const scraping = scraper.call('GET', '/admin/metrics').then((each) => {
      answer = each;
    });
    while (answer === undefined) {
      if (isWaiting(moves)) {
        moves += 1;
        vi.advanceTimersByTime(ANSWER_TIMEOUT_MS);
      }
      await Promise.race([scraping, scheduler.wait(1)]);
    }
    expect(answer.status).toBe(200);
    return { metrics: await parseMetrics(answer.text), ms: moves * ANSWER_TIMEOUT_MS };
  });
}

/** Returns the signers, of which some do not answer, and the number of the others whose answer is due. */
function signersOfWhich(hangs: (name: string) => boolean) {
  const { SIGNERS } = env as Env;
  const calls = { due: 0, hanging: 0, answered: 0 };
  const getByName = (name: string) => ({
    metrics: async () => {
      if (hangs(name)) {
        calls.hanging += 1;
        return new Promise(() => {});
      }
      calls.due += 1;
      const metrics = await SIGNERS.getByName(name).metrics();
      calls.due -= 1;
      calls.answered += 1;
      return metrics;
    },
  });
  return { SIGNERS: { getByName }, calls };
}

const SIGNER = { network: 'sepolia', signer: KEY };
const histogramOf = (metrics: PromMetrics) =>
  (metrics.gatepass_confirmation_seconds?.data as PromHistogramData[] | undefined)?.find(
    ({ labels }) => labels.network === 'sepolia' && labels.signer === KEY,
  );
const until = <T>(holds: () => Promise<T>) => eventually(holds, 100);

/** Issues a pass and returns when the chain holds it. */
async function issued() {
  const wallet = aWallet();
  await acme.issue(SEPOLIA, wallet);
  return acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
}

afterEach(() => untilFinal());

describe('the metrics of the service', () => {
  it('is OpenMetrics text that ends with its mark, and declares each family once, as the list does', async () => {
    const answer = await ops.call('GET', '/admin/metrics');
    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(answer.text.endsWith('\n# EOF\n')).toBe(true);
    const types = [...answer.text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
    expect(new Set(types.map(([name]) => name)).size).toBe(types.length);
    const listed = FAMILIES.map(({ name, type }) => [name, type]);
    expect(listed).toEqual(expect.arrayContaining(types));
    // Every line is a comment or a sample.
    for (const line of answer.text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (TYPE|UNIT|HELP) \w+ .+|# EOF|\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? -?[\d.e+-]+)$/);
  });

  it.each<Family>(FAMILIES)('has the conventional name $name', ({ name, type, unit, help }) => {
    expect(name).toMatch(/^gatepass_[a-z_]+$/);
    // OpenMetrics: the unit is the last part of the name, and only samples of counters end with `_total`.
    if (unit !== undefined) expect(name.endsWith(`_${unit}`)).toBe(true);
    expect(name).not.toMatch(/_(total|count|sum|bucket|info|created)$/);
    expect(help).toMatch(/^[A-Z].*\.$/);
    expect(['gauge', 'counter', 'histogram', 'info']).toContain(type);
  });

  it('agrees with the signers and with the chain', async () => {
    await issued();
    // Without known funds, the first scrape begins to read them.
    const signerName = signerNameOf(sepolia());
    await runInDurableObject((env as Env).SIGNERS.getByName(signerName), (_, { storage }) =>
      storage.kv.delete('funds'),
    );
    await evictDurableObject((env as Env).SIGNERS.getByName(signerName));
    expect(sampleOf(await scrape(), 'gatepass_signer_balance_coins', SIGNER)).toBeUndefined();
    const metrics = await until(async () => {
      const found = await scrape();
      expect(sampleOf(found, 'gatepass_signer_balance_coins', SIGNER)).toBeGreaterThan(0);
      return found;
    });
    const shown = JSON.parse((await ops.call('GET', '/admin/signers')).text).signers;
    const signer = shown.find(
      (each: { network: string; address: string }) => each.network === 'sepolia' && each.address === KEY,
    );
    const balance = BigInt((await callNodeOf('sepolia', 'eth_getBalance', KEY, 'latest')) as string);
    expect(sampleOf(metrics, 'gatepass_signer_balance_coins', SIGNER)).toBeCloseTo(Number(balance) / 1e18, 1);
    const left = sampleOf(metrics, 'gatepass_signer_passes_left', SIGNER) ?? 0;
    expect(left / signer.passesLeft).toBeGreaterThan(0.5);
    expect(left / signer.passesLeft).toBeLessThan(2);
    expect(sampleOf(metrics, 'gatepass_signer_paused', SIGNER)).toBe(0);
    expect(sampleOf(metrics, 'gatepass_signers_missing')).toBe(0);
    expect(sampleOf(metrics, 'gatepass_shard_size_bytes', { shard: 'DB' })).toBeGreaterThan(4_096);
    expect(sampleOf(metrics, 'gatepass_shard_limit_bytes')).toBe(10_000_000_000);
    expect(sampleOf(metrics, 'gatepass_dead_letters')).toBe(0);
    expect(shown.map(({ network, address }: Record<string, string>) => [network, address]).toSorted()).toEqual(
      ((metrics.gatepass_signer_paused?.data ?? []) as PromData[])
        .map(({ labels }) => [labels.network, labels.signer])
        .toSorted(),
    );
  });

  it('counts an issuance once, with its time from the signature to the confirmation', async () => {
    const before = await scrape();
    const began = Date.now();
    const wallet = aWallet();
    let after: PromMetrics = {};
    // Only one block is made, so the transaction is confirmed and cannot be final.
    await withoutBlocks('sepolia', async () => {
      await acme.issue(SEPOLIA, wallet);
      await acme.watch(SEPOLIA, wallet, ({ events }) => events[0]?.transaction !== undefined);
      await callNodeOf('sepolia', 'evm_mine');
      await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
      after = await scrape();
    });
    const growth = (name: string) => (sampleOf(after, name, SIGNER) ?? 0) - (sampleOf(before, name, SIGNER) ?? 0);
    expect(growth('gatepass_passes_issued_total')).toBe(1);
    expect(growth('gatepass_steps_failed_total')).toBe(0);
    const [old, histogram] = [histogramOf(before), histogramOf(after)];
    expect((histogram?.count ?? 0) - (old?.count ?? 0)).toBe(1);
    const seconds = (histogram?.sum ?? 0) - (old?.sum ?? 0);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual((Date.now() - began) / 1000 + 1);
    const buckets = Object.values(histogram?.buckets ?? {});
    expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
    expect(histogram?.buckets['+Inf']).toBe(histogram?.count);
    expect(
      sampleOf(after, 'gatepass_signer_in_flight_transactions', { ...SIGNER, stage: 'confirmed' }),
    ).toBeGreaterThan(0);
  });

  it('shows waiting work by rank, the pause and the age of the oldest transaction', async () => {
    await withoutBlocks('sepolia', async () => {
      await acme.issue(SEPOLIA, aWallet());
      await until(async () => {
        const metrics = await scrape();
        expect(sampleOf(metrics, 'gatepass_signer_oldest_pending_seconds', SIGNER)).toBeGreaterThan(0);
        expect(sampleOf(metrics, 'gatepass_signer_in_flight_transactions', { ...SIGNER, stage: 'sent' })).toBe(1);
      });
    });
    const rich = (await callNodeOf('sepolia', 'eth_getBalance', KEY, 'latest')) as string;
    await untilFinal();
    await callNodeOf('sepolia', 'anvil_setBalance', KEY, '0x0');
    try {
      await acme.issue(SEPOLIA, aWallet());
      await until(async () => expect(sampleOf(await scrape(), 'gatepass_signer_paused', SIGNER)).toBe(1));
      // The first transaction is signed, and the nodes refuse it. The second one is not signed.
      await acme.issue(SEPOLIA, aWallet());
      await until(async () => {
        const metrics = await scrape();
        expect(sampleOf(metrics, 'gatepass_signer_paused', SIGNER)).toBe(1);
        expect(sampleOf(metrics, 'gatepass_signer_waiting_steps', { ...SIGNER, rank: '1' })).toBe(1);
        expect(sampleOf(metrics, 'gatepass_signer_waiting_steps', { ...SIGNER, rank: '2' })).toBe(0);
      });
    } finally {
      await callNodeOf('sepolia', 'anvil_setBalance', KEY, rich);
    }
    await until(async () => expect(sampleOf(await scrape(), 'gatepass_signer_paused', SIGNER)).toBe(0));
  });
});

describe('a scrape', () => {
  it('counts a signer that does not answer in time, and shows everything else', async () => {
    const { SIGNERS, calls } = signersOfWhich((name) => name.includes('devnet'));
    const isWaiting = () => calls.hanging === 2 && calls.answered > 0 && calls.due === 0;
    const { metrics, ms } = await scrapeInSimulatedTime({ SIGNERS }, (moves) => moves === 0 && isWaiting());
    expect(ms).toBe(ANSWER_TIMEOUT_MS);
    expect(sampleOf(metrics, 'gatepass_signers_missing')).toBe(2);
    expect(sampleOf(metrics, 'gatepass_signer_paused', SIGNER)).toBeDefined();
  });

  it('shows each watcher that has begun, and counts watchers that do not answer in time', async () => {
    const now = Math.floor(Date.now() / 1000);
    const status = {
      isOn: true,
      coveredUntil: now - 40,
      gaps: 3,
      unservedGaps: 1,
      waiting: 2,
      foreignChanges: 7,
      issuedByOthers: [],
      removedGatekeepers: [{ gatekeeperNetwork: newGatekeeperNetwork(), gatekeeper: KEY }],
      why: null,
    };
    const statuses: Record<string, WatcherStatus | undefined> = {
      sepolia: status,
      baseSepolia: { ...status, isOn: false, foreignChanges: 1 },
    };
    let hanging = 0;
    const getByName = (network: string) => ({
      status: async () => {
        if (network !== 'devnet') return statuses[network];
        hanging += 1;
        return new Promise(() => {});
      },
    });
    const isHanging = (moves: number) => moves === 0 && hanging === 1;
    const { metrics } = await scrapeInSimulatedTime({ WATCHERS: { getByName } }, isHanging);
    const of = (name: string) => ({
      sepolia: sampleOf(metrics, name, { network: 'sepolia' }),
      baseSepolia: sampleOf(metrics, name, { network: 'baseSepolia' }),
    });
    const { sepolia: lag, baseSepolia: lagOfOff } = of('gatepass_watch_lag_seconds');
    expect(lag).toBeGreaterThanOrEqual(40);
    expect(lag).toBeLessThan(60);
    expect(lagOfOff).toBeUndefined();
    expect(of('gatepass_watch_waiting_changes')).toEqual({ sepolia: 2, baseSepolia: undefined });
    expect(of('gatepass_watch_unserved_gaps')).toEqual({ sepolia: 1, baseSepolia: undefined });
    expect(of('gatepass_foreign_changes_total')).toEqual({ sepolia: 7, baseSepolia: 1 });
    expect(of('gatepass_removed_gatekeepers')).toEqual({ sepolia: 1, baseSepolia: 1 });
    expect(sampleOf(metrics, 'gatepass_watchers_missing')).toBe(1);
    expect(sampleOf(metrics, 'gatepass_foreign_changes_total', { network: 'devnet' })).toBeUndefined();
  });

  it('shows the lag of the slowest webhook, and counts webhooks that fail or that the service disabled', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ gatekeeperNetwork });
    const ids: string[] = [];
    for (let webhooks = 0; webhooks < 4; webhooks += 1) {
      const { text } = await api.post('/webhooks', { url: `${inject('webhookReceiver')}/${crypto.randomUUID()}` });
      ids.push(JSON.parse(text).id);
    }
    const { DB, WEBHOOKS } = env as Env;
    await DB.prepare('UPDATE feeds SET sequence = 12 WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).run();
    const stored = [{ cursor: 12 }, { cursor: 5, failingSince: 1 }, { disabled: 'gone' }, { disabled: 'partner' }];
    for (const [index, change] of stored.entries())
      await runInDurableObject(
        WEBHOOKS.getByName(webhookName(gatekeeperNetwork, ids[index] ?? '')),
        (_, { storage: { kv } }) => kv.put('webhook', { ...kv.get<object>('webhook'), ...change }),
      );
    const metrics = await scrape();
    const labels = { gatekeeper_network: gatekeeperNetwork };
    expect(sampleOf(metrics, 'gatepass_webhook_lag_events', labels)).toBe(7);
    expect(sampleOf(metrics, 'gatepass_webhooks_failing')).toBe(1);
    expect(sampleOf(metrics, 'gatepass_webhooks_disabled')).toBe(1);
    expect(sampleOf(metrics, 'gatepass_webhooks_missing')).toBe(0);
  });

  it('covers the webhooks of 1,001 gatekeeper networks', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ gatekeeperNetwork });
    await api.post('/webhooks', { url: `${inject('webhookReceiver')}/${crypto.randomUUID()}` });
    const { DB, WEBHOOKS: objects } = env as Env;
    // The start of a thousand objects takes longer on this machine than on the platform.
    const WEBHOOKS = {
      getByName: (name: string) => (name.startsWith('0') ? { read: async () => undefined } : objects.getByName(name)),
    };
    await DB.prepare('UPDATE feeds SET sequence = 9 WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).run();
    const others = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => `0 other ${index}`));
    const fill = "INSERT INTO feeds SELECT value, 0, json_array('none') FROM json_each(?)";
    await DB.prepare(fill).bind(others).run();
    try {
      const metrics = await scrape({ WEBHOOKS });
      expect(sampleOf(metrics, 'gatepass_webhook_lag_events', { gatekeeper_network: gatekeeperNetwork })).toBe(9);
      expect(sampleOf(metrics, 'gatepass_webhooks_unread')).toBe(0);
      // A scrape that may ask fewer webhooks counts the others.
      const backend = openBackend({ ...(env as Env), WEBHOOKS } as unknown as Env, openStore(env as Env));
      const { webhooks } = await collectMetrics(configOf(env as Env), backend, 300, 400);
      const count = await backend.store.countWebhooks();
      expect(webhooks.unread).toBe(count - 400);
      expect(count).toBeGreaterThan(1_000);
    } finally {
      await DB.prepare("DELETE FROM feeds WHERE gatekeeper_network LIKE '0 other %'").run();
    }
  });

  it('ends within seconds although no webhook answers, and counts those that it did not ask', async () => {
    const { DB } = env as Env;
    const others = JSON.stringify(Array.from({ length: 600 }, (_, index) => `0 other ${index}`));
    await DB.prepare("INSERT INTO feeds SELECT value, 0, json_array('none') FROM json_each(?)").bind(others).run();
    try {
      const { SIGNERS, calls } = signersOfWhich(() => false);
      let asked = 0;
      const read = () => {
        asked += 1;
        return new Promise(() => {});
      };
      // It asks a hundred at a time.
      const isWaiting = (moves: number) => calls.due === 0 && calls.answered > 0 && asked === 100 * (moves + 1);
      const { metrics, ms } = await scrapeInSimulatedTime(
        { SIGNERS, WEBHOOKS: { getByName: () => ({ read }) } },
        isWaiting,
      );
      expect(ms).toBeLessThan(9_000);
      expect(asked).toBeLessThan(600);
      const [unread = 0, missing = 0] = ['unread', 'missing'].map((kind) =>
        sampleOf(metrics, `gatepass_webhooks_${kind}`),
      );
      expect(unread).toBeGreaterThan(0);
      expect(unread + missing).toBeGreaterThanOrEqual(600);
      expect(sampleOf(metrics, 'gatepass_signer_paused', SIGNER)).toBeDefined();
    } finally {
      await DB.prepare("DELETE FROM feeds WHERE gatekeeper_network LIKE '0 other %'").run();
    }
  });

  it('shows the signers while no database answers', async () => {
    const broken = {
      prepare: () => ({ bind: () => broken.prepare(), all: fail, first: fail }),
      withSession: () => broken,
    };
    const metrics = await scrape({ DB: broken, DB_1: broken });
    expect(sampleOf(metrics, 'gatepass_shards_missing')).toBeGreaterThan(0);
    expect(sampleOf(metrics, 'gatepass_dead_letters')).toBeUndefined();
    expect(sampleOf(metrics, 'gatepass_signer_paused', SIGNER)).toBeDefined();
  });

  it('returns the same text for 15 seconds', async () => {
    const scraper = await anOperator({ scope: 'metrics:read' }, workerWith(TRUSTING));
    const text = async () => (await scraper.call('GET', '/admin/metrics')).text;
    const since = Date.now();
    const setClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: since + ms });
    setClock(0);
    try {
      const first = await text();
      vi.useRealTimers();
      await issued();
      setClock(14_999);
      expect(await text()).toBe(first);
      setClock(15_000);
      expect(await text()).not.toBe(first);
    } finally {
      vi.useRealTimers();
    }
  });

  it('needs the scope of the metrics, which gives no other right', async () => {
    const scraper = await anOperator({ scope: 'metrics:read' });
    expectProblem(await scraper.call('GET', '/admin/signers'), 'insufficient_scope');
    const reader = await anOperator({ scope: 'admin:read' });
    expectProblem(await reader.call('GET', '/admin/metrics'), 'insufficient_scope', { detail: 'metrics:read' });
    const admin = await anOperator({ scope: 'admin' });
    expect((await admin.call('GET', '/admin/metrics')).status).toBe(200);
  });
});

const fail = () => Promise.reject(new Error('the database does not answer'));
