import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { Api, partner, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';

/** The two documents as the service gives them: the partners' to everybody, and the operator's with a token of the operator. */

const TOKEN_URL = 'https://login.acme.io/oauth/token';
const anybody = new Api();
const answerIn = (changes: Record<string, unknown>, path = '/openapi.json', headers: HeadersInit = {}) =>
  anybody.through(workerWith({ TOKEN_URL, ...changes })).call('GET', path, { headers });
const documentIn = async (changes: Record<string, unknown>, path?: string): Promise<OpenApiDocument> =>
  JSON.parse((await answerIn(changes, path)).text);

/** The document for the operator of a Worker with these variables. */
const operatorsIn = async (changes: Record<string, unknown>, path = '/admin/openapi.json', claims = {}) =>
  (await anOperator(claims, workerWith({ ...TRUSTING, TOKEN_URL, ...changes }))).call('GET', path);
const operatorsDocumentIn = async (...args: Parameters<typeof operatorsIn>): Promise<OpenApiDocument> =>
  JSON.parse((await operatorsIn(...args)).text);

const fileAt = async (path: string): Promise<OpenApiDocument> =>
  (await env.ASSETS.fetch(`https://assets.invalid${path}`)).json();
const committed = await fileAt('/openapi.json');
const committedForOperators = await fileAt('/admin/openapi.json');
const WITHOUT_OPERATOR = { ADMIN_AUDIENCE: '', ADMIN_ISSUER: '', ADMIN_JWKS_URL: '' };
const OWN_ISSUER = { ADMIN_ISSUER: 'https://staff.acme.io', ADMIN_JWKS_URL: TRUSTING.JWKS_URL };

interface OpenApiDocument {
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>> & {
    readonly securitySchemes: { readonly oauth2?: { readonly flows: { readonly clientCredentials: Flow } } };
  };
}

interface Flow {
  readonly tokenUrl: string;
  readonly scopes: Readonly<Record<string, string>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

const operationsIn = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'patch', 'delete'].flatMap((method) =>
      method in item ? [{ path, ...(item[method] as Operation) }] : [],
    ),
  );
const flowIn = ({ components }: OpenApiDocument) => components.securitySchemes.oauth2?.flows?.clientCredentials;

describe('GET /openapi.json', () => {
  it('contains the addresses of the service and its token endpoint in place of the placeholders', async () => {
    expect(flowIn(committed)?.tokenUrl).toBe('https://issuer.example.com/oauth/token');
    expect(committed.servers).toMatchObject([{ url: 'https://api.example.com' }]);
    const document = await documentIn({});
    expect(document.servers).toMatchObject([{ url: 'https://api.example' }]);
    expect(flowIn(document)?.tokenUrl).toBe(TOKEN_URL);
    expect(JSON.stringify(document)).not.toMatch(/(api|issuer)\.example\.com/);
  });

  it('equals the committed document except for addresses and scope names', async () => {
    const { servers: _, paths, components, ...document } = await documentIn({});
    const { servers: __, paths: before, components: parts, ...was } = committed;
    expect(document).toEqual(was);
    expect(Object.keys(paths)).toEqual(Object.keys(before));
    expect(paths['/pass']).toEqual(before['/pass']);
    expect({ ...components, securitySchemes: {} }).toEqual({ ...parts, securitySchemes: {} });
    expect(Object.keys(components.securitySchemes)).toEqual(['oauth2', 'bearer']);
  });

  it('adds the base path to the server, and to the end of the well-known path', async () => {
    const { servers, paths } = await documentIn({ BASE_PATH: '/partner' }, '/partner/openapi.json');
    expect(servers).toMatchObject([{ url: 'https://api.example/partner' }]);
    expect(paths['/.well-known/oauth-protected-resource/partner']).toMatchObject({
      servers: [{ url: 'https://api.example' }],
    });
    expect(paths['/pass']).toBeDefined();
    expect(Object.keys(paths).filter((path) => path.includes('partner'))).toHaveLength(1);
  });

  it('contains the scope names that the operator configures', async () => {
    const names = {
      SCOPE_SEARCH: 'r:s',
      SCOPE_ISSUE: 'w:i',
      SCOPE_UPDATE: 'w:u',
      SCOPE_WEBHOOK: 'w:h',
      SCOPE_RULES: 'w:r',
    };
    const document = await documentIn(names);
    expectScopes(document, Object.values(names));
    const issue = document.paths['/pass/{chain}/{chainNetwork}']?.post as Operation;
    expect(issue.security).toEqual([{ oauth2: ['w:i'] }, { bearer: ['w:i'] }]);
  });

  it('has less than 300 kB before compression', async () => {
    const { text } = await answerIn({});
    expect(new TextEncoder().encode(text).length).toBeLessThan(300_000);
    expect(text.includes('\n')).toBe(false);
  });

  it("has no route, scope or schema of the operator's, whether there is an operator or not", async () => {
    for (const changes of [{}, WITHOUT_OPERATOR]) {
      const document = await documentIn(changes);
      expect(operationsIn(document)).toHaveLength(33);
      const found = JSON.stringify(document).match(
        /"\/admin|"(admin|metrics:read)"|admin:(read|act)|"Operator"|"Signer"/g,
      );
      expect(found).toBeNull();
    }
  });

  it('offers only the bearer scheme if no token endpoint is configured', async () => {
    const document = await documentIn({ TOKEN_URL: '' });
    expect(Object.keys(document.components.securitySchemes)).toEqual(['bearer']);
    const ofPass = operationsIn(document).filter(({ path }) => path.startsWith('/pass'));
    expect(ofPass.length).toBeGreaterThan(5);
    for (const { path, security } of ofPass) {
      expect(
        security.map((way) => Object.keys(way)),
        path,
      ).toEqual([['bearer']]);
    }
  });

  it('allows every web page to read it', async () => {
    for (const CORS_ORIGINS of ['', 'https://dash.example']) {
      const { headers } = await answerIn({ CORS_ORIGINS }, '/openapi.json', { origin: 'https://any.example' });
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it('names the configured origin, whatever host a request names, and lets any cache store it', async () => {
    const send = workerWith({ TOKEN_URL, PUBLIC_ORIGIN: 'https://passes.acme.io', BASE_PATH: '/partner' });
    const answer = await send(new Request('https://evil.example/partner/openapi.json'));
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60, must-revalidate');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      servers: [{ url: 'https://passes.acme.io/partner' }],
      paths: {
        '/.well-known/oauth-protected-resource/partner': { servers: [{ url: 'https://passes.acme.io' }] },
      },
    });
    expect(text).not.toContain('evil.example');
  });

  it('forbids caches to store it when it names the host of the request', async () => {
    const { headers } = await answerIn({});
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('fetches the document once for an address, and sends it again only after a change', async () => {
    const fetch = vi.fn(env.ASSETS.fetch.bind(env.ASSETS));
    const send = workerWith({ TOKEN_URL, ASSETS: { fetch } });
    const get = (origin: string, etag = '') =>
      send(new Request(`${origin}/openapi.json`, { headers: { 'if-none-match': etag } }));
    const first = await get('https://one.example');
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"\w{40,}"$/)]);
    expect((await get('https://one.example', etag)).status).toBe(304);
    expect((await get('https://one.example', `"x", ${etag}`)).status).toBe(304);
    expect(fetch).toHaveBeenCalledTimes(1);

    const other = await get('https://two.example', etag);
    expect([other.status, await other.json()]).toMatchObject([200, { servers: [{ url: 'https://two.example' }] }]);
  });
});

describe('GET /admin/openapi.json', () => {
  it("has the operator's operations, the address of the service and its token endpoint, and nothing of the partners'", async () => {
    const { text, headers, status } = await operatorsIn({});
    const document: OpenApiDocument = JSON.parse(text);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/json',
      'no-store',
    ]);
    expect(operationsIn(document)).toHaveLength(30);
    expect(Object.keys(document.paths)).toEqual(Object.keys(committedForOperators.paths));
    expect(Object.keys(document.paths).filter((path) => !path.startsWith('/admin/'))).toEqual([]);
    expect(document.servers).toMatchObject([{ url: 'https://api.example' }]);
    expect(flowIn(document)?.tokenUrl).toBe(TOKEN_URL);
    expect(text.match(/(api|issuer)\.example\.com|(search|issue|update):pass/g)).toBeNull();
  });

  it('contains the scope names that the operator configures', async () => {
    const names = {
      SCOPE_ADMIN: 'boss',
      SCOPE_ADMIN_READ: 'see',
      SCOPE_ADMIN_ACT: 'do',
      SCOPE_ADMIN_PARTNERS: 'sell',
      SCOPE_METRICS: 'watch',
    };
    expectScopes(await operatorsDocumentIn(names, undefined, { scope: 'see' }), Object.values(names));
  });

  it('follows the base path', async () => {
    const { servers, paths } = await operatorsDocumentIn({ BASE_PATH: '/partner' }, '/partner/admin/openapi.json');
    expect(servers).toMatchObject([{ url: 'https://api.example/partner' }]);
    expect(paths['/admin/signers']).toBeDefined();
  });

  it("names the operator's own token endpoint, and never the partners' to an operator with another issuer", async () => {
    const iss = OWN_ISSUER.ADMIN_ISSUER;
    const bearerOnly = await operatorsDocumentIn(OWN_ISSUER, undefined, { iss });
    expect(Object.keys(bearerOnly.components.securitySchemes)).toEqual(['bearer']);
    for (const { path, security } of operationsIn(bearerOnly)) {
      const narrow = path === '/admin/metrics' ? 'metrics:read' : expect.stringMatching(/^admin:/);
      expect(security).toEqual(expect.arrayContaining([{ bearer: [narrow] }, { bearer: ['admin'] }]));
      expect(security.flatMap((way) => Object.keys(way))).not.toContain('oauth2');
    }
    const own = { ...OWN_ISSUER, ADMIN_TOKEN_URL: 'https://staff.acme.io/token' };
    expect(flowIn(await operatorsDocumentIn(own, undefined, { iss }))?.tokenUrl).toBe(own.ADMIN_TOKEN_URL);
  });

  it('is sent again only after a change', async () => {
    const send = workerWith({ ...TRUSTING, TOKEN_URL });
    const operator = await anOperator({}, send);
    const { headers } = await operator.call('GET', '/admin/openapi.json');
    const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await operator.call('GET', '/admin/openapi.json', known)).status).toBe(304);
    // The documents have caches of their own.
    expect((await operator.call('GET', '/openapi.json', known)).status).toBe(200);
  });

  it('is no public file: nobody gets it without a token of the operator, and no path leads around the token', async () => {
    expect(committedForOperators.paths['/admin/signers']).toBeDefined();
    for (const path of [
      '/admin/openapi.json',
      '/admin//openapi.json',
      '/%61dmin/openapi%2ejson',
      '/docs/../admin/openapi.json',
    ]) {
      for (const api of [anybody, await partner('acme')]) {
        const answer = await api.call('GET', path);
        expect([401, 404], path).toContain(answer.status);
        expect(answer.text.includes('/admin/signers')).toBe(false);
      }
    }
    for (const path of [
      '/docs/admin/openapi.json',
      '/docs/..%2fadmin%2fopenapi.json',
      '/downloads/..%2fadmin%2fopenapi.json',
      '/console/..%2fadmin%2fopenapi.json',
      '/partner/admin/openapi.json',
    ]) {
      const answer = await anybody.call('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text.includes('/admin/signers')).toBe(false);
    }
  });

  it('does not exist without an operator', async () => {
    const without = anybody.through(workerWith(WITHOUT_OPERATOR));
    expectProblem(await without.call('GET', '/admin/openapi.json'), 'not_found');
  });

  it('answers 503 if the platform does not return the file', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const ASSETS = { fetch: async () => new Response(null, { status: 404 }) };
    expectProblem(await operatorsIn({ ASSETS }), 'temporarily_unavailable');
    vi.restoreAllMocks();
  });
});

/** Checks that the document's flow and its operations name these scopes and no others. */
function expectScopes(document: OpenApiDocument, names: readonly string[]): void {
  expect(Object.keys(flowIn(document)?.scopes ?? {})).toEqual(names);
  const needed = operationsIn(document).flatMap(({ security }) => security.flatMap((way) => Object.values(way).flat()));
  expect(new Set(needed)).toEqual(new Set(names));
}
