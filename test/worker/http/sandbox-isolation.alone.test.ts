import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { webhookName } from '../../../src/message/hand-over.ts';
import { formatSignerName } from '../../../src/network/network.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import { collectMetrics } from '../../../src/operator/metrics/collect-metrics.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { eventually } from '../../eventually.ts';
import { aNight } from '../consumer/reconciliation-night.ts';
import { type Api, type Registration, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { jsonOf, OURS } from './managed-partners.ts';
import { anOperator } from './operator.ts';
import { sampleOf, samplesOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';

/** Usage, metrics, alerts, the reconciliation and the keys know no sandbox. */

const { DB, PASSES, SIGNERS, WEBHOOKS } = env as unknown as Env;
const aSandbox = () => aPartner({ gatekeeperNetwork: newSandbox() });
const ops = await anOperator();
type Client = Api & Registration;

/** Issues a pass in the sandbox, and waits until it is ACTIVE. */
async function active(client: Client, wallet = aWallet()): Promise<PassKey> {
  await client.issue('ethereum/sepolia', wallet);
  await client.watch('ethereum/sepolia', wallet, ({ state, onChainState }) => state === onChainState);
  return {
    gatekeeperNetwork: client.gatekeeperNetwork,
    chain: 'ethereum',
    network: 'sepolia',
    wallet: wallet as Wallet,
  };
}

let client: Client;
beforeAll(async () => {
  client = await aSandbox();
});
afterEach(() => void vi.restoreAllMocks());

describe('usage', () => {
  it('shows no passes to the partner, and to the operator not even the gatekeeper network', async () => {
    await active(client);
    expect(jsonOf(await client.call('GET', '/usage'))).toMatchObject({ networks: [] });
    const { results } = await DB.prepare('SELECT * FROM usage WHERE gatekeeper_network = ?')
      .bind(client.gatekeeperNetwork)
      .all();
    expect(results).toEqual([]);
    const real = await aPartner();
    const keys: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const query: string = after === undefined ? '' : `&after=${after}`;
      const page = jsonOf(await ops.call('GET', `/admin/usage?limit=2${query}`));
      keys.push(...page.gatekeeperNetworks.map((each: { gatekeeperNetwork: string }) => each.gatekeeperNetwork));
      after = page.next;
    }
    expect(keys).toContain(real.gatekeeperNetwork);
    expect(keys.filter((key) => key.startsWith('sandbox'))).toEqual([]);
  });
});

describe('metrics', () => {
  it('have no lag, no failure and no quota of a sandbox, and count its webhooks nowhere', async () => {
    const limited = await aPartner({ gatekeeperNetwork: newSandbox(), dailyIssuances: 1 });
    const real = await aPartner({ dailyIssuances: 2 });
    for (const api of [limited, real]) {
      const { text } = await api.post('/webhooks', { url: `${inject('webhookReceiver')}/${crypto.randomUUID()}` });
      await DB.prepare('UPDATE feeds SET sequence = 9 WHERE gatekeeper_network = ?').bind(api.gatekeeperNetwork).run();
      const webhook = WEBHOOKS.getByName(webhookName(api.gatekeeperNetwork, JSON.parse(text).id));
      await runInDurableObject(webhook, (_, { storage: { kv } }) =>
        kv.put('webhook', { ...kv.get<object>('webhook'), cursor: 2, failingSince: 1 }),
      );
    }
    const partners = [limited.clientId, real.clientId];
    const METRICS = { getByName: () => ({ add: async () => {}, read: async () => ({ counts: {}, partners }) }) };
    // A scrape leaves out the objects that do not answer in time.
    const metrics = await eventually(async () => {
      const found = await scrape({ METRICS });
      const lags = samplesOf(found, 'gatepass_webhook_lag_events').map(({ labels }) => labels.gatekeeper_network);
      expect(lags).toEqual([real.gatekeeperNetwork]);
      return found;
    });
    expect(sampleOf(metrics, 'gatepass_webhooks_failing')).toBe(1);
    expect(sampleOf(metrics, 'gatepass_webhooks_unread')).toBe(0);
    expect(samplesOf(metrics, 'gatepass_quota_limit').map(({ labels }) => labels.partner)).toEqual([real.clientId]);
    expect(JSON.stringify(metrics)).not.toMatch(/sandbox/);
  });

  it('simulate no issuance of a sandbox with a real key', async () => {
    const asked: string[] = [];
    const signer = {
      getByName: () => ({
        metrics: async (lanes: readonly { lane: string }[]) => void asked.push(...lanes.map(({ lane }) => lane)),
      }),
    };
    const partners = ['a', 'b'].map((clientId, index) => ({
      ...{ clientId, status: 'active', networks: null, contracts: {} },
      gatekeeperNetwork: index === 0 ? client.gatekeeperNetwork : newGatekeeperNetwork(),
      sandbox: index === 0,
    }));
    const changed = { ...env, SIGNERS: signer } as unknown as Env;
    const backend = openBackend(changed, openStore(changed));
    const store = { ...backend.store, partnersAfter: async () => partners };
    await collectMetrics(configOf(changed), { ...backend, store } as unknown as typeof backend, 300);
    expect(new Set(asked)).toEqual(new Set([partners[1]?.gatekeeperNetwork]));
  });
});

describe('the watchers', () => {
  it('follow no contract that only a sandbox has', async () => {
    const store = openStore(env as unknown as Env);
    await aPartner({ gatekeeperNetwork: newSandbox(), contracts: { baseSepolia: OURS } });
    expect(await store.findContracts('baseSepolia', Date.now())).toEqual([]);
  });
});

describe('the stuck list and the reconciliation', () => {
  it('list no pass of a sandbox that waits, however often its alarm fires', async () => {
    const key = { ...(await active(client)), wallet: aWallet() as Wallet };
    const pass = PASSES.getByName(passName(key));
    const send = workerWith({ ...TRUSTING, PASS_QUEUE: { send: async () => {}, sendBatch: async () => {} } });
    const silent = (await aPartner({
      gatekeeperNetwork: client.gatekeeperNetwork as GatekeeperNetwork,
      send,
    })) as Client;
    await silent.issue('ethereum/sepolia', key.wallet);
    for (let fired = 0; fired < 3; fired += 1) await runInDurableObject(pass, (self) => self.alarm());
    const { results } = await DB.prepare('SELECT * FROM unsettled WHERE gatekeeper_network = ?')
      .bind(key.gatekeeperNetwork)
      .all();
    expect(results).toEqual([]);
    expect(jsonOf(await ops.call('GET', '/admin/stuck?olderThan=0')).stuck).toEqual([]);
    await client.watch('ethereum/sepolia', key.wallet, ({ state, onChainState }) => state === onChainState);
  });

  it('compares the row of a pass with its object, and counts nothing of a simulated chain', async () => {
    vi.spyOn(console, 'log').mockReturnValue();
    const keys = [await active(client), await active(client)];
    const [altered] = keys as [PassKey];
    const asked: string[] = [];
    const counting = {
      getByName: (name: string) => {
        asked.push(name);
        return SIGNERS.getByName(name as never);
      },
    };
    await DB.prepare("UPDATE passes SET record = '{}' WHERE wallet = ?").bind(altered.wallet).run();
    const { counts } = await aNight({ SIGNERS: counting as unknown as Env['SIGNERS'] });
    expect(counts).toEqual({ 'row-altered': 1 });
    expect(asked.filter((name) => name.includes('/sandbox'))).toEqual([]);
    const row = await DB.prepare('SELECT record FROM passes WHERE wallet = ?')
      .bind(altered.wallet)
      .first<{ record: string }>();
    expect(JSON.parse(row?.record ?? '')).toMatchObject({ walletAddress: altered.wallet });
    const { results } = await DB.prepare('SELECT * FROM absences WHERE gatekeeper_network = ?')
      .bind(client.gatekeeperNetwork)
      .all();
    expect(results).toEqual([]);
  });
});

describe("the operator's tools", () => {
  const signerOf = (gatekeeperNetwork: string) => formatSignerName('ethereum', 'sepolia', gatekeeperNetwork);

  it('list no signer of a sandbox', async () => {
    await active(client);
    expect((await ops.call('GET', '/admin/signers')).text).not.toMatch(/sandbox/);
  });

  it('withdraw and abandon waiting steps in a sandbox alone, or those of a real client alone', async () => {
    const called: string[] = [];
    const SIGNERS = {
      getByName: (name: string) => ({
        endWaitingSteps: async () => {
          called.push(name);
          return { ended: [], signed: 0, waiting: 0 };
        },
      }),
    };
    const api = await anOperator({}, workerWith({ ...TRUSTING, SIGNERS }));
    const real = await aPartner();
    const { gatekeeperNetwork, clientId } = client;
    const callsOf = async (path: string, body: object) => {
      called.length = 0;
      expect((await api.post(path, body)).status).toBe(202);
      return new Set(called);
    };
    const { networks } = configOf(env as unknown as Env);
    const all = new Set(networks.map(({ chain, network }) => formatSignerName(chain, network, gatekeeperNetwork)));
    expect(await callsOf('/admin/withdraw', { client: clientId })).toEqual(all);
    expect(await callsOf('/admin/withdraw', { gatekeeperNetwork })).toEqual(all);
    const place = { chain: 'ethereum', network: 'sepolia' };
    expect(await callsOf('/admin/abandon', { ...place, gatekeeperNetwork })).toEqual(
      new Set([signerOf(gatekeeperNetwork)]),
    );
    for (const body of [{ client: real.clientId }, { gatekeeperNetwork: real.gatekeeperNetwork }]) {
      const names = await callsOf('/admin/withdraw', body);
      expect(names.size).toBeGreaterThan(0);
      expect([...names].filter((name) => name.includes('/sandbox'))).toEqual([]);
    }
  });

  it('look up, redrive and revoke a pass of a sandbox', async () => {
    const { gatekeeperNetwork, wallet } = await active(client);
    const found = jsonOf(await ops.call('GET', `/admin/passes/ethereum/sepolia/${wallet}`));
    expect(found.passes).toMatchObject([{ pass: { gatekeeperNetwork } }]);
    const pass = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', walletAddress: wallet };
    expect((await ops.post('/admin/redrive', { pass })).status).toBe(202);
    expect(jsonOf(await ops.post('/admin/revocations', { passes: [pass], reason: 'a test' }))).toMatchObject({
      revoked: 1,
      failed: 0,
    });
    const seen = await client.watch('ethereum/sepolia', wallet, ({ onChainState }) => onChainState === 'REVOKED');
    expect(seen.at(-1)).toMatchObject({ state: 'REVOKED' });
    const trail = jsonOf(await client.call('GET', '/audit?order=newest&limit=5'));
    expect(JSON.stringify(trail.entries)).toContain('ops');
  });
});
