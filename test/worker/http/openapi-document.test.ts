import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { Api, workerWith } from './api.ts';

const TOKEN_URL = 'https://login.acme.io/oauth/token';
const anybody = new Api();
const answerIn = (changes: Record<string, unknown>, path = '/openapi.json', headers: HeadersInit = {}) =>
  anybody.through(workerWith({ TOKEN_URL, ...changes })).call('GET', path, { headers });
const documentIn = async (changes: Record<string, unknown>, path?: string): Promise<OpenApiDocument> =>
  JSON.parse((await answerIn(changes, path)).text);

const committed: OpenApiDocument = await (await env.ASSETS.fetch('https://assets.invalid/openapi.json')).json();
const WITHOUT_OPERATOR = { ADMIN_AUDIENCE: '', ADMIN_ISSUER: '', ADMIN_JWKS_URL: '' };
const admin = (path: string) => path.startsWith('/admin');

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
    expect(Object.keys(paths).filter((path) => path.includes('partner') && !admin(path))).toHaveLength(1);
  });

  it('contains the scope names that the operator configures', async () => {
    const names = {
      SCOPE_SEARCH: 'r:s',
      SCOPE_ISSUE: 'w:i',
      SCOPE_UPDATE: 'w:u',
      SCOPE_WEBHOOK: 'w:h',
      SCOPE_ADMIN: 'boss',
      SCOPE_ADMIN_READ: 'see',
      SCOPE_ADMIN_ACT: 'do',
      SCOPE_ADMIN_PARTNERS: 'sell',
      SCOPE_METRICS: 'watch',
    };
    const document = await documentIn(names);
    expect(Object.keys(flowIn(document)?.scopes ?? {})).toEqual(Object.values(names));
    const needed = operationsIn(document).flatMap(({ security }) =>
      security.flatMap((way) => Object.values(way).flat()),
    );
    expect(new Set(needed)).toEqual(new Set(Object.values(names)));
    const issue = document.paths['/pass/{chain}/{chainNetwork}']?.post as Operation;
    expect(issue.security).toEqual([{ oauth2: ['w:i'] }, { bearer: ['w:i'] }]);
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

  it("leaves out the operator's routes, tag and scope if no operator is configured", async () => {
    const document = await documentIn(WITHOUT_OPERATOR);
    const text = JSON.stringify(document);
    expect(Object.keys(document.paths)).toEqual(Object.keys(committed.paths).filter((path) => !admin(path)));
    expect(document.tags.map(({ name }) => name)).not.toContain('Operator');
    expect(Object.keys(flowIn(document)?.scopes ?? {})).not.toContain('admin');
    expect(committed.tags.map(({ name }) => name)).toContain('Operator');
    expect(text).not.toContain('"admin"');
    // Every reference names a component.
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(document.components[kind]?.[name], `${kind}/${name}`).toBeDefined();
    }
  });

  it("does not offer the partners' token endpoint to an operator with another issuer", async () => {
    const other = { ADMIN_ISSUER: 'https://staff.acme.io', ADMIN_JWKS_URL: 'https://staff.acme.io/jwks' };
    const document = await documentIn(other);
    expect(Object.keys(flowIn(document)?.scopes ?? {})).toEqual([
      'search:pass',
      'issue:pass',
      'update:pass',
      'webhook:manage',
    ]);
    const ofOperator = operationsIn(document).filter(({ path }) => admin(path));
    expect(ofOperator.length).toBeGreaterThan(3);
    for (const { path, security } of ofOperator) {
      const narrow = path === '/admin/metrics' ? 'metrics:read' : expect.stringMatching(/^admin:/);
      expect(security).toEqual(expect.arrayContaining([{ bearer: [narrow] }, { bearer: ['admin'] }]));
      expect(security.flatMap((way) => Object.keys(way))).not.toContain('oauth2');
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
