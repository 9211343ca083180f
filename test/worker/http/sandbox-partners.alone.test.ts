import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { isSandbox, newSandbox } from '../../../src/network/sandbox.ts';
import { expectProblem } from '../../problem.ts';
import { Api, enablePublicVerify } from './api.ts';
import { aToken, newClientId, newGatekeeperNetwork, trustingWorker } from './issuer.ts';
import { aBody, added, change, desk, find, jsonOf, lastEntry, switchChecks } from './managed-partners.ts';
import { aWallet } from './wallets.ts';

/** The partners in sandboxes, as the operator manages them. */

const SANDBOX = { sandbox: true, gatekeeperNetwork: undefined };
const ofKey = { pointers: ['/gatekeeperNetwork'] };
const addTo = async (fields: object = {}) =>
  jsonOf(await desk.post('/admin/partners', aBody({ ...SANDBOX, ...fields })));

describe('POST /admin/partners with a sandbox', () => {
  it('makes the key of a new sandbox, in which a further client may be', async () => {
    const first = await addTo();
    expect(first).toMatchObject({ sandbox: true, publicVerify: false, status: 'active', contracts: {} });
    expect(isSandbox(first.gatekeeperNetwork)).toBe(true);
    expect(await lastEntry()).toMatchObject({ action: 'operator.add_partner', after: first });
    expect(await find(first.clientId)).toEqual(first);
    const caller = new Api(await aToken({ client_id: first.clientId }), trustingWorker);
    expect((await caller.search({})).status).toBe(200);
    const { gatekeeperNetwork } = first;
    expect(await addTo({ gatekeeperNetwork })).toMatchObject({ sandbox: true, gatekeeperNetwork });
    expect((await addTo()).gatekeeperNetwork).not.toBe(gatekeeperNetwork);
    expect(await find((await added()).clientId)).toMatchObject({ sandbox: false });
  });

  it.each<[string, () => object]>([
    ['a sandbox as real', () => ({ gatekeeperNetwork: newSandbox() })],
    ['a sandbox that says it is none', () => ({ gatekeeperNetwork: newSandbox(), sandbox: false })],
    ['no key without a sandbox', () => ({ gatekeeperNetwork: undefined })],
    ['no key for no sandbox', () => ({ gatekeeperNetwork: undefined, sandbox: false })],
    ['a real key as a sandbox', () => ({ gatekeeperNetwork: newGatekeeperNetwork(), sandbox: true })],
    ['the mark in capitals', () => ({ gatekeeperNetwork: `S${newSandbox().slice(1)}`, sandbox: true })],
    ['a short key', () => ({ gatekeeperNetwork: newSandbox().slice(0, -2), sandbox: true })],
    ['the mark alone', () => ({ gatekeeperNetwork: 'sandbox', sandbox: true })],
  ])('refuses %s, and changes nothing', async (_, fields) => {
    const body = aBody(fields());
    expectProblem(await desk.post('/admin/partners', body), 'invalid_request', ofKey);
    expectProblem(await desk.call('GET', `/admin/partners/${body.clientId}`), 'partner_not_found');
  });

  it('refuses a sandbox that is neither true nor false', async () => {
    const answer = await desk.post('/admin/partners', aBody({ ...SANDBOX, sandbox: 'true' }));
    expectProblem(answer, 'invalid_request', { pointers: ['/sandbox'] });
  });

  it('suspends and resumes a client of a sandbox', async () => {
    const { clientId } = await addTo();
    const caller = new Api(await aToken({ client_id: clientId }), trustingWorker);
    expect(jsonOf(await change(clientId, { status: 'suspended' }))).toMatchObject({ status: 'suspended' });
    expectProblem(await caller.search({}), 'partner_suspended');
    await change(clientId, { status: 'active' });
    expect((await caller.search({})).status).toBe(200);
  });

  it('never changes a client from one kind to the other', async () => {
    const { clientId } = await addTo();
    expectProblem(await desk.post('/admin/partners', aBody({ clientId })), 'partner_exists');
    for (const field of [{ sandbox: false }, { gatekeeperNetwork: newGatekeeperNetwork() }])
      expectProblem(await change(clientId, field), 'invalid_request');
    const real = await added();
    expectProblem(await desk.post('/admin/partners', aBody({ ...SANDBOX, clientId: real.clientId })), 'partner_exists');
  });
});

describe('export and import with sandboxes', () => {
  const rowsOf = async (clientId: string) => {
    const { partners, gatekeeper_networks } = jsonOf(await desk.call('GET', '/admin/partners/export'));
    const [partner] = partners.filter((row: { client_id: string }) => row.client_id === clientId);
    const networks = gatekeeper_networks.filter((row: { key: string }) => row.key === partner.gatekeeper_network);
    return { gatekeeper_networks: networks, partners: [partner] };
  };
  const importing = (rows: object) => desk.post('/admin/partners/import', rows);

  it('an import restores a sandbox', async () => {
    const sandbox = await addTo({ organization: newClientId() });
    const rows = await rowsOf(sandbox.clientId);
    await env.DB.prepare('DELETE FROM partners WHERE client_id = ?').bind(sandbox.clientId).run();
    await env.DB.prepare('DELETE FROM gatekeeper_networks WHERE key = ?').bind(sandbox.gatekeeperNetwork).run();
    expect(jsonOf(await importing(rows))).toEqual({ imported: 1 });
    expect(await find(sandbox.clientId)).toEqual(sandbox);
  });

  it('refuses rows that would move a client into a sandbox or out of it, and changes nothing then', async () => {
    const [sandbox, real] = [await addTo(), await find((await added()).clientId)];
    const [inside, outside] = [await rowsOf(sandbox.clientId), await rowsOf(real.clientId)];
    const { clientId: other } = await added({ organization: newClientId() });
    const { organization } = await find(other);
    for (const [rows, at] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      const moved = [{ ...rows.partners[0], gatekeeper_network: at.gatekeeper_networks[0].key, organization }];
      const fresh = { ...at.gatekeeper_networks[0], key: at === inside ? newSandbox() : newGatekeeperNetwork() };
      const also = [{ ...moved[0], gatekeeper_network: fresh.key }];
      expectProblem(await importing({ ...at, partners: moved }), 'sandbox_differs');
      expectProblem(await importing({ gatekeeper_networks: [fresh], partners: also }), 'sandbox_differs');
      expectProblem(await switchChecks(fresh.key, false), 'gatekeeper_network_not_found');
    }
    expect(await find(sandbox.clientId)).toEqual(sandbox);
    expect(await find(real.clientId)).toEqual(real);
    expect(await find(other)).toMatchObject({ organization });
  });
});

describe('public checks of a sandbox', () => {
  it('cannot be on: neither by the switch nor by an import', async () => {
    const { gatekeeperNetwork: key, clientId } = await addTo();
    expectProblem(await switchChecks(key, true), 'invalid_request', { pointers: ['/publicVerify'] });
    expect(jsonOf(await switchChecks(key, false))).toMatchObject({ publicVerify: false, sandbox: true });
    const row = { key, shard: 'DB', public_verify: 1, contracts: '{}' };
    const answer = await desk.post('/admin/partners/import', { gatekeeper_networks: [row], partners: [] });
    expectProblem(answer, 'invalid_request', { pointers: ['/gatekeeper_networks/0/public_verify'] });
    expect(await find(clientId)).toMatchObject({ publicVerify: false });
  });

  it('do not exist, even if the database says that they are on', async () => {
    const { gatekeeperNetwork: key } = await addTo();
    const real = await added();
    for (const each of [key, real.gatekeeperNetwork]) await enablePublicVerify(each);
    // The switch of another one makes this isolate read the list again.
    await switchChecks(real.gatekeeperNetwork, true);
    const check = (each: string) =>
      new Api(undefined, trustingWorker).call('GET', `/verify/${each}/ethereum/sepolia/${aWallet()}`);
    expect((await check(real.gatekeeperNetwork)).status).toBe(200);
    expectProblem(await check(key), 'not_found');
  });
});
