import { Buffer } from 'node:buffer';
import { describe, expect, it, vi } from 'vitest';
import { DOWNLOADS } from '../../../src/http/pages/files.ts';
import { Api, deployed, workerWith } from './api.ts';

/** `test/system/packages/` installs the files. */

const anybody = new Api();

interface Listed {
  readonly file: string;
  readonly newest: string;
  readonly size: number;
  readonly sha256: string;
  readonly integrity: string;
}

const fetchFile = (file: string, headers = {}) =>
  deployed(new Request(`https://api.example/downloads/${file}`, { headers }));
const bytesOf = async (file: string) => new Uint8Array(await (await fetchFile(file)).arrayBuffer());
const listed = async (): Promise<readonly Listed[]> =>
  JSON.parse((await anybody.call('GET', '/downloads/index.json')).text).downloads;
const digest = async (algorithm: string, bytes: Uint8Array<ArrayBuffer>) =>
  Buffer.from(await crypto.subtle.digest(algorithm, bytes));

describe('GET /downloads/:download', () => {
  it('serves every file that the list names, with the size and the hashes of the list, and no other file', async () => {
    const list = await listed();
    expect(list.flatMap(({ file, newest }) => [file, newest]).toSorted()).toEqual(
      DOWNLOADS.filter((name) => name !== 'index.json').toSorted(),
    );
    for (const { file, newest, size, sha256, integrity } of list) {
      const bytes = await bytesOf(file);
      expect(bytes).toHaveLength(size);
      expect((await digest('SHA-256', bytes)).toString('hex')).toBe(sha256);
      expect(`sha512-${(await digest('SHA-512', bytes)).toString('base64')}`).toBe(integrity);
      expect(await bytesOf(newest)).toEqual(bytes);
    }
  });

  it('lets caches keep a file for a minute, and sends it again only after a change', async () => {
    for (const file of DOWNLOADS) {
      const { status, headers } = await fetchFile(file);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=60, must-revalidate']);
      // A caller that unpacked the file on the way would get other bytes than those of the hash.
      expect(headers.get('content-encoding')).toBeNull();
      const known = { 'if-none-match': headers.get('etag') ?? '' };
      expect((await fetchFile(file, known)).status).toBe(304);
    }
  });

  it('serves no other files', async () => {
    const others = ['', '..', '.', 'gatepass-cli', 'gatepass-cli-0.0.1.tgz', 'GATEPASS-CLI.TGZ', 'key', 'index.html'];
    const outside = ['%2e%2e%2fopenapi.json', '..%2fconsole%2findex.html', '%2e%2e/wrangler.toml', '..%5copenapi.json'];
    const odd = ['gatepass-cli.tgz/x', 'gatepass-cli.tgz%00', 'gatepass-cli.tgz%3fa', '__proto__', 'constructor'];
    for (const file of [...others, ...outside, ...odd]) {
      const { status, text } = await anybody.call('GET', `/downloads/${file}`);
      // The URL parser resolves a path that leads out of the folder: `/downloads/..` becomes `/`.
      expect([404, 302], file).toContain(status);
      expect(text).not.toMatch(/<html|"openapi"/);
    }
  });

  it('is available only under the base path', async () => {
    const based = anybody.through(workerWith({ BASE_PATH: '/partner' }));
    expect((await based.call('GET', '/partner/downloads/index.json')).status).toBe(200);
    expect((await based.call('GET', '/downloads/index.json')).problem.code).toBe('not_found');
  });

  it('returns 503 if the platform lacks the file', async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const fetch = async () => new Response(null, { status: 404 });
    const { problem } = await anybody
      .through(workerWith({ ASSETS: { fetch } }))
      .call('GET', '/downloads/gatepass-cli.tgz');
    expect(problem.code).toBe('temporarily_unavailable');
    errors.mockRestore();
  });
});
