import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { reportCommand } from '../../../ops/report-command.ts';

/** The report of a command to the audit trail, and the command without one. */

const folder = mkdtempSync(join(tmpdir(), 'report-'));
const localnet = join(folder, 'localnet.json');
let server: Server;
let reports: unknown[] = [];
let status = 201;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const isToken = request.url === '/token';
    if (!isToken) reports.push([request.method, request.url, JSON.parse(body)]);
    response
      .writeHead(isToken ? 200 : status, { 'content-type': 'application/json' })
      .end(JSON.stringify(isToken ? { access_token: 'a' } : { detail: 'No right to act.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const operator = { clientId: 'ops', clientSecret: 'secret' };
  writeFileSync(localnet, JSON.stringify({ baseUrl, state: folder, tokenUrl: `${baseUrl}/token`, operator }));
  writeFileSync(join(folder, 'worker.env'), '');
});
afterEach(() => {
  reports = [];
  status = 201;
  vi.restoreAllMocks();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function report(...args: string[]): Promise<string> {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  await reportCommand({ command: 'network', args, environment: undefined, localnet });
  return printed.mock.calls.join();
}

it('leaves out the keys in the URLs of nodes, and empty arguments', async () => {
  const printed = await report(
    'create',
    '',
    '--rpc',
    'sepolia=https://user:word@rpc.acme.io/v2/4711?key=4711',
    'wss://rpc.acme.io/4711',
    'HTTPS://:4711',
  );
  expect(printed).toBe('');
  const args = ['create', '--rpc', 'sepolia=rpc.acme.io', 'rpc.acme.io', '(a URL)'];
  expect(reports).toEqual([['POST', '/admin/audit', { command: 'network', environment: 'local', arguments: args }]]);
});

it('has no more arguments than the trail accepts, and no longer ones', async () => {
  await report(...Array.from({ length: 60 }, () => 'x'.repeat(600)));
  const args = Array.from({ length: 50 }, () => 'x'.repeat(500));
  expect(reports).toEqual([['POST', '/admin/audit', expect.objectContaining({ arguments: args })]]);
});

it('warns if the trail refuses the report, or if there is no service, and lets the command continue', async () => {
  status = 403;
  expect(await report('create')).toMatch(/^warning: the audit trail has no entry of this command: .*No right to act/);
  expect(reports).toHaveLength(1);
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  await reportCommand({ command: 'network', args: [], environment: undefined, localnet: join(folder, 'none.json') });
  expect(printed.mock.calls.join()).toMatch(/^warning: the audit trail has no entry/);
});
