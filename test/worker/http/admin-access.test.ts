import { describe, expect, inject, it } from 'vitest';
import { rightsOf } from '../../../src/http/route.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { expectProblem } from '../../problem.ts';
import { Api, partner, workerWith } from './api.ts';
import { aToken, newClientId, TRUSTING } from './issuer.ts';
import { anOperator, operator } from './operator.ts';

/**
 * The operator's tokens and the input of the operator's routes. The access matrix tests all other callers on every
 * route.
 */

const OPERATORS = ROUTES.filter(({ scope }) => scope === 'admin');

const localnet = inject('localnet');
const STAFF = 'https://staff.example';
/** The operator has its own issuer. Its tokens have the same audience as the tokens of partners. */
const staffed = workerWith({ ADMIN_AUDIENCE: '', ADMIN_ISSUER: STAFF, ADMIN_JWKS_URL: TRUSTING.JWKS_URL });

const RIGHTS = { read: 'admin:read', act: 'admin:act', partners: 'admin:partners', metrics: 'metrics:read' } as const;

describe.each(OPERATORS)('operator access to $method $path', ({ method, path, ...route }) => {
  const rights = route.scope === 'admin' ? rightsOf(route) : [];
  const [scope = ''] = rights.map((right) => RIGHTS[right]);
  const call = (api: Api) => api.call(method, path);
  /** The status for a valid caller: an empty redrive and the chain `:chain` are invalid, and no partner has the name of the parameter. */
  const granted = method !== 'GET' || path.includes(':chain') ? 400 : path.includes(':') ? 404 : 200;

  it('accepts the operator', async () => {
    expect((await call(await operator())).status).toBe(granted);
  });

  it('accepts the scope of every right, and refuses those of others with the name of its own', async () => {
    expect((await call(await anOperator({ scope: 'admin' }))).status).toBe(granted);
    for (const [right, name] of Object.entries(RIGHTS)) {
      const answer = await call(await anOperator({ scope: name }));
      if (rights.some((each) => each === right)) expect(answer.status).toBe(granted);
      else expectProblem(answer, 'insufficient_scope', { detail: scope });
    }
  });

  it('refuses the token of a partner', async () => {
    expectProblem(await call(await partner('acme')), 'token_invalid');
    const ofTheOtherIssuer = new Api(await aToken({ client_id: newClientId(), scope }), staffed);
    expectProblem(await call(ofTheOtherIssuer), 'token_invalid');
  });

  it('accepts tokens of the separate operator issuer, and no others', async () => {
    expect((await call(await anOperator({ scope, iss: STAFF, aud: localnet.audience }, staffed))).status).toBe(granted);
    expectProblem(await call(await anOperator({ iss: STAFF }, staffed)), 'token_invalid');
    expectProblem(await call(await anOperator({ iss: STAFF })), 'token_invalid');
  });

  it('returns 404 when no operator audience or issuer is configured', async () => {
    const without = workerWith({ ...TRUSTING, ADMIN_AUDIENCE: '' });
    for (const api of [await anOperator({}, without), new Api(undefined, without)]) {
      expectProblem(await call(api), 'not_found');
    }
  });

  it('applies the write limit to the operator, and counts the operator separately from partners', async () => {
    const asked: string[] = [];
    const WRITE_LIMIT = { limit: async ({ key }: RateLimitOptions) => ({ success: asked.push(key) === 0 }) };
    const limited = await anOperator({ scope, client_id: 'acme' }, workerWith({ ...TRUSTING, WRITE_LIMIT }));
    expectProblem(await call(limited), 'rate_limited');
    expect(asked).toEqual(['admin/acme']);
  });

  it('refuses query parameters that the route does not declare', async () => {
    const api = await anOperator({ scope });
    for (const query of ['?nonsense=1', '?limit=0&limit=1', '?__proto__=1']) {
      expectProblem(await api.call(method, path + query), 'invalid_request');
    }
  });
});

it('refuses the token of an operator on a partner route', async () => {
  expectProblem(await (await operator()).search({}), 'token_invalid');
});

it('accepts the configured names of the operator scopes', async () => {
  const renamed = workerWith({ ...TRUSTING, SCOPE_ADMIN: 'ops', SCOPE_ADMIN_READ: 'ops:see' });
  expect((await (await anOperator({ scope: 'ops:see' }, renamed)).call('GET', '/admin/signers')).status).toBe(200);
  expect((await (await anOperator({ scope: 'ops' }, renamed)).call('GET', '/admin/signers')).status).toBe(200);
  expect((await (await anOperator({}, renamed)).call('GET', '/admin/signers')).status).toBe(403);
});

it.each([
  ['/admin/stuck?limit=101', '/limit'],
  ['/admin/stuck?limit=-1', '/limit'],
  ['/admin/stuck?limit=1e1', '/limit'],
  ['/admin/stuck?olderThan=soon', '/olderThan'],
  ['/admin/stuck?after=x', '/after'],
  ['/admin/dead-letters?after=1:', '/after'],
  ['/admin/dead-letters?olderThan=1', '/olderThan'],
])('refuses %s and names the field %s', async (path, pointer) => {
  expectProblem(await (await anOperator()).call('GET', path), 'invalid_request', { pointers: [pointer] });
});

it.each([
  [{}, '/shard'],
  [{ shard: 'DB' }, '/objects'],
  [{ shard: ['DB'], objects: [] }, '/shard'],
  [{ shard: 'DB', objects: {} }, '/objects'],
  [{ shard: 'DB', objects: [['x']] }, '/objects/0'],
  [{ shard: 'DB', objects: [], start: 1 }, '/start'],
  [{ shard: 'DB', objects: [], position: 1 }, '/position'],
  [{ shard: 'DB', objects: [], position: 'x'.repeat(1_001) }, '/position'],
  [{ shard: 'DB', objects: [], more: 1 }, '/more'],
])('refuses the rebuild body %j and names the field "%s"', async (body, pointer) => {
  expectProblem(await (await anOperator()).post('/admin/rebuild', body), 'invalid_request', { pointer });
});

it.each([
  [{}, ''],
  [{ all: 'stuck', deadLetters: 'all' }, ''],
  [{ all: 'everything' }, '/all'],
  [{ all: 'stuck', olderThan: -1 }, '/olderThan'],
  [{ all: 'stuck', after: 'x' }, '/after'],
  [{ deadLetters: 'all', olderThan: 1 }, ''],
  [{ pass: {} }, '/pass/gatekeeperNetwork'],
  [{ pass: { gatekeeperNetwork: 'a', chain: 'b', network: 'c', walletAddress: 'd' }, more: 1 }, '/more'],
])('refuses the redrive body %j and names the field "%s"', async (body, pointer) => {
  expectProblem(await (await anOperator()).post('/admin/redrive', body), 'invalid_request', { pointer });
});
