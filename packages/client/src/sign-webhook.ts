import { GatepassError } from './errors.ts';
import type { DeliveredEvent } from './events.ts';

/** A delivery as the service sends it: spread it into a `Request`, or give it to `verifyWebhook`. */
export interface SignedDelivery {
  readonly headers: Readonly<Record<'content-type' | (typeof WEBHOOK_HEADERS)[number], string>>;
  readonly body: string;
}

export const WEBHOOK_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** `whsec_` and base64 of 32 bytes. Standard Webhooks allows 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
/** Not every runtime's types have the name `CryptoKey`. */
export type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Returns a delivery of the event, signed as the service signs it: for tests of your receiver, without a service. With several secrets, it
 * has a signature of each, as after a rotation. Throws GatepassError if there is no secret or one is malformed.
 * @param now Milliseconds since 1970. Default: the current time.
 */
export async function signWebhook(
  event: DeliveredEvent,
  secrets: string | readonly string[],
  { now = Date.now() }: { readonly now?: number } = {},
): Promise<SignedDelivery> {
  const keys = await Promise.all([secrets].flat().map(hmacKeyOf));
  if (keys.length === 0) throw new GatepassError('signWebhook needs the secret of the webhook');
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(now / 1000));
  const signed = signedBytes(event.id, timestamp, new TextEncoder().encode(body));
  const signatures = await Promise.all(keys.map((key) => crypto.subtle.sign('HMAC', key, signed)));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((each) => `v1,${base64Of(new Uint8Array(each))}`).join(' '),
  };
  return { headers, body };
}

/** Returns the key of a secret. Throws GatepassError, without the secret, if it is malformed. */
export async function hmacKeyOf(secret: string): Promise<HmacKey> {
  const [, base64 = ''] = SECRET.exec(secret) ?? [];
  if (base64 === '' || base64.length % 4 !== 0) {
    throw new GatepassError('the secret of a webhook is malformed: it must be whsec_ and base64, without spaces');
  }
  return crypto.subtle.importKey('raw', bytesOf(base64), HMAC, false, ['sign', 'verify']);
}

/** Returns the bytes that are signed: the id, the time and the body, with points between them. */
export function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const whole = new Uint8Array(start.length + body.length);
  whole.set(start);
  whole.set(body, start.length);
  return whole;
}

export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

const base64Of = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
