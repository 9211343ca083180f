import { describe, expect, it } from 'vitest';
import { Api, deployed, partner, workerWith } from './api.ts';
import { aWallet } from './wallets.ts';

/** Paths and methods, and what every answer carries. */

const anybody = new Api();
const acme = await partner('acme');
const wallet = aWallet();
const PATHS = [
  { path: '/health', allowed: 'GET' },
  { path: '/pass', allowed: 'POST' },
  { path: '/pass/ethereum/sepolia', allowed: 'POST' },
  { path: `/pass/ethereum/sepolia/${wallet}`, allowed: 'GET, PATCH, DELETE' },
  { path: `/pass/ethereum/sepolia/${wallet}/sync`, allowed: 'POST' },
] as const;
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('paths', () => {
  it.each([
    '/',
    '/passes',
    '/pas',
    '/PASS',
    '/pass/ethereum',
    `/pass/ethereum/sepolia/${wallet}/events`,
    `/pass/ethereum/sepolia/${wallet}/sync/now`,
    `/pass/ethereum/sepolia/${wallet}/Sync`,
    '/healthz',
    '/%70ass',
    '/pass%2Fethereum%2Fsepolia',
    '/partner/pass',
    '/constructor',
    '/%',
    '/%E0%A4%A',
  ])('%s is none', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { problem } = await anybody.call(method, path);
      expect([problem.status, problem.code]).toEqual([404, 'not_found']);
    }
  });

  it('take a query, and make nothing of it', async () => {
    expect((await anybody.call('GET', '/health?a=1&__proto__=2&%=3')).status).toBe(200);
    const { problem } = await acme.call('GET', `/pass/ethereum/sepolia/${wallet}?wallet=other&chain=solana`);
    expect(problem.code).toBe('pass_not_found');
  });
});

describe('methods', () => {
  const wrong = PATHS.flatMap(({ path, allowed }) =>
    METHODS.filter((method) => !allowed.split(', ').includes(method)).map((method) => ({ method, path, allowed })),
  );

  it.each(wrong)('$method $path: only $allowed', async ({ method, path, allowed }) => {
    const answer = await anybody.call(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
    if (method === 'HEAD') expect(answer.text).toBe('');
    else expect(answer.problem.code).toBe('method_not_allowed');
  });
});

describe('GET /health', () => {
  it.each([undefined, 'Bearer rubbish'])('answers everybody (authorization: %s)', async (authorization) => {
    const answer = await anybody.call('GET', '/health', { headers: authorization ? { authorization } : {} });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'ok' });
  });
});

describe('every answer', () => {
  it('has a request id of its own, whatever the caller sends', async () => {
    const headers = { 'x-request-id': 'mine' };
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => anybody.call('GET', '/health', { headers })),
      anybody.call('GET', '/nowhere', { headers }),
      anybody.call('HEAD', '/pass', { headers }),
      acme.search({}),
      acme.search({ limit: 0 }),
    ]);
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    expect(ids).not.toContain('mine');
    expect(new Set(ids).size).toBe(answers.length);
  });

  it('is not to be kept by a cache', async () => {
    const answers = [await acme.search({}), await acme.fetch('ethereum/sepolia', wallet), await anybody.search({})];
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('under a base path', () => {
  const based = acme.through(workerWith({ BASE_PATH: '/partner' }));

  it('the whole interface is there', async () => {
    expect((await based.call('GET', '/partner/health')).status).toBe(200);
    expect((await based.post('/partner/pass', {})).records).toEqual([]);
    expect((await based.post('/partner/pass/ethereum/sepolia', {})).problem.code).toBe('invalid_request');
    const pass = `/partner/pass/ethereum/sepolia/${wallet}`;
    for (const method of ['GET', 'DELETE']) {
      expect((await based.call(method, pass)).problem.code).toBe('pass_not_found');
    }
    expect((await based.call('PATCH', pass)).problem.code).toBe('invalid_request');
    expect((await based.call('POST', `${pass}/sync`)).problem.code).toBe('pass_not_found');
  });

  it.each(['/health', '/pass', '/partnerpass', '/partner', '/partner/partner/pass'])('%s is none', async (path) => {
    expect((await based.call('POST', path)).problem.code).toBe('not_found');
  });

  it('wrong methods are told the right one', async () => {
    const answer = await based.call('PUT', '/partner/pass/ethereum/sepolia');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('of two levels too', async () => {
    const deep = new Api(undefined, workerWith({ BASE_PATH: '/api/v1.0' }));
    expect((await deep.call('GET', '/api/v1.0/health')).status).toBe(200);
    expect((await deep.call('GET', '/api/v1x0/health')).status).toBe(404);
  });

  it('is empty unless it is configured', async () => {
    expect((await new Api(undefined, deployed).call('GET', '/health')).status).toBe(200);
  });
});
