import { DeliveryNotVerified, GatepassError } from './errors.ts';
import type { FeedEvent } from './events.ts';

/** A delivery as its receiver gets it: a Fetch API request, or its headers and its body as received. */
export type ReceivedDelivery =
  | Pick<Request, 'headers' | 'arrayBuffer'>
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      /** Text or bytes, not parsed. */
      readonly body: string | Uint8Array;
    };

/** An event as a webhook delivers it. `sequence` is absent only in a test delivery, which has the type `webhook.test`. */
export type DeliveredEvent = Omit<FeedEvent, 'sequence'> & Partial<Pick<FeedEvent, 'sequence'>>;

export interface Verification {
  /** Milliseconds since 1970. Default: the current time. */
  readonly now?: number;
  /** How many seconds the delivery's time may differ from `now`. Default: five minutes. */
  readonly toleranceSeconds?: number;
}

/** `whsec_` and base64 of 32 bytes. Standard Webhooks allows 24 to 64 bytes. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
export const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Returns the event of a delivery, if one of the secrets signed it and it is recent. Reads the body of a request. Throws
 * DeliveryNotVerified otherwise, and GatepassError if there is no secret or one is malformed. No error contains a secret.
 *
 * Source: Standard Webhooks 1.0, https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function verifyWebhook(
  delivery: ReceivedDelivery,
  secrets: string | readonly string[],
  { now = Date.now(), toleranceSeconds = 300 }: Verification = {},
): Promise<DeliveredEvent> {
  const keys = [secrets].flat().map(keyBytesOf);
  // Without a key, no signature is valid, and each delivery would be refused as if it were forged.
  if (keys.length === 0) throw new GatepassError('verifyWebhook needs the secret of the webhook');
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(delivery, name),
  );
  if (!id || !timestamp || !signature) throw new DeliveryNotVerified('headers_missing');
  demandRecent(timestamp, now / 1000, toleranceSeconds);
  const body = await bodyOf(delivery);
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(signed, signature, keys))) throw new DeliveryNotVerified('signature_invalid');
  return eventIn(body, id);
}

/** Returns the key in a secret. Throws GatepassError, without the secret, if it is malformed. */
export function keyBytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64 = ''] = SECRET.exec(secret) ?? [];
  if (base64 === '' || base64.length % 4 !== 0) {
    throw new GatepassError('the secret of a webhook is malformed: it must be whsec_ and base64, without spaces');
  }
  return bytesOf(base64);
}

function headerOf({ headers }: ReceivedDelivery, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : undefined;
}

/** Not with `instanceof`: a runtime may have several classes of headers. */
const isHeaders = (headers: ReceivedDelivery['headers']): headers is Headers => typeof headers.get === 'function';

/** Refuses an old delivery, which may be a repeated one, and one from the future, which could be repeated for long. */
function demandRecent(timestamp: string, nowSeconds: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw new DeliveryNotVerified('timestamp_invalid');
  const ageSeconds = nowSeconds - Number(timestamp);
  // In this form, a tolerance that is not a number accepts nothing.
  if (!(ageSeconds <= toleranceSeconds)) throw new DeliveryNotVerified('too_old');
  if (!(ageSeconds >= -toleranceSeconds)) throw new DeliveryNotVerified('too_new');
}

async function bodyOf(delivery: ReceivedDelivery): Promise<Uint8Array> {
  if ('arrayBuffer' in delivery) return new Uint8Array(await delivery.arrayBuffer());
  const { body } = delivery;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new GatepassError('verifyWebhook needs the body as received: text or bytes, not parsed');
}

function concat(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(start.length + end.length);
  whole.set(start);
  whole.set(end, start.length);
  return whole;
}

/** Whether one of the signatures, which spaces separate, is of one of the keys. `verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const candidates = signatures.split(' ').flatMap((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1] ?? []);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
    for (const candidate of candidates) {
      if (await crypto.subtle.verify('HMAC', key, bytesOf(candidate), signed)) return true;
    }
  }
  return false;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** The id of the body must be that of the header, so that a receiver may drop duplicates by either. */
function eventIn(body: Uint8Array, id: string): DeliveredEvent {
  const event = parseJson(new TextDecoder().decode(body));
  const isEvent = event?.id === id && typeof event.type === 'string' && typeof event.timestamp === 'string';
  if (!isEvent) throw new DeliveryNotVerified('body_invalid');
  return event as DeliveredEvent;
}

function parseJson(text: string): Partial<DeliveredEvent> | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
