import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/lib/units.ts';
import { passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { failing, UnreliableDatabase } from '../store/unreliable.ts';
import { partner, seededPartner, workerWith } from './api.ts';
import { withoutBlocks } from './node.ts';
import { sampleOf, samplesOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';

/** The counters that the rules of the service levels read: docs/operators/monitoring/service-levels.yml. */

const { PASSES } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const LATE_PASSES = 2;
const FAILED_REQUESTS = 5;

const acme = await partner('acme');
const { gatekeeperNetwork } = seededPartner('acme');

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

it('counts failed requests by route and late passes by network, and nothing while the service is healthy', async () => {
  await untilActive(await issue());
  const failedIn = (found: Awaited<ReturnType<typeof scrape>>) =>
    samplesOf(found, 'gatepass_requests_failed_total').filter(({ labels }) => labels.route !== '');
  const lateIn = (found: Awaited<ReturnType<typeof scrape>>) =>
    sampleOf(found, 'gatepass_settlements_late_total', { network: 'sepolia', kind: 'issue' }) ?? 0;
  await eventually(async () => {
    const found = await scrape();
    expect(samplesOf(found, 'gatepass_settlement_seconds')).toHaveLength(1);
    expect(lateIn(found)).toBe(0);
    expect(failedIn(found).reduce((sum, { value }) => sum + value, 0)).toBe(0);
  }, 500);

  const database = new UnreliableDatabase();
  database.manner = failing('D1_ERROR: Network connection lost.');
  const unlucky = acme.through(workerWith({ DB: database }));
  for (let requests = 0; requests < FAILED_REQUESTS; requests += 1) expect((await unlucky.search({})).status).toBe(503);
  const late = await withoutBlocks('sepolia', async () => {
    const wallets = await Promise.all(Array.from({ length: LATE_PASSES }, issue));
    for (const wallet of wallets) await age(wallet);
    return wallets;
  });
  await Promise.all(late.map(untilActive));
  await eventually(async () => {
    const found = await scrape();
    expect(lateIn(found)).toBe(LATE_PASSES);
    expect(failedIn(found).reduce((sum, { value }) => sum + value, 0)).toBe(FAILED_REQUESTS);
  }, 500);
});
