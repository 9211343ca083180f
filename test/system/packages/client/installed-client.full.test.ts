import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createTestHarness } from 'wrangler';
import { QUIET_ENV } from '../../../../terminal/wrangler.ts';
import { openStateFolder } from '../../../../tools/localnet/state/state-folder.ts';
import { textOf } from '../../../unit/package-files.ts';
import { HANGS_AFTER_MS, startChromium } from '../../chromium.ts';
import { aPassKey } from './a-pass-key.ts';
import { compile, installClient } from './install-client.ts';
import { useProxiedGatepass } from './proxied-gatepass.ts';

/** Runs the client as partners install it: in the examples of the documents, in a page in a browser, and in a Worker. */

let installed: string;
let browser: Browser;
const pages = createServer((request, response) => {
  const file = join(installed, '../..', request.url ?? '');
  if (request.url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  if (!existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
});
const originOfPages = `http://127.0.0.1:${inject('pagesPort')}`;

const { proxies, origins, credentials } = useProxiedGatepass();
const state = openStateFolder();

beforeAll(async () => {
  pages.listen(inject('pagesPort'), '127.0.0.1');
  [installed, browser] = await Promise.all([installClient(state.folder), startChromium(), once(pages, 'listening')]);
});
afterAll(async () => {
  await browser?.close();
  pages.closeAllConnections();
  pages.close();
  state.close();
});

/** A page that loads the built client. The import map resolves the client's dependency. */
const PAGE = `<!doctype html>
<title>A page</title>
<link rel="icon" href="data:,">
<script type="importmap">{"imports": {"openapi-fetch": "/openapi-fetch/dist/index.mjs"}}</script>
<script type="module">
  import { createGatepass } from '/@gatepass/client/dist/gatepass.js';

  const fetchToken = async ({ tokenUrl, clientId, clientSecret }) => {
    const headers = { authorization: 'Basic ' + btoa(clientId + ':' + clientSecret) };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    return (await (await fetch(tokenUrl, { method: 'POST', headers, body })).json()).access_token;
  };
  window.lead = async ({ baseUrl, credentials, as, key }) => {
    const gatepass = createGatepass({ baseUrl, ...(as === 'token' ? { token: () => fetchToken(credentials) } : { credentials }) });
    const pass = await gatepass.issueAndWait(key);
    const refusal = await gatepass.issue({ ...key, walletAddress: '0x1' }).catch((fault) => fault);
    return [pass.onChainState, (await gatepass.get(pass)).id === pass.id, refusal.code, typeof refusal.requestId];
  };
</script>`;

/** The documents with an example program. All TypeScript blocks of a document are one program. */
const DOCUMENTS = ['packages/client/README.md', 'docs/partners/client.md'];
const exampleOf = (document: string) => join(state.folder, `${document.replaceAll('/', '-')}.mts`);
/** The declarations of Node that the examples use. */
const NODE = 'declare const process: { readonly env: Record<string, string | undefined> };';
const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipDefaultLibCheck'];

describe('the examples in the documents', () => {
  beforeAll(async () => {
    const node = join(state.folder, 'node.d.ts');
    writeFileSync(node, NODE);
    for (const document of DOCUMENTS) {
      const blocks = textOf(document)
        .split('\n```ts\n')
        .slice(1)
        .map((text) => text.split('\n```')[0]);
      writeFileSync(exampleOf(document), blocks.join('\n'));
    }
    await compile(state.folder, [
      ...STRICT,
      '--target',
      'es2022',
      '--module',
      'nodenext',
      node,
      ...DOCUMENTS.map(exampleOf),
    ]);
  });

  it.each(DOCUMENTS)('the example of %s compiles in strict mode, and issues a pass', async (document) => {
    const { tokenUrl, clientId, clientSecret } = credentials();
    const env = {
      ...process.env,
      GATEPASS_URL: origins.service,
      GATEPASS_TOKEN_URL: tokenUrl,
      GATEPASS_CLIENT_ID: clientId,
      GATEPASS_CLIENT_SECRET: clientSecret,
    };
    const compiled = exampleOf(document).replace('.mts', '.mjs');
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [compiled], { env });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^ACTIVE 0x[0-9a-f]{64}\n/);
  });
});

describe('the client in a page of another origin', () => {
  it.each(['token', 'credentials'])(
    'the client issues and reads a pass in a page of another origin with %s',
    async (as) => {
      const page = await browser.newPage();
      page.setDefaultTimeout(HANGS_AFTER_MS);
      const faults: string[] = [];
      page.on('pageerror', ({ message }) => faults.push(message));
      await page.goto(originOfPages);
      await page.waitForFunction('window.lead');
      const task = { baseUrl: origins.service, credentials: credentials(), as, key: aPassKey() };
      const told = await page.evaluate(`lead(${JSON.stringify(task)})`);
      expect(told).toEqual(['ACTIVE', true, 'invalid_wallet', 'string']);
      expect(faults).toEqual([]);
      const fetched = proxies.service.requests.find(({ method }) => method === 'GET');
      expect(fetched?.headers).toMatchObject({ origin: originOfPages, 'gatepass-bookmark': expect.any(String) });
      await page.close();
    },
  );
});

describe('the client in a Worker', () => {
  it('the client in a Worker uses one token to issue passes for several requests at once', async () => {
    const vars = { GATEPASS_URL: origins.service, GATEPASS_TOKEN_URL: credentials().tokenUrl };
    const worker = { configPath: 'in-a-worker/wrangler.toml', vars };
    Object.assign(process.env, QUIET_ENV);
    const harness = createTestHarness({ root: import.meta.dirname, workers: [worker] });
    onTestFinished(() => harness.close());
    await harness.listen();
    const keys = [aPassKey('sepolia'), aPassKey('devnet'), aPassKey('devnet')];
    const passes = await Promise.all(
      keys.map(async (key) => {
        const answer = await harness.fetch('/', { method: 'POST', body: JSON.stringify(key) });
        return answer.json();
      }),
    );
    expect(passes).toMatchObject(keys.map((key) => ({ ...key, state: 'ACTIVE', onChainState: 'ACTIVE' })));
    expect(proxies.oauth.requests).toHaveLength(1);
  });
});
