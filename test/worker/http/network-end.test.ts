import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/units.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { listUnsettled, unlistUnsettled } from '../../../src/store/unsettled.ts';
import { expectProblem } from '../../problem.ts';
import { anybody, bodyOf, pathOf } from './a-check.ts';
import { aPass } from './a-pass.ts';
import { enablePublicVerify, workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { samplesOf, scrape } from './scrape-metrics.ts';
import { aWallet } from './wallets.ts';
import { jsonOf } from './webhook-calls.ts';

/** Networks that end, or have ended. */

const { DB } = env as unknown as Env;
const SEPOLIA = 'ethereum/sepolia';
const NODES = JSON.parse((env as unknown as { NETWORKS: string }).NETWORKS);

const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const sunsetOf = (day: string) => new Date(day).toUTCString();

/** A Worker for which sepolia ends on that day. */
const workerUntil = (endsOn: string | null) =>
  workerWith({ ...TRUSTING, NETWORKS: JSON.stringify({ ...NODES, sepolia: { ...NODES.sepolia, endsOn } }) });

const YESTERDAY = dayIn(-1);
const ended = workerUntil(YESTERDAY);

it.each(['polygonZKEVM', 'polygonZKEVMTestnet'])(
  'refuses to issue on %s, which ended, with the day, also for a partner that may not use it, and in a sandbox',
  async (network) => {
    for (const api of [
      await aPartner(),
      await aPartner({ networks: ['sepolia'] }),
      await aPartner({ gatekeeperNetwork: newSandbox() }),
    ]) {
      const answer = await api.issue(`ethereum/${network}`, aWallet());
      expectProblem(answer, 'network_ended', { detail: new RegExp(`^${network} ended on 2026-07-01, .*Use another`) });
      expect(answer.headers.get('sunset')).toBe('Wed, 01 Jul 2026 00:00:00 GMT');
    }
  },
);

it('refuses what gives access after the end, and continues with reading, freezing, revoking and references', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const api = await aPartner({ gatekeeperNetwork, send: ended });
  await enablePublicVerify(gatekeeperNetwork);
  const { wallet, ...rest } = await aPass({ gatekeeperNetwork, signer: 'nobody' });
  const key = { ...rest, wallet };
  const later = Math.floor(Date.now() / 1000) + 3_600;
  const verified = async () => bodyOf(await anybody.through(ended).call('GET', pathOf(gatekeeperNetwork, wallet)));
  const before = (await api.fetch(SEPOLIA, wallet)).text;

  const refused = [
    await api.issue(SEPOLIA, wallet),
    await api.issue(SEPOLIA, aWallet()),
    await api.update(SEPOLIA, wallet, { state: 'ACTIVE' }),
    await api.update(SEPOLIA, wallet, { expiryTimestamp: later }),
    await api.update(SEPOLIA, wallet, { state: 'FROZEN', expiryTimestamp: later }),
    await api.update(SEPOLIA, wallet, { state: 'ACTIVE', expiryTimestamp: later, reference: 'order-1' }),
  ];
  for (const answer of refused) expectProblem(answer, 'network_ended', { detail: YESTERDAY });
  const items = [itemOf(key, { state: 'ACTIVE' }), itemOf({ ...key, network: 'baseSepolia' }, { state: 'ACTIVE' })];
  expect((await resultsOf(api, 'PATCH', items)).map(({ problem }) => problem?.code)).toEqual([
    'network_ended',
    'pass_not_found',
  ]);
  expect((await api.fetch(SEPOLIA, wallet)).text).toBe(before);
  expect((await verified()).valid).toBe(true);

  const { updated: named } = await api.update(SEPOLIA, wallet, { reference: 'order-2' });
  expect(named.reference).toBe('order-2');
  const found = await api.search({ filter: { chain: { type: 'ethereum', network: 'sepolia' } } });
  expect(jsonOf(found).records).toMatchObject([{ walletAddress: wallet, state: 'ACTIVE' }]);
  const feed = jsonOf(await api.call('GET', '/events'));
  expect(feed.events.at(-1)).toMatchObject({
    type: 'pass.reference_changed',
    data: { pass: { walletAddress: wallet } },
  });

  const [frozen] = await resultsOf(api, 'PATCH', [itemOf(key, { state: 'FROZEN' })]);
  expect([frozen?.status, frozen?.record?.state]).toEqual([200, 'FROZEN']);
  expect((await verified()).valid).toBe(false);
  expectProblem(await api.update(SEPOLIA, wallet, { state: 'ACTIVE' }), 'network_ended');
  expect((await api.revoke(SEPOLIA, wallet)).record.state).toBe('REVOKED');
  expect((await verified()).valid).toBe(false);
});

it('warns with Sunset of the end wherever the path names the network, and otherwise not', async () => {
  const day = dayIn(30);
  const origin = 'https://app.acme.example';
  const gatekeeperNetwork = newGatekeeperNetwork();
  const NETWORKS = JSON.stringify({ ...NODES, sepolia: { ...NODES.sepolia, endsOn: day } });
  const send = workerWith({ ...TRUSTING, NETWORKS, CORS_ORIGINS: origin });
  const api = await aPartner({ gatekeeperNetwork, send });
  await enablePublicVerify(gatekeeperNetwork);
  const { wallet } = await aPass({ gatekeeperNetwork, signer: 'nobody' });
  const path = `/pass/${SEPOLIA}/${wallet}`;
  const issued = await api.issue(SEPOLIA, aWallet());
  expect(issued.status).toBe(202);
  const answers = [
    issued,
    await api.fetch(SEPOLIA, wallet),
    await api.fetch(SEPOLIA, aWallet()),
    await api.update(SEPOLIA, wallet, { state: 'FROZEN' }),
    await api.revoke(SEPOLIA, wallet),
    await anybody.through(send).call('GET', pathOf(gatekeeperNetwork, wallet)),
  ];
  expect(answers.map(({ headers }) => headers.get('sunset'))).toEqual(answers.map(() => sunsetOf(day)));
  const ofPage = await api.call('GET', path, { headers: { origin } });
  expect(ofPage.headers.get('access-control-expose-headers')).toContain('Sunset');

  const others = [
    await api.search(),
    await api.issue('ethereum/baseSepolia', aWallet()),
    await anybody.through(send).call('GET', pathOf(newGatekeeperNetwork(), wallet)),
    await api.through(workerUntil(null)).fetch(SEPOLIA, wallet),
  ];
  expect(others.map(({ headers }) => headers.get('sunset'))).toEqual(others.map(() => null));
});

it('refuses from the first second of the day on by the clock of a sandbox, and a configured date overrides that of the table', async () => {
  const day = dayIn(30);
  const NETWORKS = JSON.stringify({ ...NODES, fantomMainnet: { endsOn: day }, polygonZKEVM: { endsOn: null } });
  const api = await aPartner({ gatekeeperNetwork: newSandbox(), send: workerWith({ ...TRUSTING, NETWORKS }) });
  const issue = async (network: string) => api.issue(`ethereum/${network}`, aWallet());
  expect((await issue('polygonZKEVM')).status).toBe(202);
  const event = { type: 'pass.issued', chain: { type: 'ethereum', network: 'fantomMainnet' } };
  expect((await api.post('/sandbox/trigger', event)).status).toBe(202);

  const { now } = jsonOf(await api.call('GET', '/sandbox/clock'));
  const left = Date.parse(day) / 1000 - now;
  // The clock runs on while the test runs.
  await api.post('/sandbox/clock', { advanceSeconds: left - 600 });
  expect((await issue('fantomMainnet')).status).toBe(202);
  await api.post('/sandbox/clock', { advanceSeconds: 600 });
  expectProblem(await issue('fantomMainnet'), 'network_ended', { detail: `fantomMainnet ended on ${day}` });
  expectProblem(await api.post('/sandbox/trigger', event), 'network_ended');
});

it('shows operators the time of the end as a metric of each enabled network that has one', async () => {
  const NETWORKS = JSON.stringify({ ...NODES, sepolia: { ...NODES.sepolia, endsOn: YESTERDAY } });
  const ends = samplesOf(await scrape({ NETWORKS }), 'gatepass_network_ends_at_seconds');
  // The two networks of the table that end are not enabled here.
  expect(ends.map(({ labels, value }) => [labels.network, value])).toEqual([['sepolia', Date.parse(YESTERDAY) / 1000]]);
});

it('counts a pass of an ended network as neither stuck nor overdue, because nothing can settle it', async () => {
  const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork(), signer: 'nobody' });
  await listUnsettled(DB, { key, id: `ended-${key.wallet}`, since: 1 });
  const waitingIn = async (endsOn: string | null) => {
    const NETWORKS = JSON.stringify({ ...NODES, sepolia: { ...NODES.sepolia, endsOn } });
    const text = await scrape({ NETWORKS });
    const stuck = samplesOf(text, 'gatepass_stuck_passes').reduce((sum, { value }) => sum + value, 0);
    const overdue = samplesOf(text, 'gatepass_overdue_passes').find(({ labels }) => labels.network === 'sepolia');
    return [stuck, overdue?.value ?? 0];
  };
  const [live, overdue] = await waitingIn(null);
  expect(await waitingIn(YESTERDAY)).toEqual([expect.any(Number), 0]);
  expect((await waitingIn(YESTERDAY))[0]).toBeLessThan(live ?? 0);
  expect(overdue).toBeGreaterThan(0);
  await unlistUnsettled(DB, { key });
});
