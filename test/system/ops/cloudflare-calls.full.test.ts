import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { setSecrets } from '../../../ops/deploy/set-secrets.ts';
import { openEmergency } from '../../../ops/emergency/service.ts';
import { openDatabase } from '../../../ops/restore/databases.ts';
import { GOOD_DATABASE, useDeploymentsFolder } from '../../deployments-folder.ts';

/**
 * The requests that the real wrangler sends to Cloudflare's API for an emergency and for a restore. The answers have the shapes of Cloudflare's
 * documentation. Nothing else answers, so a further request fails the test.
 */

const { write } = useDeploymentsFolder();
const SCRIPT = '/accounts/account-1/workers/scripts/gatepass-production';
const DATABASE = `/accounts/account-1/d1/database/${GOOD_DATABASE.database_id}`;

interface Answer {
  readonly status?: number;
  readonly result?: unknown;
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

let answers: Readonly<Record<string, Answer>> = {};
let requests: { call: string; body?: unknown }[] = [];

const server = createServer(async (request, response) => {
  const call = `${request.method} ${request.url?.replace('/client/v4', '')}`;
  const body = await text(request);
  requests.push(body === '' ? { call } : { call, body: JSON.parse(body) });
  const {
    status = 200,
    result = null,
    errors = [],
  } = answers[call] ?? {
    status: 404,
    errors: [{ code: 7003, message: `no route for ${call}` }],
  };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ success: errors.length === 0, errors, messages: [], result }));
});

beforeAll(async () => {
  write('production');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`);
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'token-1');
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'account-1');
});
afterEach(() => {
  requests = [];
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

it('an emergency changes a list and its number with one request, and builds, migrates and reads nothing', async () => {
  answers = { [`PATCH ${SCRIPT}/secrets-bulk`]: {} };
  const service = openEmergency({ environment: 'production', localnet: '', secrets: undefined, url: undefined });
  await service.set({ COMPROMISED_GATEKEEPERS: '0x70 0x71', EMERGENCY_NUMBER: '5' });
  const secrets = {
    COMPROMISED_GATEKEEPERS: { name: 'COMPROMISED_GATEKEEPERS', text: '0x70 0x71', type: 'secret_text' },
    EMERGENCY_NUMBER: { name: 'EMERGENCY_NUMBER', text: '5', type: 'secret_text' },
  };
  expect(requests).toEqual([{ call: `PATCH ${SCRIPT}/secrets-bulk`, body: { secrets } }]);
});

it('an empty list deletes the secret', async () => {
  answers = { [`PATCH ${SCRIPT}/secrets-bulk`]: {} };
  await setSecrets('production', { SUSPENDED_CLIENTS: null });
  expect(requests).toEqual([{ call: `PATCH ${SCRIPT}/secrets-bulk`, body: { secrets: { SUSPENDED_CLIENTS: null } } }]);
});

it('an emergency finds out whether a secret exists', async () => {
  answers = { [`GET ${SCRIPT}/secrets`]: { result: [{ name: 'COMPROMISED_GATEKEEPERS', type: 'secret_text' }] } };
  const service = openEmergency({ environment: 'production', localnet: '', secrets: undefined, url: undefined });
  expect(await service.hasSecret('COMPROMISED_GATEKEEPERS')).toBe(true);
  expect(await service.hasSecret('SUSPENDED_CLIENTS')).toBe(false);
});

it('a restore asks for the bookmark of the moment and restores it, and opens the database with a secret', async () => {
  const info = { uuid: GOOD_DATABASE.database_id, name: GOOD_DATABASE.database_name, version: 'production' };
  const bookmark = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683';
  // D1 has the history of 30 days.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const asked = `${DATABASE}/time_travel/bookmark?timestamp=${encodeURIComponent(yesterday)}`;
  const restored = `${DATABASE}/time_travel/restore?bookmark=${bookmark}`;
  answers = {
    [`GET ${DATABASE}`]: { result: info },
    [`GET ${asked}`]: { result: { bookmark } },
    [`POST ${restored}`]: { result: { bookmark, previous_bookmark: bookmark, message: 'Restored' } },
    [`PATCH ${SCRIPT}/secrets-bulk`]: {},
  };
  const moment = `--timestamp=${yesterday}`;
  const database = openDatabase('DB', { type: 'history', environment: 'production', moment });
  await database.restore();
  expect(requests.map(({ call }) => call)).toEqual([`GET ${DATABASE}`, `GET ${asked}`, `POST ${restored}`]);
  requests = [];
  await database.open();
  expect(requests).toMatchObject([{ body: { secrets: { CLOSED_SHARDS: { text: 'none' } } } }]);
});

it('a restore reads the sequences of the remote database', async () => {
  const result = [{ results: [{ sequence: 7 }], success: true, meta: { duration: 1, size_after: 4096 } }];
  answers = { [`POST ${DATABASE}/query`]: { result } };
  const moment = '--bookmark=x';
  const database = openDatabase('DB', { type: 'history', environment: 'production', moment });
  expect(await database.read('SELECT sequence FROM feeds', ['sequence'])).toEqual([{ sequence: 7 }]);
  expect(requests.every(({ call }) => call === `POST ${DATABASE}/query`)).toBe(true);
});
