import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { type Child, startChild } from '../../../terminal/child-process.ts';
import { PROJECT, QUIET_ENV } from '../../../terminal/wrangler.ts';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { pollUntil } from '../poll-until.ts';

/** The example receivers of webhooks with the running service. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const folder = mkdtempSync(join(tmpdir(), 'gatepass-receiver-'));
const created: string[] = [];
let token = '';

async function call(method: string, path: string, body?: object): Promise<Record<string, string>> {
  token ||= await fetchToken(facts.tokenUrl, { clientId: 'acme', clientSecret: 'acme-secret' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${facts.baseUrl}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.status === 204 ? {} : ((await answer.json()) as Record<string, string>);
}

async function createWebhook(url: string): Promise<string> {
  const { id = '', secret = '' } = await call('POST', '/webhooks', { url });
  created.push(id);
  return secret;
}

afterAll(async () => {
  for (const id of created) await call('DELETE', `/webhooks/${id}`);
  rmSync(folder, { recursive: true });
});

async function issue(): Promise<string> {
  const wallet = freshWallet('sepolia');
  await acme.issue('ethereum/sepolia', wallet);
  await acme.untilSettled('ethereum/sepolia', wallet);
  return wallet;
}

const CREDENTIALS = {
  GATEPASS_URL: facts.baseUrl,
  GATEPASS_TOKEN_URL: facts.tokenUrl,
  GATEPASS_CLIENT_ID: 'acme',
  GATEPASS_CLIENT_SECRET: 'acme-secret',
};

it('receiver.mjs handles each event once, also the events of its own outage', async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const file = join(folder, 'events.jsonl');
  const secret = await createWebhook(url);
  const printed: string[] = [];
  const start = (): Promise<Child> =>
    startChild(process.execPath, ['examples/receiver.mjs'], {
      cwd: PROJECT,
      onLine: (line) => printed.push(line),
      env: { ...CREDENTIALS, WEBHOOK_SECRET: secret, EVENTS_FILE: file, PORT: String(port) },
    });
  const linesOf = (wallet: string) => printed.filter((line) => line.includes(wallet));
  const until = (wallet: string) =>
    pollUntil(
      async () => linesOf(wallet).length,
      (count) => count > 0,
    );

  let receiver = await start();
  await pollUntil(
    async () => printed.length,
    (count) => count > 0,
  );
  const delivered = await issue();
  await until(delivered);
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
  await receiver.stop();

  const missed = await issue();
  receiver = await start();
  await until(missed);
  await receiver.stop();
  expect([linesOf(delivered), linesOf(missed)].map((lines) => lines.length)).toEqual([1, 1]);
  const ids = [...readFileSync(file, 'utf8').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

it('receiver.mjs stops reading the feed if a cache answers with the same page again', async () => {
  let requests = 0;
  const cache = createServer(({ url }, response) => {
    if (url !== '/token') requests += 1;
    const body = url === '/token' ? { access_token: 'a' } : { events: [], next: 5, more: true };
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => cache.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(cache.address() as AddressInfo).port}`;
  const printed: string[] = [];
  const receiver = await startChild(process.execPath, ['examples/receiver.mjs'], {
    cwd: PROJECT,
    onLine: (line) => printed.push(line),
    env: {
      ...{ ...CREDENTIALS, GATEPASS_URL: base, GATEPASS_TOKEN_URL: `${base}/token`, PORT: '0' },
      ...{
        WEBHOOK_SECRET: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
        EVENTS_FILE: join(folder, 'cached.jsonl'),
      },
    },
  });
  try {
    const fault = () => printed.find((line) => line.includes('the page after 5 has nothing new'));
    await pollUntil(async () => fault(), Boolean);
    expect(requests).toBe(2);
  } finally {
    await receiver.stop();
    cache.close();
  }
});

it('receiver-worker.mjs handles each event once in a Worker, and refuses a forged delivery', async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const secret = await createWebhook(url);
  const earlier = await issue();
  const config = join(folder, 'wrangler.json');
  const settings = {
    name: 'receiver',
    main: join(PROJECT, 'examples/receiver-worker.mjs'),
    compatibility_date: '2026-08-15',
    vars: { ...CREDENTIALS, WEBHOOK_SECRET: secret },
    durable_objects: { bindings: [{ name: 'RECEIVER', class_name: 'Receiver' }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: ['Receiver'] }],
  };
  writeFileSync(config, JSON.stringify(settings));
  const printed: string[] = [];
  const program = createRequire(import.meta.url).resolve('wrangler');
  const args = ['dev', `--config=${config}`, `--port=${port}`, '--ip=127.0.0.1', `--persist-to=${folder}`];
  const inspector = `--inspector-port=${await findFreePort()}`;
  const worker = await startChild(process.execPath, ['--no-warnings', program, ...args, inspector], {
    cwd: folder,
    env: QUIET_ENV,
    onLine: (line) => printed.push(line),
  });
  try {
    const post = () =>
      fetch(url, { method: 'POST', body: '{}' }).then(
        ({ status }) => status,
        () => 0,
      );
    expect(await pollUntil(post, (status) => status > 0)).toBe(401);
    const wallet = await issue();
    const linesOf = (each: string) => printed.filter((line) => line.includes(each) && line.includes('pass.issued'));
    await pollUntil(
      async () => [wallet, earlier].map((each) => linesOf(each).length),
      (counts) => counts.every((count) => count > 0),
    );
    expect([wallet, earlier].map((each) => linesOf(each).length)).toEqual([1, 1]);
  } finally {
    await worker.stop();
  }
});
