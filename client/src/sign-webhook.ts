import { HMAC, keyBytesOf } from './verify-webhook.ts';

/** A delivery to sign. */
export interface DeliveryToSign {
  /** The id of the event. */
  readonly id: string;
  /** The time of the delivery in Unix seconds. */
  readonly timestamp: number;
  /** The body as it is sent. */
  readonly body: string;
}

/** The headers that sign a delivery. */
export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/**
 * Returns the headers with which the service would sign a delivery, for the test of a receiver. Throws GatepassError if the secret is
 * malformed.
 *
 * Source: Standard Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function signWebhook({ id, timestamp, body }: DeliveryToSign, secret: string): Promise<SignatureHeaders> {
  const key = await crypto.subtle.importKey('raw', keyBytesOf(secret), HMAC, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}
