import { signWebhook, verifyWebhook } from '@gatepass/client';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, signatureHeaders } from '../../../src/webhook-object/send-event.ts';

const event = { id: '01a1f8a0-6cfb-7613-a30a-0ccef041f58c.1', type: 'pass.issued', timestamp: '2026-11-20T11:03:45Z' };
const body = JSON.stringify({ ...event, data: { name: 'Ünïcode 𝄞' } });

describe('signWebhook', () => {
  it('signs as the service, so that the client and standardwebhooks verify it', async () => {
    const secret = newSecret();
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = await signWebhook({ id: event.id, timestamp, body }, secret);
    expect(headers).toEqual(await signatureHeaders(event.id, body, [secret], timestamp * 1000));
    expect(await verifyWebhook({ headers, body }, secret)).toMatchObject(event);
    expect(new Webhook(secret).verify(body, headers)).toMatchObject(event);
    await expect(verifyWebhook({ headers, body }, newSecret())).rejects.toThrow('no signature matches');
    await expect(verifyWebhook({ headers, body: `${body} ` }, secret)).rejects.toThrow('no signature matches');
  });

  it('refuses a malformed secret without repeating it', async () => {
    for (const secret of ['', 'whsec_', 'a-secret', 'whsec_AAAA', ` ${newSecret()}`]) {
      const signed = signWebhook({ id: 'a', timestamp: 1, body: '' }, secret);
      await expect(signed).rejects.toThrow(
        /^the secret of a webhook is malformed: it must be whsec_ and base64, without spaces$/,
      );
    }
  });
});
