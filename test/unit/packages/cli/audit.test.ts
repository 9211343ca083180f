import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCli, variablesAt } from './run-cli.ts';

/** `gatepass audit`, and the reasons that `freeze` and `revoke` send to the trail. */

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const entry = (sequence: number, changes: object = {}) => ({
  ...{ sequence, previous: '', key: `p/${sequence}`, at: '2026-11-20T11:03:45.123Z', action: 'pass.freeze' },
  ...{ actor: { client: 'acme', sub: 'alice' }, target: { walletAddress: WALLET }, reason: 'case 4711' },
  ...{ outcome: { type: 'done' }, hash: '' },
  ...changes,
});
const place = { sequence: 9, hash: '' };
const PAGES: readonly object[] = [
  { entries: [entry(9)], next: 9, more: true, head: place, start: place },
  { entries: [], next: 5, more: true, head: place, start: place },
  {
    entries: [
      entry(4, {
        actor: { client: 'acme' },
        target: { webhook: 'wh_1' },
        reason: undefined,
        outcome: { type: 'unknown' },
      }),
    ],
    ...{ next: 4, more: false, head: place, start: place },
  },
];

let server: Server;
let variables: ReturnType<typeof variablesAt>;
let requests: { method: string | undefined; url: string; body: string }[] = [];
let pages: object[] = [];
beforeEach(() => {
  requests = [];
  pages = [...PAGES];
});
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    const isToken = url === '/token';
    if (!isToken) requests.push({ method, url, body });
    const pass = { id: 'a', chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: WALLET, events: [] };
    const answer = isToken ? { access_token: 'a' } : url.startsWith('/audit') ? pages.shift() : pass;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  variables = variablesAt((server.address() as AddressInfo).port);
});
afterAll(() => server.close());

const run = (...args: string[]) => runCli(args, variables);
const queryOf = (url = '') => Object.fromEntries(new URL(url, 'http://a').searchParams);

it('prints the newest entries of a pass, also after pages without one', async () => {
  const { code, stdout } = await run(
    'audit',
    WALLET,
    '--network',
    'sepolia',
    '--client',
    'acme',
    '--from',
    '2026-11-20',
  );
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['time', 'action', 'who', 'what', 'reason'],
    ['2026-11-20T11:03:45Z', 'pass.freeze', 'alice (acme)', WALLET, 'case 4711'],
    ['2026-11-20T11:03:45Z', 'pass.freeze (unknown)', 'acme', 'wh_1'],
    [''],
  ]);
  const asked = { pass: `ethereum/sepolia/${WALLET}`, client: 'acme', from: '2026-11-20', order: 'newest' };
  expect(requests.map(({ url }) => queryOf(url))).toEqual([
    { ...asked, limit: '50' },
    { ...asked, limit: '49', after: '9' },
    { ...asked, limit: '49', after: '5' },
  ]);
});

it('prints at most --limit entries, and each as JSON with --json', async () => {
  const { code, stdout } = await run('audit', '--limit', '1', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(entry(9));
  expect(requests).toHaveLength(1);
});

it('refuses a wallet without a network, and a service that repeats a page', async () => {
  expect(await run('audit', WALLET)).toMatchObject({ code: 2, stderr: expect.stringContaining('--network') });
  pages = [PAGES[0] as object, PAGES[0] as object];
  expect(await run('audit')).toMatchObject({ stdout: '', stderr: expect.stringContaining('repeats a page') });
});

it('sends the reason of a freeze and of a revocation', async () => {
  const about = [WALLET, '--network', 'sepolia', '--no-wait', '--reason', 'case 4711 & 12'];
  expect(await run('freeze', ...about)).toMatchObject({ code: 0 });
  expect(await run('revoke', ...about, '--yes')).toMatchObject({ code: 0 });
  const [freeze, revocation] = requests;
  expect(JSON.parse(freeze?.body ?? '')).toEqual({ state: 'FROZEN', reason: 'case 4711 & 12' });
  expect(revocation?.method).toBe('DELETE');
  expect(queryOf(revocation?.url)).toEqual({ reason: 'case 4711 & 12' });
});

it('refuses a reason for a file, and for another change', async () => {
  expect(await run('freeze', '--csv', 'none.csv', '--reason', 'x')).toMatchObject({ code: 2 });
  expect(await run('unfreeze', WALLET, '--network', 'sepolia', '--reason', 'x')).toMatchObject({ code: 2 });
  expect(requests).toEqual([]);
});
