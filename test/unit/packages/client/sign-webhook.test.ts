import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GatepassError } from '../../../../packages/client/src/errors.ts';
import type { DeliveredEvent } from '../../../../packages/client/src/events.ts';
import { signWebhook } from '../../../../packages/client/src/sign-webhook.ts';
import { type ReceivedDelivery, verifyWebhook } from '../../../../packages/client/src/verify-webhook.ts';
import { newSecret, signatureHeaders } from '../../../../src/webhook-object/send-event.ts';

/** The package `standardwebhooks` and the service itself sign and verify the same deliveries. */

const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
const EVENT: DeliveredEvent = {
  id: 'feed.7',
  sequence: 7,
  type: 'feed.restored',
  timestamp: '2026-11-20T11:03:45.000Z',
};
const SECRET = newSecret();
const OTHER = newSecret();

/** Resolves to the request that a server of Node receives. */
async function received(headers: Readonly<Record<string, string>>, body: string) {
  let got: { headers: IncomingMessage['headers']; body: Buffer } | undefined;
  const server = createServer(async (request, response) => {
    got = { headers: request.headers, body: await buffer(request) };
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', headers, body });
  if (got === undefined) throw new Error('the server got no request');
  return got;
}

describe('signWebhook', () => {
  it('signs a delivery that verifyWebhook and standardwebhooks accept', async () => {
    const delivery = await signWebhook(EVENT, SECRET);
    expect(await verifyWebhook(delivery, SECRET)).toEqual(EVENT);
    expect(new Webhook(SECRET).verify(delivery.body, { ...delivery.headers })).toEqual(EVENT);
    await expect(verifyWebhook(delivery, OTHER)).rejects.toMatchObject({ reason: 'signature_invalid' });
  });

  it('has the headers of the service for the same event, secrets and time', async () => {
    const secrets = [SECRET, OTHER];
    const { headers, body } = await signWebhook(EVENT, secrets, { now: NOW_MS + 999 });
    const { 'content-type': type, ...signed } = headers;
    expect(type).toBe('application/json');
    expect(signed).toEqual(await signatureHeaders(EVENT.id, body, secrets, NOW_MS));
    for (const secret of secrets)
      expect(await verifyWebhook({ headers, body }, secret, { now: NOW_MS })).toEqual(EVENT);
  });

  it('makes an old delivery, so that a receiver can show that it refuses one', async () => {
    const delivery = await signWebhook(EVENT, SECRET, { now: NOW_MS - 301_000 });
    await expect(verifyWebhook(delivery, SECRET, { now: NOW_MS })).rejects.toMatchObject({ reason: 'too_old' });
  });

  it.each<[string, string | string[]]>([
    ['without a secret', []],
    ['with a malformed one', 'whsec_planted7f3a!'],
    ['with an empty one', ''],
    ['with a short one', 'whsec_AAAA'],
    ['with a space before it', ` ${SECRET}`],
  ])('throws a GatepassError %s, which shows no secret', async (_, secrets) => {
    const fault = await signWebhook(EVENT, secrets).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(GatepassError);
    expect(String(fault)).not.toContain('planted7f3a');
  });
});

describe('what verifyWebhook takes', () => {
  const kinds: [string, (headers: Readonly<Record<string, string>>, body: string) => unknown][] = [
    ['a Fetch API request', (headers, body) => new Request('https://a.example', { method: 'POST', headers, body })],
    ['headers in another case, and text', (headers, body) => ({ headers: withCapitals(headers), body })],
    ['Headers and bytes', (headers, body) => ({ headers: new Headers(headers), body: new TextEncoder().encode(body) })],
    ['an ArrayBuffer', (headers, body) => ({ headers, body: new Uint8Array(Buffer.from(body)).buffer })],
    ['a request behind express.raw()', (headers, body) => received(headers, body)],
  ];
  const withCapitals = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));

  it.each(kinds)('takes %s', async (_, make) => {
    const { headers, body } = await signWebhook(EVENT, SECRET);
    const delivery = (await make(headers, body)) as ReceivedDelivery;
    expect(await verifyWebhook(delivery, SECRET)).toEqual(EVENT);
  });

  it.each([
    ['an object that express.json() parsed', { parsed: true }],
    ['no body at all', undefined],
    ['null', null],
  ])('refuses %s with the remedy', async (_, body) => {
    const { headers } = await signWebhook(EVENT, SECRET);
    await expect(verifyWebhook({ headers, body } as unknown as ReceivedDelivery, SECRET)).rejects.toThrow(
      /^verifyWebhook needs the body as received.*express\.raw/,
    );
  });

  it('refuses a request whose body somebody has read, with the reason', async () => {
    const { headers, body } = await signWebhook(EVENT, SECRET);
    const request = new Request('https://a.example', { method: 'POST', headers, body });
    await request.text();
    await expect(verifyWebhook(request, SECRET)).rejects.toThrow('whose body nobody has read yet');
  });
});
