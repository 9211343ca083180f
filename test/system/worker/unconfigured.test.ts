import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../../localnet/state/ports.ts';
import type { Child } from '../../../scripts/child-process.ts';
import { startWrangler } from '../../../scripts/wrangler.ts';
import { pollUntil } from '../poll-until.ts';

/** `npx wrangler dev` in a clean clone, where nothing is configured. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-unconfigured-'));
const lines: string[] = [];
let child: Child;
let origin: string;

const ask = (path: string, init: RequestInit = {}) =>
  fetch(origin + path, { ...init, signal: AbortSignal.timeout(30_000) });

beforeAll(async () => {
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  // Only what keeps it apart from other runs; nothing of the configuration.
  const args = [
    `--port=${port}`,
    `--inspector-port=${await findFreePort()}`,
    `--persist-to=${folder}`,
    '--show-interactive-dev-session=false',
  ];
  child = await startWrangler(['dev', ...args], {
    env: { WRANGLER_LOG_PATH: join(folder, 'logs'), WRANGLER_REGISTRY_PATH: join(folder, 'registry') },
    onLine: (line) => lines.push(line),
  });
  await pollUntil(
    () => ask('/health').catch(() => undefined),
    (response) => response !== undefined,
  );
});

afterAll(async () => {
  await child?.stop();
  rmSync(folder, { recursive: true });
});

const MISSING = ['TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL', 'ADMIN_AUDIENCE', 'PUBLIC_ORIGIN'];

it.each([
  ['GET', '/health'],
  ['GET', '/health/ready'],
  ['GET', '/'],
  ['GET', '/nowhere'],
  ['POST', '/pass/ethereum/sepolia'],
  ['GET', '/admin/signers'],
])('answers %s %s with a problem that says what to run, and names all missing variables', async (method, path) => {
  const response = await ask(path, { method, redirect: 'manual' });
  expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  expect(code).toBe('internal_error');
  expect(detail).toMatch(/^The service is not configured\. Stop wrangler and run `npm run dev`/);
  for (const name of MISSING) expect(detail).toContain(`${name} must be set`);
});

it.each(['/', '/docs', '/console', '/pass/ethereum/sepolia/0x12'])(
  'answers a browser that opens %s with a page',
  async (path) => {
    const response = await ask(path, { headers: { accept: 'text/html,application/xhtml+xml' }, redirect: 'manual' });
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    const page = await response.text();
    expect(page).toContain('Not configured');
    expect(page).toContain('`npm run dev`');
    for (const name of MISSING) expect(page).toContain(`${name} must be set`);
  },
);

it('says `npm run dev` in the first line of its log', async () => {
  const logged = () => lines.find((line) => line.includes('"event":'));
  const first = await pollUntil(
    async () => logged(),
    (line) => line !== undefined,
  );
  expect(first).toContain('run `npm run dev`');
});
