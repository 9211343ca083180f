import { describe, expect, it, vi } from 'vitest';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem } from '../../problem.ts';
import { Api, register, workerWith } from './api.ts';
import { aPartner, aToken, type Claims, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aWallet } from './wallets.ts';

/** Tokens of people who signed in to the console: which partner they act for, and what the limits and the log count. */

const CONSOLE = 'console-app';
const SETTINGS = {
  ...TRUSTING,
  CONSOLE_CLIENT_ID: CONSOLE,
  CONSOLE_ADMIN_CLIENT_ID: 'console-admin',
  CONSOLE_PARTNER_CLAIM: 'org_id',
};
const withConsole = workerWith(SETTINGS);

let organizations = 0;
const newOrganization = () => `org_${++organizations}`;

const signedIn = async (claims: Claims, send = withConsole) =>
  new Api(await aToken({ client_id: CONSOLE, sub: 'alice', ...claims }), send);

const PARTNER_ROUTES = ROUTES.filter(({ scope }) => scope !== 'admin' && scope !== 'public');

describe('the partner of a person', () => {
  it('is the partner with the organization in the claim', async () => {
    const organization = newOrganization();
    const machine = await aPartner({ organization });
    const wallet = aWallet();
    await machine.issue('ethereum/sepolia', wallet);
    const person = await signedIn({ org_id: organization });
    expect((await person.fetch('ethereum/sepolia', wallet)).status).toBe(200);
    await aPartner({ organization: `${organization}-of-another` });
    const stranger = await signedIn({ org_id: `${organization}-of-another` });
    expectProblem(await stranger.fetch('ethereum/sepolia', wallet), 'pass_not_found');
  });

  it.each([
    ['has no organization', {}],
    ['has an empty organization', { org_id: '' }],
    ['has a list of organizations', { org_id: ['org_1'] }],
    ['has an organization that is too long', { org_id: 'o'.repeat(256) }],
    ['has no subject', { org_id: 'org_1', sub: undefined }],
    ['has an empty subject', { org_id: 'org_1', sub: '' }],
    ['has the organization in another claim', { organization: 'org_1' }],
    ['has an organization of no partner', { org_id: 'org_of_nobody' }],
    ['names a partner by its client', { org_id: 'acme' }],
    ['has an organization that differs in case', { org_id: 'ORG_1' }],
  ])('is nobody if the token %s, on every route', async (_, claims) => {
    await register({ clientId: 'acme', gatekeeperNetwork: newGatekeeperNetwork() });
    // A client id is no substitute for the claim, not even if such a partner exists.
    await register({ clientId: CONSOLE, gatekeeperNetwork: newGatekeeperNetwork() });
    const person = await signedIn(claims);
    expect(PARTNER_ROUTES.length).toBeGreaterThan(15);
    for (const { method, path } of PARTNER_ROUTES) expectProblem(await person.call(method, path), 'client_unknown');
  });

  it('is nobody if the partner is a client of the console', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    for (const clientId of [CONSOLE, 'console-admin']) {
      const organization = newOrganization();
      await register({ clientId, gatekeeperNetwork: newGatekeeperNetwork(), organization });
      expectProblem(await (await signedIn({ org_id: organization })).search({}), 'client_unknown');
    }
    const asClient = new Api(await aToken({ client_id: 'console-admin', sub: 'olga' }), withConsole);
    expectProblem(await asClient.search({}), 'client_unknown');
    expect(logged.mock.calls.join()).toContain('its client is the console');
    logged.mockRestore();
  });

  it('ignores the claim in the token of another client', async () => {
    const organization = newOrganization();
    await aPartner({ organization });
    const other = new Api(await aToken({ client_id: newClientId(), sub: 'alice', org_id: organization }), withConsole);
    expectProblem(await other.search({}), 'client_unknown');
  });

  it('ignores the claim while no console is configured', async () => {
    const organization = newOrganization();
    await aPartner({ organization });
    const person = await signedIn({ org_id: organization, client_id: newClientId() }, workerWith(TRUSTING));
    expectProblem(await person.search({}), 'client_unknown');
  });

  it('applies a suspension to its persons', async () => {
    const organization = newOrganization();
    await aPartner({ organization, status: 'suspended' });
    expectProblem(await (await signedIn({ org_id: organization })).search({}), 'partner_suspended');
  });

  it('gives a person only the scopes of the token', async () => {
    const organization = newOrganization();
    await aPartner({ organization });
    const person = await signedIn({ org_id: organization, scope: 'search:pass' });
    expect((await person.search({})).status).toBe(200);
    expectProblem(await person.update('ethereum/sepolia', aWallet(), { state: 'FROZEN' }), 'insufficient_scope');
    expectProblem(await person.call('GET', '/webhooks'), 'insufficient_scope');
  });

  it('shares the quota of its partner with the machine', async () => {
    const organization = newOrganization();
    const machine = await aPartner({ organization, dailyIssuances: 1 });
    const person = await signedIn({ org_id: organization });
    expect((await machine.issue('ethereum/sepolia', aWallet())).status).toBe(202);
    expectProblem(await person.issue('ethereum/sepolia', aWallet()), 'quota_reached');
  });
});

it('has no partner by a name that a person can have, because such a configuration serves nobody', async () => {
  const victim = await aPartner();
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  for (const claim of ['sub', 'preferred_username']) {
    const send = workerWith({ ...SETTINGS, CLIENT_CLAIM: claim });
    const person = await signedIn(
      { azp: CONSOLE, sub: victim.clientId, [claim]: victim.clientId, org_id: 'org_other' },
      send,
    );
    expectProblem(await person.search({}), 'not_configured');
    expect(logged.mock.lastCall?.join()).toContain('CLIENT_CLAIM must not name a claim about persons');
  }
  logged.mockRestore();
});

it('reads the organization from a path too, and only from the member with that name', async () => {
  const organization = newOrganization();
  await aPartner({ organization });
  const send = workerWith({ ...SETTINGS, CONSOLE_PARTNER_CLAIM: 'company.id' });
  expect((await (await signedIn({ company: { id: organization } }, send)).search({})).status).toBe(200);
  for (const claims of [{ company: [organization] }, { company: { name: organization } }, { id: organization }])
    expectProblem(await (await signedIn(claims, send)).search({}), 'client_unknown');
});

it('refuses an operator token of either console client that names no person', async () => {
  for (const client_id of ['console-admin', CONSOLE]) {
    const nameless = await anOperator({ client_id, sub: undefined }, withConsole);
    expectProblem(await nameless.call('GET', '/admin/signers'), 'token_invalid');
  }
  const machine = await anOperator({ client_id: 'ops', sub: undefined }, withConsole);
  expect((await machine.call('GET', '/admin/signers')).status).toBe(200);
});

it('counts each person of each partner separately in the limits', async () => {
  const asked: string[] = [];
  const limit = { limit: async ({ key }: RateLimitOptions) => ({ success: asked.push(key) > 0 }) };
  const send = workerWith({ ...SETTINGS, READ_LIMIT: limit, WRITE_LIMIT: limit, BULK_LIMIT: limit });
  const [one, other] = [newOrganization(), newOrganization()];
  const machine = await aPartner({ organization: one, send });
  await aPartner({ organization: other });
  await machine.search({ count: true });
  for (const [org_id, sub] of [
    [one, 'alice'],
    [one, 'bob'],
    [other, 'alice'],
  ])
    await (await signedIn({ org_id, sub }, send)).search({ count: true });
  await (await anOperator({ client_id: 'console-admin', sub: 'olga' }, send)).call('GET', '/admin/signers');
  expect(asked).toEqual([
    ...[
      `partner/${machine.clientId}`,
      `console/["${one}","alice"]`,
      `console/["${one}","bob"]`,
      `console/["${other}","alice"]`,
    ].flatMap((key) => [key, `large/${key}`]),
    'admin/["console-admin","olga"]',
  ]);
});

describe('the log line', () => {
  it('names the person of every change, also while successes are not logged', async () => {
    const printed: string[] = [];
    const spies = (['log', 'info', 'warn'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words.join(' '))),
    );
    const send = workerWith({ ...SETTINGS, LOG_SUCCESSES: '0' });
    // The log has a hundred refused reads of a person in a minute, and other tests have alice's.
    const organization = newOrganization();
    await aPartner({ organization });
    const wallet = aWallet();
    const person = await signedIn({ org_id: organization, sub: 'amelia' }, send);
    const answers = [
      await person.issue('ethereum/sepolia', wallet),
      await person.revoke('ethereum/sepolia', wallet),
      await person.fetch('ethereum/sepolia', wallet),
      await person.fetch('ethereum/sepolia', aWallet()),
      await (await anOperator({ client_id: 'console-admin', sub: 'olga' }, send)).call('GET', '/admin/dead-letters'),
    ];
    for (const spy of spies) spy.mockRestore();
    const lines = printed.map((line) => JSON.parse(line));
    const subs = answers.map(({ headers }) => {
      const id = headers.get('x-request-id');
      return lines.find(({ event, request_id }) => event === 'request.answered' && request_id === id)?.sub;
    });
    // The first GET succeeds and changes nothing.
    expect(subs).toEqual(['amelia', 'amelia', undefined, 'amelia', 'olga']);
  });

  it('has no subject for a machine', async () => {
    const printed: string[] = [];
    const spy = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
    const { clientId } = await aPartner();
    await new Api(await aToken({ client_id: clientId, sub: 'machine' }), withConsole).search({});
    spy.mockRestore();
    expect(printed.find((line) => line.includes('request.answered'))).not.toContain('"sub"');
  });
});
