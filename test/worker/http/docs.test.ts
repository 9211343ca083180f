import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { linesOf } from '../lines-of.ts';
import { Api, deployed, type Send, workerWith } from './api.ts';

/** `test/system/pages/docs-page.test.ts` opens the page in a browser. */

const anybody = new Api();
const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGES = [
  ...[
    '',
    'quickstart',
    'sandbox',
    'from-civic',
    'require-a-pass',
    'pass-life',
    'api',
    'reference',
    'errors',
    'limits',
    'events',
    'webhooks',
  ],
  ...['client', 'command', 'console', 'whom-you-trust', 'changelog'],
];

/** Returns the addresses that a page names, without those of other hosts and of its own parts. */
const addressesIn = (text: string) =>
  [...new Set([...text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)].map(([, link = '']) => link))].filter(
    (link) => !/^(?:https:|data:image\/svg\+xml)/.test(link),
  );

describe('GET /docs', () => {
  it('leads to pages that may load only their own files and may call only this service', async () => {
    const { status, headers } = await anybody.call('GET', '/docs/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(PAGES)(
    'serves the page /docs/%s without inline code, and each address in it leads to a page or a file',
    async (name) => {
      const api = anybody.through(workerWith({ TOKEN_URL: '', BASE_PATH: '/partner' }));
      const { status, headers, text } = await api.call('GET', `/partner/docs/${name}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|<[^>]* style="|<[^>]* on[a-z]+="/);
      const addresses = addressesIn(text);
      expect(addresses.length).toBeGreaterThan(20);
      for (const address of addresses) {
        const { pathname } = new URL(address, 'https://api.example/partner/docs/');
        expect([address, (await api.call('HEAD', pathname)).status]).toEqual([address, 200]);
      }
      const known = { 'if-none-match': headers.get('etag') ?? '' };
      expect((await api.call('GET', `/partner/docs/${name}`, { headers: known })).status).toBe(304);
    },
  );

  it.each(['nowhere', 'nowhere.js', 'assets/nowhere.js', 'assets/chunks/nowhere.js'])(
    'answers 404 with a page for the unknown page or file %s',
    async (file) => {
      const { status, headers, text } = await anybody.call('GET', `/docs/${file}`);
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(text).toContain('<title>404');
    },
  );

  it('lets only the API reference call the token endpoint if one is configured', async () => {
    const TOKEN_URL = 'https://login.acme.io/oauth/token';
    const api = anybody.through(workerWith({ TOKEN_URL }));
    const policyOf = async (page: string) => (await api.call('GET', page)).headers.get('content-security-policy');
    expect(await policyOf('/docs/reference')).toBe(
      POLICY.replace("connect-src 'self'", "connect-src 'self' https://login.acme.io"),
    );
    for (const page of ['/docs/', '/docs/quickstart', '/docs/nowhere']) expect(await policyOf(page)).toBe(POLICY);
  });

  it.each([
    ['early.js', 'text/javascript; charset=utf-8'],
    ['code.css', 'text/css; charset=utf-8'],
    ['icon.svg', 'image/svg+xml'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js.LICENSE.txt', 'text/plain; charset=utf-8'],
    ['LICENSE.txt', 'text/plain; charset=utf-8'],
    ['NOTICE.txt', 'text/plain; charset=utf-8'],
  ])('serves the file %s as %s, and sends it again only after a change', async (file, type) => {
    const { status, headers, text } = await anybody.call('GET', `/docs/${file}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(text.length).toBeGreaterThan(50);
    expect(headers.get('cache-control')).toBe('public, max-age=60, must-revalidate');

    const known = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await anybody.call('GET', `/docs/${file}`, { headers: known })).status).toBe(304);
    expect((await anybody.call('GET', `/docs/${file}`, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('serves no other files', async () => {
    const others = [
      'index.html',
      'errors.html',
      '404.html',
      'assets',
      'assets/..%2fquickstart.html',
      'assets/%2e%2e%2f%2e%2e%2fconsole/app.js',
      'README',
      'Early.js',
      'swagger-ui-bundle.js.map',
      '..',
      '%2e%2e%2fopenapi.json',
      'openapi.json',
    ];
    for (const file of [...others, '%2e%2e/wrangler.toml', 'early.js/x', '%00', '__proto__', 'constructor']) {
      const { status, text } = await anybody.call('GET', `/docs/${file}`);
      // The URL parser resolves a path that leads out of the folder: `/docs/..` becomes `/`.
      expect([404, 302], file).toContain(status);
      if (text.includes('<html')) expect(text).toContain('<title>404');
    }
  });

  it('is the target of the redirect from the root', async () => {
    const to = async (send: Send, path: string) => {
      const { status, headers } = await send(new Request(`https://api.example${path}`, { redirect: 'manual' }));
      return [status, headers.get('location')];
    };
    for (const path of ['/', '/docs', '/docs/errors/', '/?a=1'])
      expect(await to(deployed, path)).toEqual([302, '/docs/']);
    const based = workerWith({ BASE_PATH: '/partner' });
    for (const path of ['/', '/partner', '/partner/', '/partner/docs']) {
      expect(await to(based, path)).toEqual([302, '/partner/docs/']);
    }
  });

  it('is available only under the base path', async () => {
    const based = anybody.through(workerWith({ BASE_PATH: '/partner' }));
    for (const path of ['/docs/', '/docs/early.js', '/openapi.json']) {
      expect((await based.call('GET', `/partner${path}`)).status).toBe(200);
      expect((await based.call('GET', path)).problem.code).toBe('not_found');
    }
  });

  it.each([
    ['throws an error', () => Promise.reject(new Error('assets are away'))],
    ['answers 500', async () => new Response('planted7f3a', { status: 500 })],
    ['is not bound', undefined],
  ])('returns 503 and logs a fault if the binding ASSETS %s', async (_, fetch) => {
    errors.mockClear();
    const api = anybody.through(workerWith({ ASSETS: fetch && { fetch } }));
    for (const path of ['/docs/', '/docs/quickstart', '/docs/early.js', '/openapi.json']) {
      const { problem, text } = await api.call('GET', path);
      expect(problem.code).toBe('temporarily_unavailable');
      expect(text).not.toContain('planted7f3a');
    }
    expect(linesOf(errors, 'docs.asset_unavailable')).toHaveLength(4);
    expect((await api.call('GET', '/health')).status).toBe(200);
  });

  it('returns 503 and logs a fault if the first page or the document is missing', async () => {
    errors.mockClear();
    const api = anybody.through(workerWith({ ASSETS: { fetch: async () => new Response(null, { status: 404 }) } }));
    for (const path of ['/docs/', '/openapi.json']) {
      expect((await api.call('GET', path)).problem.code).toBe('temporarily_unavailable');
    }
    expect(linesOf(errors, 'docs.asset_unavailable')).toHaveLength(2);
  });

  it('applies the address limit before it fetches a file', async () => {
    const fetch = vi.fn(env.ASSETS.fetch.bind(env.ASSETS));
    const full = { limit: async () => ({ success: false }) };
    const api = anybody.through(workerWith({ ADDRESS_LIMIT: full, ASSETS: { fetch } }));
    expect((await api.call('GET', '/docs')).problem.code).toBe('rate_limited');
    expect(fetch).not.toHaveBeenCalled();
  });

  it('requires browsers to use TLS', async () => {
    const { headers } = await deployed(new Request('https://api.example/docs'));
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});
