import { describe, expect, it } from 'vitest';
import { NETWORKS } from '../../../src/network/networks.ts';
import { expectProblem } from '../../problem.ts';
import { Api, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';

/** The files of the console, as the Worker serves them. `test/system/pages` uses the page in a browser. */

const get = (path: string, changes: Readonly<Record<string, unknown>> = {}) =>
  new Api(undefined, workerWith({ ...TRUSTING, ...changes })).call('GET', path);

/** The settings that the page finds. */
function settingsIn(text: string) {
  const [, content = ''] = /<meta name="gatepass" content="([^"]*)">/.exec(text) ?? [];
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

const NOT_CONFIGURED = { CONSOLE_CLIENT_ID: '', CONSOLE_ADMIN_CLIENT_ID: '' };

describe('the console', () => {
  it('has the settings of the deployment, and none that is secret', async () => {
    const { text } = await get('/console', { TOKEN_AUDIENCE: 'a"><script>alert(1)</script>' });
    expect(settingsIn(text)).toMatchObject({
      networks: ['devnet', 'sepolia', 'baseSepolia'],
      staff: { clientId: 'console', issuer: TRUSTING.TOKEN_ISSUER, audience: 'a"><script>alert(1)</script>' },
      operator: {
        clientId: 'console-admin',
        issuer: TRUSTING.TOKEN_ISSUER,
        scopes: { admin: 'admin', read: 'admin:read', act: 'admin:act', partners: 'admin:partners' },
      },
    });
    // In an attribute, only a quote would end the value.
    expect(text.replace(/<meta name="gatepass" content="[^"]*">/, '')).not.toContain('alert');
    const { staff, operator, ...others } = settingsIn(text);
    expect(Object.keys(others)).toEqual(['networks', 'ends']);
    expect(others.ends).toEqual({});
    expect(Object.keys(staff)).toEqual(['clientId', 'issuer', 'audience', 'scopes', 'partnerClaim']);
    // Not the one for the rules, which no view changes.
    expect(Object.keys(staff.scopes)).toEqual(['search', 'issue', 'update', 'webhook']);
    expect(Object.keys(operator)).toEqual(['clientId', 'issuer', 'audience', 'scopes']);
  });

  it('has the day on which a network ends', async () => {
    const NETWORKS = JSON.stringify({ sepolia: { endsOn: '2090-12-31' } });
    expect(settingsIn((await get('/console', { NETWORKS })).text).ends).toEqual({ sepolia: '2090-12-31' });
  });

  it('offers every network if no network has a signer, because all partners are in sandboxes then', async () => {
    const { networks } = settingsIn((await get('/console', { RPC_ENDPOINTS: '{}' })).text);
    expect(networks).toEqual(NETWORKS.map(({ network }) => network));
  });

  it('offers only the ways to sign in that are configured', async () => {
    expect(settingsIn((await get('/console', { CONSOLE_ADMIN_CLIENT_ID: '' })).text).operator).toBeUndefined();
    expect(settingsIn((await get('/console', { CONSOLE_CLIENT_ID: '' })).text).staff).toBeUndefined();
  });

  it('says that it is not configured, and serves nothing else', async () => {
    const { text, headers } = await get('/console', NOT_CONFIGURED);
    expect(text).toContain('The console is not configured');
    expect(text).not.toMatch(/<script|<link|gatepass"/);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const file of ['callback', 'app.js', 'index.html', 'unconfigured.html'])
      expectProblem(await get(`/console/${file}`, NOT_CONFIGURED), 'not_found');
  });

  it.each([
    ['its own host', ''],
    ['a path', '/partner'],
  ])('sends a return with a slash at its end to the page without one, if it is at %s', async (_, basePath) => {
    const { status, headers, text } = await get(`${basePath}/console/callback/?code=a%26b&state=c`, {
      BASE_PATH: basePath,
    });
    expect([status, text]).toEqual([302, '']);
    expect(headers.get('location')).toBe(`${basePath}/console/callback?code=a%26b&state=c`);
  });

  it.each(['app.js', 'callback.js', 'console.css', 'icon.svg', 'LICENSES.txt'])('serves %s', async (file) => {
    const { status, headers, text } = await get(`/console/${file}`);
    expect([status, headers.get('etag')]).toEqual([200, expect.any(String)]);
    expect(text.length).toBeGreaterThan(100);
  });

  it('serves the parts that its program loads by itself', async () => {
    const { text } = await get('/console/app.js');
    const [, part = ''] = /"\.\/(chunk-\w+\.js)"/.exec(text) ?? [];
    expect((await get(`/console/${part}`)).status).toBe(200);
  });

  it.each(['index.html', 'callback.html', 'unconfigured.html', '..%2Fdocs%2Fpage.css', 'Callback'])(
    'serves no page or other folder as the file %s',
    async (file) => void expectProblem(await get(`/console/${file}`), 'not_found'),
  );

  it('refuses a file that an earlier release had', async () => {
    expectProblem(await get('/console/chunk-00000000.js'), 'not_found');
  });

  it('lets the page call this service and the authorization servers, and opens windows for a sign-in', async () => {
    const changes = {
      TOKEN_URL: 'https://login.acme.io/token',
      ADMIN_ISSUER: 'https://ops.acme.io/',
      ADMIN_JWKS_URL: TRUSTING.JWKS_URL,
      ADMIN_TOKEN_URL: 'https://ops-login.acme.io/token',
    };
    for (const path of ['/console', '/console/callback?code=secret']) {
      const { headers, text } = await get(path, changes);
      const policy = headers.get('content-security-policy') ?? '';
      const hosts = [
        'https://issuer.example',
        'https://login.acme.io',
        'https://ops.acme.io',
        'https://ops-login.acme.io',
      ];
      expect(policy).toContain(`connect-src 'self' ${hosts.join(' ')};`);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(text).not.toContain('secret');
    }
  });

  it('is at the base path, also with a slash at the end', async () => {
    expect((await get('/partner/console', { BASE_PATH: '/partner' })).text).toContain('href="console/console.css"');
    const { status, headers } = await get('/partner/console/', { BASE_PATH: '/partner' });
    expect([status, headers.get('location')]).toEqual([302, '/partner/console']);
  });
});
