import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { eventually } from '../../eventually.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { partner, seededPartner } from './api.ts';
import { aPartner } from './issuer.ts';
import { sampleOf, samplesOf, scrape } from './scrape-metrics.ts';
import { untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** The limits in the metrics, and how far the service is from them. */

const SEPOLIA = 'ethereum/sepolia';
const SIGNER = { network: 'sepolia', signer: inject('localnet').gatekeeper.ethereum };
const { SIGNERS } = env as Env;

afterEach(() => untilFinal());

describe('the metrics of limits', () => {
  it('shows balance and passes left of a signer that has never signed', async () => {
    await partner('acme');
    const steps = await runInDurableObject(SIGNERS.getByName(signerNameOf(sepolia())), (_, { storage: { sql } }) =>
      sql.exec('SELECT 1 FROM step').toArray(),
    );
    expect(steps).toEqual([]);
    await eventually(async () => {
      const found = await scrape();
      expect(sampleOf(found, 'gatepass_signer_balance_coins', SIGNER)).toBeGreaterThan(0);
      expect(sampleOf(found, 'gatepass_signer_passes_left', SIGNER)).toBeGreaterThan(100);
      const shown = samplesOf(found, 'gatepass_signer_paused').length;
      expect(samplesOf(found, 'gatepass_signer_balance_coins')).toHaveLength(shown);
      expect(samplesOf(found, 'gatepass_signer_passes_left')).toHaveLength(shown);
    }, 200);
  });

  it('shows the spending and the ceiling of a signer and of a gatekeeper network', async () => {
    const acme = await partner('acme');
    const wallet = aWallet();
    await acme.issue(SEPOLIA, wallet);
    await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
    const found = await scrape();
    const spent = sampleOf(found, 'gatepass_signer_spent_coins', SIGNER) ?? 0;
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThan(1);
    expect(sampleOf(found, 'gatepass_signer_ceiling_coins', SIGNER)).toBe(100);
    const lane = { ...SIGNER, gatekeeper_network: seededPartner('acme').gatekeeperNetwork };
    expect(sampleOf(found, 'gatepass_lane_spent_coins', lane)).toBeCloseTo(spent, 12);
    expect(sampleOf(found, 'gatepass_lane_ceiling_coins', lane)).toBe(50);
    expect(sampleOf(found, 'gatepass_lane_waiting_steps', lane)).toBe(0);
    expect(sampleOf(found, 'gatepass_client_waiting_limit')).toBe(3_000);
  });

  it('shows the quotas of the busiest partners, and nothing of a partner without a quota', async () => {
    const [limited, free] = [await aPartner({ dailyIssuances: 5, dailyChanges: 7 }), await aPartner()];
    for (const api of [limited, limited, free]) await api.issue(SEPOLIA, aWallet());
    const quotaOf = (quota: string) => ({ partner: limited.clientId, quota });
    const partners = [limited.clientId, free.clientId, 'of no row'];
    const METRICS = { getByName: () => ({ add: async () => {}, read: async () => ({ counts: {}, partners }) }) };
    const found = await scrape({ METRICS });
    expect(sampleOf(found, 'gatepass_quota_used', quotaOf('issuances'))).toBe(2);
    expect(sampleOf(found, 'gatepass_quota_limit', quotaOf('issuances'))).toBe(5);
    expect(sampleOf(found, 'gatepass_quota_used', quotaOf('changes'))).toBe(0);
    expect(samplesOf(found, 'gatepass_quota_limit')).toHaveLength(2);
  });
});
