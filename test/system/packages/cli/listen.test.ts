import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from '@gatepass/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../../terminal/wrangler.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { eventually } from '../../../eventually.ts';
import { gatepass, settingsOf } from './gatepass-command.ts';

/** `gatepass listen` beside the real service, its webhook and a receiver that is away for a while. */

const facts = inject('gatepass');
const settings = settingsOf(facts);
const acme = new LocalnetPartner(facts, 'acme');

interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: Received[] = [];
/** The wallet whose first delivery by listen fails. Other tests issue passes of the same partner meanwhile. */
let failing: string | undefined;
const server = createServer(async (request, response) => {
  const delivery = { url: request.url, headers: request.headers, body: await text(request) };
  received.push(delivery);
  const isFailing = delivery.url === '/listen' && failing !== undefined && delivery.body.includes(failing);
  if (isFailing) failing = undefined;
  response.writeHead(isFailing ? 503 : 204).end();
});
let url: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Repeats the search until it finds something. */
const until = <T>(find: () => T | undefined): Promise<T> =>
  eventually(() => {
    const found = find();
    if (found === undefined) throw new Error(`not found yet, beside ${received.length} requests`);
    return found;
  });

const deliveriesAbout = (path: string, wallet: string) =>
  received.filter((each) => each.url === path && each.body.includes(wallet));

it('delivers the same bytes as a webhook, signed with the printed secret, retries visibly, and ends with 130', async () => {
  const created = await gatepass(['webhooks', 'add', `${url}/webhook`, '--types', 'pass.issued', '--json'], settings);
  const webhook = JSON.parse(created.stdout);
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const args = ['listen', '--forward-to', `${url.replace('http://', '')}/listen`, '--events', 'pass.issued', '--print'];
  const started = spawn(process.execPath, ['--', join(PROJECT, 'packages/cli/bin/gatepass.js'), ...args], {
    env: { PATH, NODE_COMPILE_CACHE, ...settings },
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    started[name].setEncoding('utf8').on('data', (part) => {
      printed[name] += part;
    });
  try {
    const secret = await until(() => /secret of this run: (whsec_\S+)\n/.exec(printed.stdout)?.[1]);
    const wallet = freshWallet('sepolia');
    failing = wallet;
    await acme.issue('ethereum/sepolia', wallet);
    await until(() => deliveriesAbout('/listen', wallet)[1]);
    const byWebhook = await until(() => deliveriesAbout('/webhook', wallet)[0]);
    const [first, second] = deliveriesAbout('/listen', wallet);
    for (const { headers, body } of [first, second] as Received[]) {
      expect(body).toBe(byWebhook.body);
      expect(headers['webhook-id']).toBe(byWebhook.headers['webhook-id']);
      expect(headers['user-agent']).toBe(byWebhook.headers['user-agent']);
      expect(headers['content-type']).toBe(byWebhook.headers['content-type']);
      expect(await verifyWebhook({ headers, body }, secret)).toMatchObject({ type: 'pass.issued' });
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'pass.issued',
      });
    }
    const line = (end: string) => RegExp(`^\\d+  \\S+  pass\\.issued  sepolia  ${wallet}  ACTIVE  -> ${end}$`, 'm');
    await until(() => line('204 in \\d+ ms').exec(printed.stdout) ?? undefined);
    expect(printed.stdout).toMatch(line('503 in \\d+ ms, not delivered: tries again in 1 s'));
    // The body is printed once, after the last attempt.
    const bodies = printed.stdout.split('\n').filter((each) => each.startsWith('{') && each.includes(wallet));
    expect(bodies).toEqual([byWebhook.body]);
    const { sequence } = JSON.parse(byWebhook.body);
    started.kill('SIGINT');
    const [code] = await once(started, 'close');
    expect(code).toBe(130);
    const stopped = Number(/^stopped: --after (\d+) continues\n$/.exec(printed.stderr)?.[1]);
    expect(stopped).toBeGreaterThanOrEqual(sequence);
  } finally {
    started.kill('SIGKILL');
    await gatepass(['webhooks', 'remove', webhook.id, '--yes'], settings);
  }
});
