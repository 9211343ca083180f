import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild, stopChildren } from '../../../terminal/child-process.ts';
import { PROJECT, QUIET_ENV } from '../../../terminal/wrangler.ts';
import { findFreePort } from '../../../tools/localnet/state/ports.ts';
import { pollUntil } from '../poll-until.ts';
import { runProgram } from '../run-program.ts';

/** The example receivers with forged deliveries, in front of a service with an empty feed. */

const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const [SECRET, PREVIOUS] = [aSecret(), aSecret()];
/** Two secrets, as during a rotation, with the spaces of a careless copy. */
const SECRETS = ` ${SECRET}  ${PREVIOUS}\n`;
const keyOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');

const folder = mkdtempSync(join(tmpdir(), 'gatepass-forged-'));
const EMPTY_PAGE = JSON.stringify({ events: [], next: 0, more: false });
let page = EMPTY_PAGE;
const service = createServer((request, response) => {
  const token = { access_token: 'a-token', expires_in: 300 };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(request.url === '/token' ? JSON.stringify(token) : page);
});
const settings = () => {
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const credentials = { GATEPASS_CLIENT_ID: 'acme', GATEPASS_CLIENT_SECRET: 'acme-secret' };
  return { GATEPASS_URL: url, GATEPASS_TOKEN_URL: `${url}/token`, ...credentials, WEBHOOK_SECRET: SECRETS };
};

type Start = (port: number, onLine: (line: string) => void) => Promise<unknown>;
const RECEIVERS: Readonly<Record<string, Start>> = {
  'receiver.mjs': (port, onLine) => {
    const env = { ...settings(), EVENTS_FILE: join(folder, 'events.jsonl'), PORT: String(port) };
    return startChild(process.execPath, ['examples/receiver.mjs'], { cwd: PROJECT, onLine, env });
  },
  'receiver-worker.mjs': async (port, onLine) => {
    const config = join(folder, 'wrangler.json');
    const worker = {
      name: 'receiver',
      main: join(PROJECT, 'examples/receiver-worker.mjs'),
      compatibility_date: '2026-08-15',
      vars: settings(),
      durable_objects: { bindings: [{ name: 'RECEIVER', class_name: 'Receiver' }] },
      migrations: [{ tag: 'v1', new_sqlite_classes: ['Receiver'] }],
    };
    writeFileSync(config, JSON.stringify(worker));
    const program = createRequire(import.meta.url).resolve('wrangler');
    const ports = [`--port=${port}`, '--ip=127.0.0.1', `--inspector-port=${await findFreePort()}`];
    const args = ['--no-warnings', program, 'dev', `--config=${config}`, ...ports, `--persist-to=${folder}`];
    return startChild(process.execPath, args, { cwd: folder, env: QUIET_ENV, onLine });
  },
};

beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
});
afterAll(async () => {
  await stopChildren();
  service.close();
  rmSync(folder, { recursive: true });
});

interface Delivered {
  readonly id?: string;
  readonly sequence?: number;
  readonly ageSeconds?: number;
  readonly key?: Buffer;
  /** Changes the headers and the body after the signature. */
  readonly alter?: (sent: Sent) => Partial<Sent>;
}
interface Sent {
  readonly id: string;
  readonly seconds: string;
  readonly signature: string;
  readonly body: string;
}

const GENUINE: readonly (readonly [what: string, delivered: Delivered])[] = [
  ['of the newer secret', {}],
  ['of the previous secret', { key: keyOf(PREVIOUS) }],
  ['after another signature', { alter: ({ signature }) => ({ signature: `v1,AAAA ${signature}` }) }],
  ['that is four minutes old', { ageSeconds: 240 }],
];
const FORGED: readonly (readonly [what: string, delivered: Delivered])[] = [
  ['signed with the empty key', { key: Buffer.alloc(0) }],
  ['signed with another secret', { key: randomBytes(32) }],
  ['with another body', { alter: ({ body }) => ({ body: body.replace('ACTIVE', 'FROZEN') }) }],
  ['with another id', { alter: () => ({ id: 'forged.2' }) }],
  ['with another time', { alter: ({ seconds }) => ({ seconds: String(Number(seconds) - 1) }) }],
  ['that is six minutes old', { ageSeconds: 360 }],
  ['from the future', { ageSeconds: -360 }],
  ['without a time', { alter: () => ({ seconds: '' }) }],
  ['with an unknown version', { alter: ({ signature }) => ({ signature: signature.replace('v1,', 'v2,') }) }],
  ['with an empty signature', { alter: () => ({ signature: 'v1,' }) }],
  ['with a signature that is no base64', { alter: () => ({ signature: 'v1,%' }) }],
  ['without a signature', { alter: () => ({ signature: '' }) }],
];

describe.each(Object.entries(RECEIVERS))('%s', (_, start) => {
  const printed: string[] = [];
  let url = '';

  beforeAll(async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}/`;
    await start(port, (line) => printed.push(line));
    const answers = () =>
      fetch(url, { method: 'PUT' }).then(
        ({ status }) => status,
        () => 0,
      );
    await pollUntil(answers, (status) => status === 405);
  });

  /** Resolves to the status of the answer. */
  async function deliver({ id = 'a.1', sequence = 1, ageSeconds = 0, key = keyOf(SECRET), alter }: Delivered) {
    const seconds = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const data = { pass: { walletAddress: `wallet-of-${id}`, state: 'ACTIVE' } };
    const body = JSON.stringify({ id, sequence, type: 'pass.issued', timestamp: '2026-11-20T11:03:49.000Z', data });
    const signature = `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
    const sent = { id, seconds, signature, body };
    const altered = { ...sent, ...alter?.(sent) };
    const headers = {
      'webhook-id': altered.id,
      'webhook-timestamp': altered.seconds,
      'webhook-signature': altered.signature,
    };
    return (await fetch(url, { method: 'POST', headers, body: altered.body })).status;
  }
  const linesOf = (id: string) => printed.filter((line) => line.includes(`wallet-of-${id}`));

  it.each(GENUINE)('accepts a delivery %s', async (_, delivered) => {
    expect(await deliver(delivered)).toBe(204);
  });

  it.each(FORGED)('refuses a delivery %s', async (_, delivered) => {
    expect(await deliver({ id: 'forged.1', ...delivered })).toBe(401);
  });

  it('refuses a delivery of more than 64 KiB without reading it to its end', async () => {
    const large = ({ body }: Sent) => ({ body: body + ' '.repeat(65_536) });
    expect(await deliver({ alter: large }).catch(() => 413)).toBe(413);
  });

  it('takes no time for many signatures', async () => {
    const one = `v1,${randomBytes(32).toString('base64')}`;
    expect(await deliver({ alter: () => ({ signature: Array(200).fill(one).join(' ') }) })).toBe(401);
  });

  it('handles no forged event, and an event with a second sequence only once', async () => {
    // After a restore, a pass may hand over an event again.
    expect(await deliver({ id: 'b.1', sequence: 2 })).toBe(204);
    expect(await deliver({ id: 'b.1', sequence: 10_000_000_003 })).toBe(204);
    expect(await deliver({ id: 'c.1', sequence: 3 })).toBe(204);
    await pollUntil(
      async () => linesOf('c.1').length,
      (count) => count > 0,
    );
    expect(['a.1', 'b.1', 'c.1', 'forged'].map((id) => linesOf(id).length)).toEqual([1, 1, 1, 0]);
  });
});

it.each([
  ['levels', '['.repeat(1 << 20)],
  ['bytes', JSON.stringify({ events: [], more: false, next: 0, filler: ' '.repeat(8 << 20) })],
])('receiver.mjs does not parse a page with too many %s', async (_, body) => {
  const printed: string[] = [];
  page = body;
  try {
    const env = { ...settings(), EVENTS_FILE: join(folder, 'deep.jsonl'), PORT: '0' };
    const onLine = (line: string) => printed.push(line);
    const receiver = await startChild(process.execPath, ['examples/receiver.mjs'], { cwd: PROJECT, onLine, env });
    await pollUntil(
      async () => printed.find((line) => line.startsWith('the feed was not read')),
      (line) => line === 'the feed was not read: the answer is too large or too deep',
    );
    await receiver.stop();
  } finally {
    page = EMPTY_PAGE;
  }
});

it.each([
  ['an empty secret', ''],
  ['a space', ' '],
  ['a prefix only', 'whsec_'],
  ['a short secret', 'whsec_short'],
  ['a secret and a prefix', `${SECRET} whsec_`],
  ['a secret without its prefix', SECRET.slice(6)],
])('receiver.mjs does not start with %s', async (_, secret) => {
  const variables = { ...settings(), WEBHOOK_SECRET: secret, PORT: '0' };
  const ran = await runProgram([process.execPath, 'examples/receiver.mjs'], variables);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('WEBHOOK_SECRET') });
  expect(ran.stderr).not.toContain(SECRET.slice(6));
});
