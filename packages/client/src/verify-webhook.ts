import { DeliveryNotVerified, GatepassError } from './errors.ts';
import type { DeliveredEvent } from './events.ts';
import { bytesOf, type HmacKey, hmacKeyOf, signedBytes, WEBHOOK_HEADERS } from './sign-webhook.ts';

/**
 * A delivery as its receiver gets it: a Fetch API request, or its headers and its body as received. A request of Express is one too, behind
 * `express.raw({ type: 'application/json' })`.
 */
export type ReceivedDelivery =
  | Pick<Request, 'headers' | 'arrayBuffer'>
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      /** Text or bytes, not parsed. */
      readonly body: string | Uint8Array | ArrayBuffer;
    };

export interface Verification {
  /** Milliseconds since 1970. Default: the current time. */
  readonly now?: number;
  /** How many seconds the delivery's time may differ from `now`. Default: five minutes. */
  readonly toleranceSeconds?: number;
}

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
  const keys = await Promise.all([secrets].flat().map(hmacKeyOf));
  // Without a key, no signature is valid, and each delivery would be refused as if it were forged.
  if (keys.length === 0) throw new GatepassError('verifyWebhook needs the secret of the webhook');
  const [id, timestamp, signature] = WEBHOOK_HEADERS.map((name) => headerOf(delivery, name));
  if (!id || !timestamp || !signature) throw new DeliveryNotVerified('headers_missing');
  demandRecent(timestamp, now / 1000, toleranceSeconds);
  const body = await bodyOf(delivery);
  if (!(await isSigned(signedBytes(id, timestamp, body), signature, keys)))
    throw new DeliveryNotVerified('signature_invalid');
  return eventIn(body, id);
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
  if ('arrayBuffer' in delivery) {
    const bytes = await delivery.arrayBuffer().catch((fault: unknown) => {
      throw new GatepassError('verifyWebhook needs a request whose body nobody has read yet', { cause: fault });
    });
    return new Uint8Array(bytes);
  }
  const { body } = delivery;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not with `instanceof`: a test runner may have its own class of bytes.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new GatepassError(
    'verifyWebhook needs the body as received, text or bytes, not parsed. ' +
      "With Express: app.post(path, express.raw({ type: 'application/json' }), handler), before any express.json()",
  );
}

/** The service sends two during a rotation. Each costs a hash of the whole body, before anybody knows the sender. */
const SIGNATURES_MAX = 10;

/** Whether one of the signatures, which spaces separate, is of one of the keys. `verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly HmacKey[],
): Promise<boolean> {
  const candidates = signatures
    .split(' ', SIGNATURES_MAX)
    .flatMap((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1] ?? []);
  for (const key of keys) {
    for (const candidate of candidates) {
      if (await crypto.subtle.verify('HMAC', key, bytesOf(candidate), signed)) return true;
    }
  }
  return false;
}

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
