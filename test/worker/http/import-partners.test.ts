import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { expectProblem } from '../../problem.ts';
import { Api, workerWith } from './api.ts';
import { aToken, newClientId, TRUSTING, trustingWorker } from './issuer.ts';
import {
  aBody,
  added,
  change,
  desk,
  find,
  isSuspendedInSigner,
  jsonOf,
  lastEntry,
  OURS,
  switchChecks,
} from './managed-partners.ts';
import { anOperator } from './operator.ts';

/** The rows of partners that the operator exports and imports, as around a restore of the database. */

describe('export and import', () => {
  const exported = async (api = desk) => {
    const { next: _, ...rows } = jsonOf(await api.call('GET', '/admin/partners/export'));
    return rows;
  };
  const rowsOf = async (clientId: string) => {
    const { partners, gatekeeper_networks } = await exported();
    const [partner] = partners.filter((row: { client_id: string }) => row.client_id === clientId);
    const networks = gatekeeper_networks.filter((row: { key: string }) => row.key === partner?.gatekeeper_network);
    return { gatekeeper_networks: networks, partners: [partner] };
  };

  it('an import restores what an export had, and changes nothing when it is repeated', async () => {
    const { clientId, gatekeeperNetwork } = await added({ organization: newClientId(), dailyChanges: 3 });
    await switchChecks(gatekeeperNetwork, true);
    await change(clientId, { status: 'suspended' });
    const rows = await rowsOf(clientId);
    const before = await find(clientId);
    await change(clientId, { status: 'active', organization: null, dailyChanges: null, name: 'Old' });
    const caller = new Api(await aToken({ client_id: clientId }), trustingWorker);
    expect((await caller.search({})).status).toBe(200);
    await switchChecks(gatekeeperNetwork, false);
    expect(await isSuspendedInSigner(clientId)).toBe(false);
    expect(jsonOf(await desk.post('/admin/partners/import', { ...rows, reason: 'restore' }))).toEqual({ imported: 1 });
    expect(await find(clientId)).toEqual(before);
    expect(await isSuspendedInSigner(clientId)).toBe(true);
    expectProblem(await caller.search({}), 'partner_suspended');
    expect(await lastEntry()).toMatchObject({
      ...{ action: 'operator.import_partners', reason: 'restore', outcome: { counts: { partners: 1 } } },
      ...{ before: { partners: [{ clientId, name: 'Old', status: 'active' }] }, after: { partners: [before] } },
    });
    await desk.post('/admin/partners/import', rows);
    expect(await lastEntry()).toMatchObject({ before: { partners: [] }, after: { partners: [] } });
    await env.DB.prepare('DELETE FROM partners WHERE client_id = ?').bind(clientId).run();
    await env.DB.prepare('DELETE FROM gatekeeper_networks WHERE key = ?').bind(gatekeeperNetwork).run();
    await desk.post('/admin/partners/import', rows);
    expect(await find(clientId)).toEqual(before);
  });

  it('has a short entry for a long file: the number of its rows and their SHA-256', async () => {
    const { clientId } = await added();
    const rows = await rowsOf(clientId);
    const partners = Array.from({ length: 90 }, (_, n) => ({ ...rows.partners[0], client_id: `${clientId}-${n}` }));
    expect(jsonOf(await desk.post('/admin/partners/import', { ...rows, partners }))).toEqual({ imported: 90 });
    const entry = await lastEntry();
    // The other tests read one page of the export.
    await env.DB.prepare('DELETE FROM partners WHERE client_id LIKE ?').bind(`${clientId}-%`).run();
    const list = { length: 90, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(entry).toMatchObject({ target: { partners: list }, after: { partners: list } });
    expect(JSON.stringify(entry).length).toBeLessThan(4_000);
  });

  it('gives an organization back to the partner of the file', async () => {
    const [one, two] = [await added({ organization: newClientId() }), await added()];
    const { organization } = one as { organization?: string };
    const rows = await rowsOf(one.clientId);
    await change(one.clientId, { organization: null });
    await change(two.clientId, { organization });
    await desk.post('/admin/partners/import', rows);
    expect(await find(one.clientId)).toMatchObject({ organization });
    expect(await find(two.clientId)).toMatchObject({ organization: null });
    const { before, after } = await lastEntry();
    const organizationOf = ({ partners }: { partners: { clientId: string; organization: string | null }[] }) =>
      partners.find(({ clientId }) => clientId === two.clientId)?.organization;
    expect([before, after].map(organizationOf)).toEqual([organization, null]);
  });

  it('refuses rows with other contracts, changes nothing then, and keeps the shard and contracts of today', async () => {
    const { clientId, gatekeeperNetwork } = await added({ contracts: { sepolia: CIVIC_CONTRACT } });
    const rows = await rowsOf(clientId);
    const [network] = rows.gatekeeper_networks;
    const { clientId: other } = await added({ organization: newClientId() });
    const { organization } = await find(other);
    const changed = { ...rows, partners: [{ ...rows.partners[0], name: 'changed', organization }] };
    const wrong = { ...changed, gatekeeper_networks: [{ ...network, contracts: JSON.stringify({ sepolia: OURS }) }] };
    expectProblem(await desk.post('/admin/partners/import', wrong), 'contract_differs');
    expect(await find(clientId)).toMatchObject({ name: 'One' });
    expect(await find(other)).toMatchObject({ organization });
    await added({ gatekeeperNetwork, contracts: { mainnet: OURS } });
    // The gatekeeper network has moved since the export.
    const moved = { ...changed, gatekeeper_networks: [{ ...network, shard: 'DB_1' }] };
    expect((await desk.post('/admin/partners/import', moved)).status).toBe(200);
    expect(await find(clientId)).toMatchObject({
      ...{ name: 'changed', shard: 'DB', contracts: { sepolia: CIVIC_CONTRACT, mainnet: OURS } },
    });
  });

  it('refuses a slice without a gatekeeper network, with the client of the console, or with a shard that is not bound', async () => {
    const { clientId } = await added();
    const rows = await rowsOf(clientId);
    const importing = (changes: object) => desk.post('/admin/partners/import', { ...rows, ...changes });
    expectProblem(await importing({ gatekeeper_networks: [] }), 'invalid_request');
    const console = [{ ...rows.partners[0], client_id: 'console' }];
    const refused = { pointers: ['/partners/0/client_id'] };
    expectProblem(await importing({ partners: console }), 'invalid_request', refused);
    const shard = [{ ...rows.gatekeeper_networks[0], shard: 'DB_9' }];
    const unbound = { pointers: ['/gatekeeper_networks/0/shard'] };
    expectProblem(await importing({ gatekeeper_networks: shard }), 'invalid_request', unbound);
    const negative = [{ ...rows.partners[0], daily_changes: -1 }];
    expectProblem(await importing({ partners: negative }), 'invalid_request', {
      pointers: ['/partners/0/daily_changes'],
    });
  });

  it('works while the database is closed for a restore, when every other route of a partner is refused', async () => {
    const { clientId } = await added();
    const rows = await rowsOf(clientId);
    const closed = await anOperator({}, workerWith({ ...TRUSTING, CLOSED_SHARDS: 'DB' }));
    expect((await exported(closed)).partners.length).toBeGreaterThan(0);
    const suspended = [{ ...rows.partners[0], status: 'suspended' }];
    expect((await closed.post('/admin/partners/import', { ...rows, partners: suspended })).status).toBe(200);
    expect(await find(clientId)).toMatchObject({ status: 'suspended' });
    const others = [
      closed.call('GET', '/admin/partners'),
      closed.call('GET', `/admin/partners/${clientId}`),
      closed.post('/admin/partners', aBody()),
      change(clientId, { status: 'active' }, closed),
      switchChecks(rows.gatekeeper_networks[0].key, true, closed),
    ];
    for (const answer of await Promise.all(others)) expectProblem(answer, 'temporarily_unavailable');
  });
});
