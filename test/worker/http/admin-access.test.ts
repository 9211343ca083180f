import { describe, expect, inject, it } from 'vitest';
import { ROUTES } from '../../../src/http/routes.ts';
import { Api, partner, workerWith } from './api.ts';
import { aToken, newClientId, TRUSTING } from './issuer.ts';
import { anOperator, operator } from './operator.ts';

/** Who is the operator, and what its routes take; who is not, the matrix of callers shows on every route. */

const OPERATORS = ROUTES.filter(({ scope }) => scope === 'admin');

const localnet = inject('localnet');
const STAFF = 'https://staff.example';
/** The operator has an issuer of its own, whose tokens are for the same audience as those of partners. */
const staffed = workerWith({ ADMIN_AUDIENCE: '', ADMIN_ISSUER: STAFF, ADMIN_JWKS_URL: TRUSTING.JWKS_URL });

describe.each(OPERATORS)('$method $path', ({ method, path }) => {
  const call = (api: Api) => api.call(method, path);
  const refusalOf = async (api: Api) => {
    const { status, problem } = await call(api);
    return [status, problem.code];
  };
  /** What is answered when nothing is wrong with the caller: redriving nothing in particular is no request. */
  const granted = method === 'GET' ? 200 : 400;

  it('is for the operator', async () => {
    expect((await call(await operator())).status).toBe(granted);
  });

  it('takes no token of a partner', async () => {
    expect(await refusalOf(await partner('acme'))).toEqual([401, 'token_invalid']);
    const ofTheOtherIssuer = new Api(await aToken({ client_id: newClientId(), scope: 'admin' }), staffed);
    expect(await refusalOf(ofTheOtherIssuer)).toEqual([401, 'token_invalid']);
  });

  it('takes tokens of an issuer of its own', async () => {
    expect((await call(await anOperator({ iss: STAFF, aud: localnet.audience }, staffed))).status).toBe(granted);
    expect(await refusalOf(await anOperator({ iss: STAFF }, staffed))).toEqual([401, 'token_invalid']);
    expect(await refusalOf(await anOperator({ iss: STAFF }))).toEqual([401, 'token_invalid']);
  });

  it('is not there where the operator has no tokens of its own', async () => {
    const without = workerWith({ ...TRUSTING, ADMIN_AUDIENCE: '' });
    for (const api of [await anOperator({}, without), new Api(undefined, without)]) {
      expect(await refusalOf(api)).toEqual([404, 'not_found']);
    }
  });

  it('is limited as writing is, apart from partners', async () => {
    const asked: string[] = [];
    const WRITE_LIMIT = { limit: async ({ key }: RateLimitOptions) => ({ success: asked.push(key) === 0 }) };
    const limited = await anOperator({ client_id: 'acme' }, workerWith({ ...TRUSTING, WRITE_LIMIT }));
    expect(await refusalOf(limited)).toEqual([429, 'rate_limited']);
    expect(asked).toEqual(['admin/acme']);
  });

  it('takes a query only as it is told of', async () => {
    const api = await anOperator();
    for (const query of ['?nonsense=1', '?limit=0&limit=1', '?__proto__=1']) {
      const { status, problem } = await api.call(method, path + query);
      expect([status, problem.code]).toEqual([400, 'invalid_request']);
    }
  });
});

it('what partners may do, the operator may not', async () => {
  expect((await (await operator()).search({})).problem.code).toBe('token_invalid');
});

it('the scope may have another name', async () => {
  const renamed = workerWith({ ...TRUSTING, SCOPE_ADMIN: 'ops' });
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
])('%s is refused: %s', async (path, pointer) => {
  const { problem } = await (await anOperator()).call('GET', path);
  expect([problem.code, problem.errors?.map((each) => each.pointer)]).toEqual(['invalid_request', [pointer]]);
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
])('redriving %j is refused: %s', async (body, pointer) => {
  const { problem } = await (await anOperator()).post('/admin/redrive', body);
  expect(problem.code).toBe('invalid_request');
  expect(problem.errors?.map((each) => each.pointer)).toContain(pointer);
});
