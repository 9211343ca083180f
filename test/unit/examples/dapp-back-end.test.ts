import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createKeyPairSignerFromPrivateKeyBytes, signBytes } from '@solana/kit';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../examples/dapp/server/refusal.ts';
import { createBackEnd, listen } from '../../../examples/dapp/server/server.ts';
import { createSessions, type Wallet } from '../../../examples/dapp/server/sessions.ts';
import { type Settings, SettingsError, settingsOf } from '../../../examples/dapp/server/settings.ts';

/** The back end of the example dApp. `test/system/dapp/` runs it with the service and its chains. */

const ORIGIN = 'https://dapp.example';
const ENVIRONMENT = {
  NETWORKS: 'sepolia=http://127.0.0.1:9/key, devnet=http://127.0.0.1:9/other',
  GATEKEEPER_NETWORK: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
  GATEKEEPER_SLOT: '1',
  GATEPASS_URL: 'http://127.0.0.1:9',
  GATEPASS_TOKEN_URL: 'http://127.0.0.1:9/token',
  GATEPASS_CLIENT_ID: 'acme',
  GATEPASS_CLIENT_SECRET: 'acme-secret',
};

const account = privateKeyToAccount(generatePrivateKey());
const ethereum: Wallet = { chain: 'ethereum', walletAddress: account.address };
const codeOf = (work: Promise<unknown> | (() => unknown)) =>
  Promise.resolve(typeof work === 'function' ? new Promise((resolve) => resolve(work())) : work).then(
    () => 'done',
    (fault) => (fault instanceof Refusal ? `${fault.status} ${fault.code}` : fault),
  );

describe('a session', () => {
  it.each(['ethereum', 'solana'] as const)(
    'opens with the signature of a wallet on %s, for that wallet only',
    async (chain) => {
      const signer = await createKeyPairSignerFromPrivateKeyBytes(crypto.getRandomValues(new Uint8Array(32)));
      const wallet: Wallet = chain === 'ethereum' ? ethereum : { chain, walletAddress: signer.address };
      const sign = async (message: string) =>
        chain === 'ethereum'
          ? account.signMessage({ message })
          : Buffer.from(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message))).toString(
              'base64',
            );
      const sessions = createSessions();
      const message = sessions.challenge(ORIGIN, wallet);
      expect(message).toContain(ORIGIN);
      const session = await sessions.open(message, await sign(message), undefined);
      expect(sessions.find(session, wallet)).toEqual(wallet);
      const other = { chain: 'ethereum', walletAddress: privateKeyToAccount(generatePrivateKey()).address } as const;
      expect(sessions.find(session, other)).toBeUndefined();
      expect(sessions.find(undefined, wallet)).toBeUndefined();
      expect(sessions.find('guessed', wallet)).toBeUndefined();
    },
  );

  it('accepts a challenge once, and only with the signature of its own wallet and text', async () => {
    const sessions = createSessions();
    const message = sessions.challenge(ORIGIN, ethereum);
    const signature = await account.signMessage({ message });
    await sessions.open(message, signature, undefined);
    expect(await codeOf(sessions.open(message, signature, undefined))).toBe('401 challenge_unknown');
    const stranger = privateKeyToAccount(generatePrivateKey());
    const second = sessions.challenge(ORIGIN, ethereum);
    const foreign = await stranger.signMessage({ message: second });
    expect(await codeOf(sessions.open(second, foreign, undefined))).toBe('401 signature_wrong');
    const third = sessions.challenge(ORIGIN, ethereum);
    expect(await codeOf(sessions.open(third, signature, undefined))).toBe('401 signature_wrong');
    expect(await codeOf(sessions.open(sessions.challenge(ORIGIN, ethereum), 'no hex', undefined))).toBe(
      '401 signature_wrong',
    );
    const solana = sessions.challenge(ORIGIN, { chain: 'solana', walletAddress: '11111111111111111111111111111111' });
    expect(await codeOf(sessions.open(solana, btoa('a'.repeat(64)), undefined))).toBe('401 signature_wrong');
  });

  it('ends after its time, as a challenge does', async () => {
    let now = 0;
    const sessions = createSessions(() => now);
    const message = sessions.challenge(ORIGIN, ethereum);
    const late = sessions.challenge(ORIGIN, ethereum);
    const session = await sessions.open(message, await account.signMessage({ message }), undefined);
    now += 5 * 60_000 + 1;
    expect(await codeOf(sessions.open(late, await account.signMessage({ message: late }), undefined))).toBe(
      '401 challenge_unknown',
    );
    now += 24 * 3600_000;
    expect(sessions.find(session, ethereum)).toBeUndefined();
  });

  it('keeps the wallets of the earlier session of the browser, under a new name', async () => {
    const sessions = createSessions();
    const open = async (signer: typeof account, earlier?: string) => {
      const message = sessions.challenge(ORIGIN, { chain: 'ethereum', walletAddress: signer.address });
      return sessions.open(message, await signer.signMessage({ message }), earlier);
    };
    const other = privateKeyToAccount(generatePrivateKey());
    const first = await open(account);
    const second = await open(other, first);
    expect(sessions.find(second, ethereum)).toEqual(ethereum);
    expect(sessions.find(first, ethereum)).toBeUndefined();
  });

  it('needs an address of the chain', async () => {
    const sessions = createSessions();
    for (const wallet of [
      { chain: 'ethereum', walletAddress: '0x1' },
      { chain: 'solana', walletAddress: account.address },
    ] as const)
      expect(await codeOf(() => sessions.challenge(ORIGIN, wallet))).toBe('400 invalid_wallet');
  });
});

describe('the variables', () => {
  it('become settings, with the chain of each network', () => {
    expect(settingsOf({ ...ENVIRONMENT, DENIED_WALLETS: 'a,b' })).toMatchObject({
      port: 8090,
      networks: [
        { chain: 'ethereum', name: 'sepolia', rpc: 'http://127.0.0.1:9/key' },
        { chain: 'solana', name: 'devnet', rpc: 'http://127.0.0.1:9/other' },
      ],
      deniedWallets: ['a', 'b'],
      testWallets: false,
    });
  });

  it.each([...Object.keys(ENVIRONMENT)])('are refused without %s', (name) => {
    expect(() => settingsOf({ ...ENVIRONMENT, [name]: '' })).toThrow(new SettingsError(`set ${name}`));
  });

  it.each([
    ['PORT', 'eighty'],
    ['GATEKEEPER_SLOT', '0x1'],
    ['PASS_LIFETIME_SECONDS', '-1'],
    ['NETWORKS', 'sepolia'],
    ['NETWORKS', 'sepolia=ftp://node'],
  ])('are refused with %s=%s', (name, value) => {
    expect(() => settingsOf({ ...ENVIRONMENT, [name]: value })).toThrow(SettingsError);
  });
});

describe('the server', () => {
  const asked: string[] = [];
  let folder: string;
  let node: Server;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatepass-dapp-'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    writeFileSync(join(folder, 'secret.env'), 'SECRET');
    node = createServer(async (request, response) => {
      asked.push(await text(request));
      response.end('{"result":"0x1"}');
    });
    const rpc = await listen(node, 0);
    const settings: Settings = settingsOf({ ...ENVIRONMENT, NETWORKS: `sepolia=${rpc},devnet=http://127.0.0.1:9` });
    server = createBackEnd(settings, folder);
    url = await listen(server, 0);
  });
  afterAll(() => {
    for (const each of [server, node]) {
      each.closeAllConnections();
      each.close();
    }
    rmSync(folder, { recursive: true });
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { code } = (await answer.clone().json()) as { code?: string };
    return `${answer.status} ${code ?? ''}`.trim();
  };

  it('serves the page with a content policy, and no file outside its folder', async () => {
    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const { port } = server.address() as AddressInfo;
    for (const path of ['/secret.env', '/../package.json', '/%2e%2e/server/main.js', '/..%2fpackage.json', '/none.js'])
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status, path).toBe(404);
  });

  it('gives the page its settings, without credentials and without the address of the node', async () => {
    const settings = await (await fetch(`${url}/settings.json`)).text();
    expect(JSON.parse(settings).networks[0]).toEqual({ chain: 'ethereum', name: 'sepolia', rpc: '/rpc/sepolia' });
    for (const hidden of ['acme', 'token', String((node.address() as AddressInfo).port)])
      expect(settings).not.toContain(hidden);
  });

  it('relays calls that read a pass, and no others', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [] };
    expect(await post('/rpc/sepolia', call)).toBe('200');
    expect(JSON.parse(asked.at(-1) ?? '')).toEqual(call);
    const before = asked.length;
    for (const method of [
      'eth_sendRawTransaction',
      'eth_getLogs',
      'anvil_setBalance',
      'getProgramAccounts',
      'requestAirdrop',
      7,
    ])
      expect(await post('/rpc/sepolia', [call, { ...call, method }])).toBe('403 method_refused');
    expect(await post('/rpc/sepolia', Array(21).fill(call))).toBe('403 method_refused');
    expect(await post('/rpc/mainnet', call)).toBe('404 unknown_network');
    expect(await post('/rpc/devnet', { ...call, method: 'getMultipleAccounts' })).toBe('502 node_unreachable');
    expect(asked).toHaveLength(before);
  });

  it('refuses requests of other pages, other content, and too much of it', async () => {
    const wallet = { chain: 'ethereum', walletAddress: account.address };
    expect(await post('/challenge', wallet)).toBe('403 origin_refused');
    expect(await post('/challenge', wallet, { origin: 'https://evil.example' })).toBe('403 origin_refused');
    expect(await post('/challenge', wallet, { origin: url })).toBe('200');
    expect(await post('/challenge', { ...wallet, chain: 'bitcoin' }, { origin: url })).toBe('400 unknown_chain');
    expect(await post('/challenge', wallet, { 'content-type': 'text/plain' })).toBe('415 not_json');
    expect(await post('/challenge', 'a', { origin: url })).toBe('400 not_json');
    expect(await post('/challenge', 'null', { origin: url })).toBe('400 not_json');
    expect(await post('/challenge', JSON.stringify('a'.repeat(70_000)))).toBe('413 too_large');
    expect(await post('/nothing', {})).toBe('404 not_found');
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
  });

  it('issues no pass to a wallet that has not signed, and shows none', async () => {
    expect(await post(`/pass/sepolia/${account.address}`, {})).toBe('401 sign_in');
    const found = await fetch(`${url}/pass/sepolia/${account.address}`);
    expect([found.status, await found.json()]).toEqual([200, { signedIn: false }]);
  });

  it('sets a cookie that no script reads, and then answers 503 if the service is away', async () => {
    const headers = { origin: url, 'content-type': 'application/json' };
    const ask = (path: string, body: unknown, cookie = '') =>
      fetch(url + path, { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify(body) });
    const { message } = (await (await ask('/challenge', ethereum)).json()) as { message: string };
    const opened = await ask('/session', { message, signature: await account.signMessage({ message }) });
    const cookie = opened.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\//);
    expect(cookie).not.toContain('Secure');
    const answer = await ask(`/pass/sepolia/${account.address}`, {}, cookie.split(';')[0]);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { code: 'unavailable', message: 'passes cannot be issued now' },
    ]);
  });
});
