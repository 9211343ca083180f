import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { Api, workerWith } from './api.ts';
import { aPartner, aToken, type Claims, newClientId, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aWallet } from './wallets.ts';

/** Tokens without an audience, as Cognito issues them for client credentials, and tokens whose scopes are elsewhere. */

const scopeOf = (name: string) => `gatepass/${name}`;
const SETTINGS = {
  ...TRUSTING,
  TOKEN_AUDIENCE: 'gatepass',
  TOKEN_BINDING: 'token_use=access',
  SCOPE_SEARCH: scopeOf('search:pass'),
  SCOPE_ISSUE: scopeOf('issue:pass'),
  SCOPE_UPDATE: scopeOf('update:pass'),
  SCOPE_WEBHOOK: scopeOf('webhook:manage'),
};
const bound = workerWith(SETTINGS);
const SCOPES = [SETTINGS.SCOPE_SEARCH, SETTINGS.SCOPE_ISSUE].join(' ');

const withToken = async (claims: Claims, send = bound) =>
  new Api(await aToken({ aud: undefined, token_use: 'access', scope: SCOPES, ...claims }), send);

describe('a token without an audience', () => {
  it('serves a registered partner with the scopes of this API', async () => {
    const { clientId: client_id } = await aPartner();
    const machine = await withToken({ client_id });
    expect((await machine.search({})).status).toBe(200);
    expect((await machine.issue('ethereum/sepolia', aWallet())).status).toBe(202);
    expectProblem(await machine.call('GET', '/webhooks'), 'insufficient_scope');
  });

  it('gives nothing to a client that is no partner, or that has scopes of another API', async () => {
    expectProblem(await (await withToken({ client_id: newClientId() })).search({}), 'client_unknown');
    const { clientId: client_id } = await aPartner();
    for (const scope of ['search:pass', 'other/search:pass', 'x gatepass', 'xgatepass/search:pass'])
      expectProblem(await (await withToken({ client_id, scope })).search({}), 'insufficient_scope');
  });

  it('is refused without the claim of the binding, and everywhere without a binding', async () => {
    const { clientId: client_id } = await aPartner();
    const nameless = await (await withToken({ client_id, token_use: undefined })).search({});
    expectProblem(nameless, 'token_invalid', { detail: /TOKEN_BINDING in "token_use"/ });
    const { TOKEN_BINDING: _, ...unbound } = SETTINGS;
    expectProblem(await (await withToken({ client_id }, workerWith(unbound))).search({}), 'token_invalid', {
      detail: /"aud"/,
    });
  });

  it("is never an operator's at the issuer of the partners", async () => {
    const scope = `admin ${SCOPES}`;
    const operator = await anOperator({ aud: undefined, token_use: 'access', scope }, bound);
    expectProblem(await operator.call('GET', '/admin/signers'), 'token_invalid');
  });
});

describe('the scopes in a path', () => {
  const nested = workerWith({ ...TRUSTING, SCOPE_CLAIM: 'realm_access.roles' });
  const token = async (claims: Claims) =>
    aToken({ client_id: (await aPartner()).clientId, scope: undefined, ...claims });

  it('serve a request like those of a single claim', async () => {
    const realm_access = { roles: ['offline_access', 'search:pass'] };
    const machine = new Api(await token({ realm_access }), nested);
    expect((await machine.search({})).status).toBe(200);
    expectProblem(await machine.issue('ethereum/sepolia', aWallet()), 'insufficient_scope');
  });

  it('are missed in a text that names the claim', async () => {
    for (const claims of [{ scope: 'search:pass' }, { realm_access: { roles: { 'search:pass': true } } }]) {
      const answer = await new Api(await token(claims), nested).search({});
      expectProblem(answer, 'insufficient_scope', { detail: /no list of scopes in the claim "realm_access\.roles"/ });
    }
  });
});
