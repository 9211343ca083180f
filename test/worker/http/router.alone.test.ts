import { describe, expect, inject, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import type { Answer } from './answer.ts';
import { Api, deployed, partner, type Send, workerWith } from './api.ts';
import { newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Paths, methods, and the headers that every reply has. */

const anybody = new Api();
const acme = await partner('acme');
const wallet = aWallet();
const gatekeeperNetwork = newGatekeeperNetwork();
const PATHS = [
  { path: '/health', allowed: 'GET, HEAD' },
  { path: '/health/ready', allowed: 'GET, HEAD' },
  { path: '/.well-known/oauth-protected-resource', allowed: 'GET, HEAD' },
  { path: '/', allowed: 'GET, HEAD' },
  { path: '/docs', allowed: 'GET, HEAD' },
  { path: '/docs/code.css', allowed: 'GET, HEAD' },
  { path: '/downloads/index.json', allowed: 'GET, HEAD' },
  { path: '/openapi.json', allowed: 'GET, HEAD, OPTIONS' },
  { path: `/verify/${gatekeeperNetwork}/ethereum/sepolia/${wallet}`, allowed: 'GET, HEAD, OPTIONS' },
  { path: '/usage', allowed: 'GET, HEAD' },
  { path: '/pass', allowed: 'POST' },
  { path: '/pass/ethereum/sepolia', allowed: 'POST' },
  { path: `/pass/ethereum/sepolia/${wallet}`, allowed: 'GET, HEAD, PATCH, DELETE' },
  { path: `/pass/ethereum/sepolia/${wallet}/sync`, allowed: 'POST' },
] as const;
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('unknown paths', () => {
  it.each([
    '/passess',
    '/pas',
    '/PASS',
    '/pass/ethereum',
    `/pass/ethereum/sepolia/${wallet}/events`,
    `/pass/ethereum/sepolia/${wallet}/sync/now`,
    `/pass/ethereum/sepolia/${wallet}/Sync`,
    '/healthz',
    '/verify',
    `/verify/${gatekeeperNetwork}/ethereum/sepolia`,
    `/verify/${gatekeeperNetwork}/ethereum/sepolia/${wallet}`,
    `/verify/${gatekeeperNetwork}/nochain/nonetwork/nowallet`,
    `/verify/%00/ethereum/sepolia/${wallet}`,
    '/%50ass',
    '/%2570ass',
    '/pass%2f',
    '/pass%2Fethereum%2Fsepolia',
    '/partner/pass',
    '/constructor',
    '/%',
    '/%E0%A4%A',
  ])('returns 404 for the path %s', async (path) => {
    expectProblem(await anybody.call('GET', path), 'not_found');
    // The path of a public check exists for every gatekeeper network, but its answers do not.
    const isCheck = path.split('/').length === 6 && path.startsWith('/verify/');
    expectProblem(await anybody.call('POST', path), isCheck ? 'method_not_allowed' : 'not_found');
  });

  it.each([
    ['GET', '/%68ealth', 200],
    ['GET', '/openapi%2Ejson', 200],
    ['GET', '/docs/c%6fde%2ecss', 200],
    ['GET', '/.well%2Dknown/oauth%2dprotected%2Dresource', 200],
    ['POST', '/%70%61%73%73', 200],
    ['POST', `/pass/%65thereum/sepolia/${wallet}/s%79nc`, 404],
    ['PUT', '/p%61ss', 405],
  ])('treats percent-encoded letters that need no encoding as plain letters: %s %s', async (method, path, status) => {
    const answer = await acme.call(method, path);
    expect(answer.status).toBe(status);
    if (status === 404) expectProblem(answer, 'pass_not_found');
  });

  it('ignores the query of a route that declares none', async () => {
    expect((await anybody.call('GET', '/health?a=1&__proto__=2&%=3')).status).toBe(200);
    const answer = await acme.call('GET', `/pass/ethereum/sepolia/${wallet}?wallet=other&chain=solana`);
    expectProblem(answer, 'pass_not_found');
  });
});

describe('methods', () => {
  const wrong = PATHS.flatMap(({ path, allowed }) =>
    METHODS.filter((method) => !allowed.split(', ').includes(method)).map((method) => [method, path, allowed] as const),
  );

  it.each(wrong)('returns 405 for %s %s and allows only %s', async (method, path, allowed) => {
    const answer = await anybody.call(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
    if (method === 'HEAD') expect(answer.text).toBe('');
    else expectProblem(answer, 'method_not_allowed');
  });
});

describe('HEAD', () => {
  const nearly = ({ status, headers }: Answer) => [status, [...headers].filter(([name]) => name !== 'x-request-id')];

  it.each(['/health', '/', '/docs/', '/docs/nowhere', '/openapi.json', `/pass/ethereum/sepolia/${wallet}`, '/nowhere'])(
    'replies to HEAD %s as to GET, without the body',
    async (path) => {
      const [head, get] = [await acme.call('HEAD', path), await acme.call('GET', path)];
      expect(nearly(head)).toEqual(nearly(get));
      expect([head.text, get.text !== '']).toEqual(['', path !== '/']);
    },
  );

  it('requires the token that GET requires', async () => {
    const answer = await anybody.call('HEAD', `/pass/ethereum/sepolia/${wallet}`);
    expect([answer.status, answer.text]).toEqual([401, '']);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });
});

describe('GET /health', () => {
  it.each([undefined, 'Bearer rubbish'])('replies to every caller (authorization: %s)', async (authorization) => {
    const answer = await anybody.call('GET', '/health', { headers: authorization ? { authorization } : {} });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ status: 'ok', checks: ['configuration'] });
  });
});

describe('every reply', () => {
  it('has a new request id, whatever id the caller sends', async () => {
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

  it('forbids caching and content sniffing', async () => {
    const answers = [await acme.search({}), await acme.fetch('ethereum/sepolia', wallet), await anybody.search({})];
    for (const { headers } of [...answers, await anybody.call('GET', '/health'), await anybody.call('PUT', '/pass')]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('sends Strict-Transport-Security only over TLS', async () => {
    const bound = async (url: string) => (await deployed(new Request(url))).headers.get('strict-transport-security');
    expect(await bound('https://api.example/health')).toBe('max-age=31536000');
    expect(await bound('http://api.example/health')).toBeNull();
  });
});

describe('the metadata of the protected resource (RFC 9728)', () => {
  const PATH = '/.well-known/oauth-protected-resource';

  it('names the authorization server and the scopes', async () => {
    const answer = await anybody.call('GET', PATH);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({
      resource: 'https://api.example',
      resource_name: 'Gatepass',
      authorization_servers: [inject('localnet').issuer],
      scopes_supported: ['search:pass', 'issue:pass', 'update:pass', 'webhook:manage', 'manage:rules'],
      bearer_methods_supported: ['header'],
    });
  });

  it('serves the metadata before the base path, and includes the base path in the resource (§3.1)', async () => {
    const based = anybody.through(workerWith({ BASE_PATH: '/partner' }));
    expect(JSON.parse((await based.call('GET', `${PATH}/partner`)).text).resource).toBe('https://api.example/partner');
    for (const path of [PATH, `/partner${PATH}`]) expect((await based.call('GET', path)).status).toBe(404);
  });

  it('names the configured origin in the metadata and the challenge, whatever host a request names', async () => {
    const send = workerWith({ PUBLIC_ORIGIN: 'https://passes.acme.io' });
    const metadata = await send(new Request(`https://evil.example${PATH}`));
    expect(await metadata.json()).toMatchObject({ resource: 'https://passes.acme.io' });
    const refused = await send(new Request('https://evil.example/pass', { method: 'POST' }));
    const challenge = refused.headers.get('www-authenticate');
    expect(challenge).toContain(`resource_metadata="https://passes.acme.io${PATH}"`);
  });

  it('points to the metadata in the challenge of a 401 (§5.1)', async () => {
    const challengeOf = async (api: Api, path: string, headers = {}) =>
      (await api.call('POST', path, { headers })).headers.get('www-authenticate');
    const metadata = `resource_metadata="https://api.example${PATH}"`;
    expect(await challengeOf(anybody, '/pass')).toContain(metadata);
    expect(await challengeOf(anybody, '/pass', { authorization: 'Bearer rubbish' })).toContain(metadata);
    const based = anybody.through(workerWith({ BASE_PATH: '/partner' }));
    expect(await challengeOf(based, '/partner/pass')).toContain(`${PATH}/partner"`);
    // The operator's tokens may come from another authorization server.
    expect(await challengeOf(anybody, '/admin/redrive')).not.toContain('resource_metadata');
  });
});

describe('CORS', () => {
  const PAGE = 'https://dash.example';
  const open = workerWith({ CORS_ORIGINS: `${PAGE} https://other.example` });
  const ask = (send: Send, origin: string, method = 'GET') =>
    acme.through(send).call(method, `/pass/ethereum/sepolia/${wallet}`, {
      headers: { origin, 'access-control-request-method': 'PATCH' },
    });
  const cors = ({ headers }: Answer) => [...headers].filter(([name]) => name.startsWith('access-control'));

  it('allows no page of another origin unless it is configured', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      expect(cors(await ask(deployed, PAGE, method))).toEqual([]);
      for (const origin of ['https://evil.example', 'null', `${PAGE}.evil.example`, 'http://dash.example', '*']) {
        const answer = await ask(open, origin, method);
        expect(cors(answer)).toEqual([]);
        expect(answer.headers.get('vary')).toBe('Origin');
      }
    }
    expect((await ask(open, 'https://evil.example', 'OPTIONS')).status).toBe(405);
  });

  it('lets a configured page call the service and read the headers that it needs', async () => {
    const answer = await ask(open, PAGE);
    expectProblem(answer, 'pass_not_found');
    expect(Object.fromEntries(cors(answer))).toEqual({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers':
        'Gatepass-Bookmark, X-Request-Id, Retry-After, WWW-Authenticate, ETag, Preference-Applied, Sunset',
    });
  });

  it('lists the methods and headers that a configured page may send', async () => {
    const path = `https://api.example/pass/ethereum/sepolia/${wallet}`;
    const headers = { origin: PAGE, 'access-control-request-method': 'PATCH' };
    const answer = await open(new Request(path, { method: 'OPTIONS', headers }));
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PATCH, DELETE');
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, Gatepass-Bookmark, If-None-Match, Prefer',
    );
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('the base path', () => {
  const based = acme.through(workerWith({ BASE_PATH: '/partner' }));

  it('serves the whole interface under the base path', async () => {
    expect((await based.call('GET', '/partner/health')).status).toBe(200);
    expect((await based.post('/partner/pass', {})).records).toEqual([]);
    expectProblem(await based.post('/partner/pass/ethereum/sepolia', {}), 'invalid_request');
    const pass = `/partner/pass/ethereum/sepolia/${wallet}`;
    for (const method of ['GET', 'DELETE']) {
      expectProblem(await based.call(method, pass), 'pass_not_found');
    }
    expectProblem(await based.call('PATCH', pass), 'invalid_request');
    expectProblem(await based.call('POST', `${pass}/sync`), 'pass_not_found');
  });

  it.each(['/health', '/pass', '/partnerpass', '/partners', '/partner/partner/pass'])(
    'returns 404 for %s, which is not under the base path',
    async (path) => {
      expectProblem(await based.call('POST', path), 'not_found');
    },
  );

  it('serves under a base path with percent-encoded letters', async () => {
    expect((await based.call('GET', '/%70artner/health')).status).toBe(200);
    expect((await based.call('GET', '/.well-known/oauth-protected-resource/p%61rtner')).status).toBe(200);
  });

  it('names the allowed method under the base path', async () => {
    const answer = await based.call('PUT', '/partner/pass/ethereum/sepolia');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('serves under a base path of two segments', async () => {
    const deep = new Api(undefined, workerWith({ BASE_PATH: '/api/v1.0' }));
    expect((await deep.call('GET', '/api/v1.0/health')).status).toBe(200);
    expect((await deep.call('GET', '/api/v1x0/health')).status).toBe(404);
  });

  it('serves at the root by default', async () => {
    expect((await new Api(undefined, deployed).call('GET', '/health')).status).toBe(200);
  });
});
