import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type FeedEvent, verifyWebhook } from '@gatepass/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forwardEvent } from '../../../../packages/cli/src/listen/forward-event.ts';
import { newSecret } from '../../../../src/webhook-object/send-event.ts';
import { runCli, variablesAt } from './run-cli.ts';

/** The deliveries of `gatepass listen` to one receiver. `test/system/packages/cli/listen.test.ts` runs it with the real service. */

const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
  [];
let answer = { status: 204, headers: {} as Record<string, string> };
const server = createServer(async (request, response) => {
  received.push({ url: request.url, headers: request.headers, body: await text(request) });
  response.writeHead(answer.status, answer.headers).end();
});
let port: number;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());
beforeEach(() => {
  received.length = 0;
  answer = { status: 204, headers: {} };
});

const event: FeedEvent = { id: 'p.1', sequence: 1, type: 'feed.restored', timestamp: '2026-11-20T11:03:45.000Z' };
const secret = newSecret();

describe('a delivery of listen', () => {
  it('has the signature, which both libraries verify, and the headers of a webhook', async () => {
    const attempt = await forwardEvent(`http://127.0.0.1:${port}/hooks?a=1`, event, secret);
    expect(attempt).toEqual({ isDelivered: true, status: 204, durationMs: expect.any(Number) });
    const [{ url, headers, body } = { url: '', headers: {}, body: '' }] = received;
    expect(url).toBe('/hooks?a=1');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Gatepass-Webhooks/1' });
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(event);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
    expect(headers.authorization).toBeUndefined();
  });

  it.each([301, 302, 307, 308])('follows no redirect with %i', async (status) => {
    answer = { status, headers: { location: `http://127.0.0.1:${port}/elsewhere` } };
    expect(await forwardEvent(`http://127.0.0.1:${port}/`, event, secret)).toMatchObject({
      isDelivered: false,
      status,
    });
    expect(received).toHaveLength(1);
  });

  it('to a closed port, or with an id that is no header, is a failure with a reason', async () => {
    expect(await forwardEvent('http://127.0.0.1:9/', event, secret)).toMatchObject({
      isDelivered: false,
      error: expect.stringMatching(/nothing listens there|no answer/),
    });
    expect(await forwardEvent(`http://127.0.0.1:${port}/`, { ...event, id: 'a\r\nx: y' }, secret)).toMatchObject({
      isDelivered: false,
      error: 'no answer',
    });
    expect(received).toEqual([]);
  });
});

describe('gatepass listen', () => {
  it.each([
    ['ftp://127.0.0.1/', 'It must be a URL such as'],
    ['http://', 'It must be a URL such as'],
    ['file:///etc/passwd', 'It must be a URL such as'],
    ['http://user:password@127.0.0.1/', 'It must have no user name and no password.'],
  ])('refuses the receiver %s', async (url, reason) => {
    const ran = await runCli(['listen', '--forward-to', url], variablesAt(9));
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(reason) });
  });

  it('refuses a malformed secret before it sends anything, and does not repeat it', async () => {
    const variables = { ...variablesAt(9), GATEPASS_WEBHOOK_SECRET: 'whsec_wrong' };
    const ran = await runCli(['listen', '--forward-to', `127.0.0.1:${port}`], variables);
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/secret of the webhook is malformed|secret of a webhook is malformed/),
    });
    expect(ran.stderr).not.toContain('whsec_wrong');
  });

  it('takes no secret from the command line', async () => {
    const ran = await runCli(['listen', '--forward-to', '127.0.0.1', '--secret', secret], variablesAt(9));
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--secret'") });
    expect(ran.stderr).not.toContain(secret);
  });
});
