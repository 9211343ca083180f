import { beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../../eventually.ts';
import { Api, deployed } from './api.ts';
import { aPartner } from './issuer.ts';
import { sampleOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';

/** The log lines of refusals that everybody can cause, and their counts. */

const printed: Record<string, unknown>[] = [];
const FLOOD = 2_000;

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(JSON.parse(line)));
  vi.spyOn(console, 'error').mockReturnValue();
});

const linesWith = (code: string) => printed.filter((line) => line.code === code);

it('the log has a few lines of a flood of refusals, and the metrics count each one', async () => {
  const partner = await aPartner();
  const stranger = new Api(undefined, deployed);
  const [minuteBefore, minute] = [Date.now(), 60_000];
  for (let sent = 0; sent < FLOOD; sent += 100)
    await Promise.all(Array.from({ length: 100 }, () => stranger.call('GET', `/pass/ethereum/sepolia/${aWallet()}`)));
  for (let sent = 0; sent < 200; sent += 1) await partner.fetch('ethereum/sepolia', aWallet());
  const changes = Array.from({ length: 150 }, () => partner.update('ethereum/sepolia', aWallet(), { state: 'FROZEN' }));
  for (const { status } of await Promise.all(changes)) expect(status).toBe(404);
  const minutes = Math.ceil((Date.now() - minuteBefore) / minute) + 1;
  // A hundredth of the others, with six standard deviations.
  expect(linesWith('token_missing').length).toBeLessThanOrEqual(minutes * 100 + 20 + 27);
  expect(linesWith('token_missing').length).toBeGreaterThanOrEqual(100);
  const ofPartner = linesWith('pass_not_found');
  expect(ofPartner.filter(({ method }) => method === 'GET').length).toBeLessThan(200);
  // Each request that may change something has its line.
  expect(ofPartner.filter(({ method }) => method === 'PATCH')).toHaveLength(150);
  await eventually(async () => {
    expect(sampleOf(await scrape(), 'gatepass_refusals_total', { code: 'token_missing' })).toBe(FLOOD);
  }, 300);
});
