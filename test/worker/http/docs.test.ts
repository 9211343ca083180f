import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DOCS_FILES, DOCS_GUIDES } from '../../../src/http/pages/files.ts';
import { Api, deployed, type Send, workerWith } from './api.ts';

/** `test/system/pages/docs-page.test.ts` opens the page in a browser. */

const anybody = new Api();
const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('GET /docs', () => {
  it('serves a page that may load only its own files and may call only this service', async () => {
    const { status, headers, text } = await anybody.through(workerWith({ TOKEN_URL: '' })).call('GET', '/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const named = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link]) => link);
    const linked = ['docs', 'openapi.json', ...[...DOCS_FILES, ...DOCS_GUIDES].map((file) => `docs/${file}`)];
    expect(new Set(named)).toEqual(new Set(linked));
  });

  it.each(DOCS_GUIDES)('serves the guide /docs/%s as a page whose links all lead to existing pages', async (guide) => {
    const { status, headers, text } = await anybody.call('GET', `/docs/${guide}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toBe(POLICY);
    expect(text).not.toMatch(/<script|<style|style="/);
    const links = [...text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^(?:https:|data:image\/svg\+xml)/.test(link));
    const known: readonly string[] = ['../docs', 'icon.svg', 'page.css', ...DOCS_GUIDES];
    expect(local.filter((link) => !known.includes(link))).toEqual([]);
    const known304 = { 'if-none-match': headers.get('etag') ?? '' };
    expect((await anybody.call('GET', `/docs/${guide}`, { headers: known304 })).status).toBe(304);
  });

  it('lets the page call the token endpoint if one is configured', async () => {
    const TOKEN_URL = 'https://login.acme.io/oauth/token';
    const { headers } = await anybody.through(workerWith({ TOKEN_URL })).call('GET', '/docs');
    expect(headers.get('content-security-policy')).toBe(
      POLICY.replace("connect-src 'self'", "connect-src 'self' https://login.acme.io"),
    );
  });

  it.each([
    ['start.js', 'text/javascript; charset=utf-8'],
    ['page.css', 'text/css; charset=utf-8'],
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
      'README',
      'Start.js',
      'swagger-ui-bundle.js.map',
      '..',
      '%2e%2e%2fopenapi.json',
      'openapi.json',
    ];
    for (const file of [...others, '%2e%2e/wrangler.toml', 'start.js/x', '%00', '__proto__', 'constructor']) {
      const { status, text } = await anybody.call('GET', `/docs/${file}`);
      // The URL parser resolves a path that leads out of the folder: `/docs/..` becomes `/`.
      expect([404, 302], file).toContain(status);
      expect(text).not.toContain('<html');
    }
  });

  it('is the target of the redirect from the root', async () => {
    const to = async (send: Send, path: string) => {
      const { status, headers } = await send(new Request(`https://api.example${path}`, { redirect: 'manual' }));
      return [status, headers.get('location')];
    };
    for (const path of ['/', '/docs/', '/docs/errors/', '/?a=1'])
      expect(await to(deployed, path)).toEqual([302, '/docs']);
    const based = workerWith({ BASE_PATH: '/partner' });
    for (const path of ['/', '/partner', '/partner/', '/partner/docs/']) {
      expect(await to(based, path)).toEqual([302, '/partner/docs']);
    }
  });

  it('is available only under the base path', async () => {
    const based = anybody.through(workerWith({ BASE_PATH: '/partner' }));
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      expect((await based.call('GET', `/partner${path}`)).status).toBe(200);
      expect((await based.call('GET', path)).problem.code).toBe('not_found');
    }
  });

  it.each([
    ['throws an error', () => Promise.reject(new Error('assets are away'))],
    ['has no such file', async () => new Response(null, { status: 404 })],
    ['answers 500', async () => new Response('planted7f3a', { status: 500 })],
    ['is not bound', undefined],
  ])('returns 503 and logs a fault if the binding ASSETS %s', async (_, fetch) => {
    errors.mockClear();
    const api = anybody.through(workerWith({ ASSETS: fetch && { fetch } }));
    for (const path of ['/docs', '/docs/start.js', '/openapi.json']) {
      const { problem, text } = await api.call('GET', path);
      expect(problem.code).toBe('temporarily_unavailable');
      expect(text).not.toContain('planted7f3a');
    }
    expect(errors.mock.calls.map(([line]) => JSON.parse(line).event)).toEqual(Array(3).fill('docs.asset_unavailable'));
    expect((await api.call('GET', '/health')).status).toBe(200);
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
