import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import type { FeedEvent } from '../../../../tools/localnet/partner/feed.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../../tools/localnet/partner/localnet-partner.ts';
import { type Receiver, startReceiver } from '../../../../tools/localnet/webhook/receiver.ts';
import { pollUntil } from '../../poll-until.ts';

/** The receiver of `npm run dev` and of the demo, with the real service. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const events: FeedEvent[] = [];
let receiver: Receiver;

const listWebhooks = async () =>
  (await acme.call<{ webhooks: { id: string; url: string; description?: string }[] }>('GET', '/webhooks')).webhooks;
const ownWebhooks = async () => (await listWebhooks()).filter(({ description }) => /localnet/.test(description ?? ''));

beforeAll(async () => {
  receiver = await startReceiver((event) => events.push(event));
  await receiver.register(facts);
});
afterAll(async () => {
  for (const { id } of await ownWebhooks()) await acme.call('DELETE', `/webhooks/${id}`);
  receiver.stop();
});

it('the receiver gets each event of a pass once and in order', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  await acme.revoke('sepolia', wallet);
  await acme.untilSettled('sepolia', wallet);
  const typesOf = async () => events.filter(({ data }) => data?.pass.walletAddress === wallet).map(({ type }) => type);
  expect(await pollUntil(typesOf, ({ length }) => length >= 2)).toEqual(['pass.issued', 'pass.revoked']);
});

it('the receiver refuses a delivery with another secret, at another path, or without a signature', async () => {
  const [webhook] = await ownWebhooks();
  const body = JSON.stringify({ id: 'forged.1', type: 'pass.issued' });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const now = new Date();
  const signed = {
    'webhook-id': 'forged.1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('forged.1', now, body),
  };
  const statusOf = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', body, headers })).status;
  expect(await statusOf(webhook?.url ?? '', signed)).toBe(401);
  expect(await statusOf(webhook?.url ?? '', {})).toBe(401);
  expect(await statusOf(`${webhook?.url}/other`, signed)).toBe(404);
  // The events of other tests arrive at any time, so their number says nothing.
  expect(events.map(({ id }) => id)).not.toContain('forged.1');
});

it('the receiver of a later run replaces the webhooks of an earlier one', async () => {
  const before = await ownWebhooks();
  const later = await startReceiver((event) => events.push(event));
  onTestFinished(later.stop);
  await later.register(facts);
  const after = await ownWebhooks();
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after[0]?.url).not.toBe(before[0]?.url);
});
