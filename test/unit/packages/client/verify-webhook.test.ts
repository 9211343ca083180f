import { Webhook as Signer } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { DeliveryNotVerified, GatepassError } from '../../../../packages/client/src/errors.ts';
import { type ReceivedDelivery, verifyWebhook } from '../../../../packages/client/src/verify-webhook.ts';
import { newSecret, signatureHeaders } from '../../../../src/webhook-object/send-event.ts';

/** The package `standardwebhooks` signs the deliveries, and verifies the same ones. */

const NOW_MS = Math.floor(Date.now() / 1000) * 1000;
const EVENT = {
  id: '01a1f8a0-6cfb-7613-a30a-0ccef041f58c.1',
  sequence: 48_212,
  type: 'pass.issued',
  timestamp: '2026-11-20T11:03:45.000Z',
  data: { pass: { walletAddress: 'Größe €' } },
};
const BODY = JSON.stringify(EVENT);

const aSecret = (bytes = 32) =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')}`;
const SECRET = aSecret();
const OTHER = aSecret();

const signatureOf = ({ secret = SECRET, id = EVENT.id, now = NOW_MS, body = BODY } = {}) =>
  new Signer(secret).sign(id, new Date(now), body);

interface Overrides {
  readonly id?: string;
  readonly timestamp?: string;
  readonly signature?: string;
  readonly body?: string;
}

/** A delivery that is signed as a whole, unless a part is overridden. */
function aDelivery({ id = EVENT.id, timestamp = String(NOW_MS / 1000), signature, body = BODY }: Overrides = {}) {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature ?? signatureOf(),
  };
  return { headers, body };
}

const asRequest = ({ headers, body }: ReturnType<typeof aDelivery>) =>
  new Request('https://hooks.partner.example/', { method: 'POST', headers, body });
const verify = (delivery: ReceivedDelivery, secrets: string | string[] = SECRET, options = {}) =>
  verifyWebhook(delivery, secrets, { now: NOW_MS, ...options });
const faultOf = (verified: Promise<unknown>) =>
  verified.then(
    () => 'verified',
    (fault: unknown) => fault,
  );

describe('a delivery that the webhook signed', () => {
  const delivery = aDelivery();
  it.each<[string, ReceivedDelivery]>([
    ['a Fetch API request', asRequest(delivery)],
    ['the headers and the text of a Node request', delivery],
    ['headers in another case and bytes', { headers: uppercase(delivery.headers), body: Buffer.from(BODY) }],
    ['a Headers object and text', { headers: new Headers(delivery.headers), body: BODY }],
  ])('returns the event of %s', async (_, received) => {
    expect(await verify(received)).toEqual(EVENT);
  });

  it.each([24, 32, 33, 64])('accepts a secret of %i bytes', async (bytes) => {
    const secret = aSecret(bytes);
    expect(await verify(aDelivery({ signature: signatureOf({ secret }) }), secret)).toEqual(EVENT);
  });

  it.each([true, false])('accepts the signatures of the service, during a rotation: %s', async (rotates) => {
    const [secret, previous] = [newSecret(), newSecret()];
    const headers = await signatureHeaders(EVENT.id, BODY, rotates ? [secret, previous] : [secret], NOW_MS);
    const delivery = { headers, body: BODY };
    expect(await verify(delivery, secret)).toEqual(EVENT);
    expect(await faultOf(verify(delivery, previous))).toEqual(rotates ? 'verified' : expect.any(DeliveryNotVerified));
  });

  it('returns a test event, which has no sequence', async () => {
    const event = { id: `test.${crypto.randomUUID()}`, type: 'webhook.test', timestamp: EVENT.timestamp };
    const body = JSON.stringify(event);
    const signature = signatureOf({ id: event.id, body });
    expect(await verify(aDelivery({ id: event.id, body, signature }))).toEqual(event);
  });

  it.each([
    ['in their order', `${signatureOf()} ${signatureOf({ secret: OTHER })}`],
    ['reordered', `${signatureOf({ secret: OTHER })} ${signatureOf()}`],
    ['duplicated', `${signatureOf()} ${signatureOf()}`],
    ['beside an unknown version', `v1a,abc v2,def ${signatureOf()}`],
  ])('accepts the signatures of a rotation %s', async (_, signature) => {
    const delivery = aDelivery({ signature });
    expect(await verify(delivery)).toEqual(EVENT);
    expect(await verify(delivery, [aSecret(), SECRET])).toEqual(EVENT);
    expect(new Signer(SECRET).verify(BODY, delivery.headers)).toEqual(EVENT);
  });
});

describe('a delivery that was changed', () => {
  const signature = signatureOf();
  const other = signature.at(10) === 'A' ? 'B' : 'A';
  it.each<[string, Overrides]>([
    ['its body', { body: BODY.replace('issued', 'frozen') }],
    ['the end of its body', { body: `${BODY}\n` }],
    ['the byte order mark of its body', { body: `\uFEFF${BODY}` }],
    ['its id', { id: '01a1f8a0-6cfb-7613-a30a-0ccef041f58c.2' }],
    ['its duplicated id', { id: `${EVENT.id}, ${EVENT.id}` }],
    ['its time', { timestamp: String(NOW_MS / 1000 - 1) }],
    ['a character of its signature', { signature: `${signature.slice(0, 10)}${other}${signature.slice(11)}` }],
    ['the version of its signature', { signature: signature.replace('v1,', 'v2,') }],
    ['the case of the version', { signature: signature.replace('v1,', 'V1,') }],
    ['its signature without a version', { signature: signature.slice(3) }],
    ['its signature without padding', { signature: signature.slice(0, -1) }],
    ['an empty signature', { signature: 'v1,' }],
    ['its secret', { signature: signatureOf({ secret: OTHER }) }],
  ])('is refused: %s', async (_, overrides) => {
    const delivery = aDelivery(overrides);
    expect(await faultOf(verify(delivery))).toMatchObject({ name: 'DeliveryNotVerified', reason: 'signature_invalid' });
    expect(await faultOf(verify(asRequest(delivery)))).toBeInstanceOf(DeliveryNotVerified);
    expect(() => new Signer(SECRET).verify(delivery.body, delivery.headers)).toThrow();
  });

  it('is refused if a comma separates its signatures, as in a duplicated header', async () => {
    const delivery = aDelivery({ signature: `${signature},${signature}` });
    expect(await faultOf(verify(delivery))).toMatchObject({ reason: 'signature_invalid' });
  });

  it('is refused if a part of the body moved into the id', async () => {
    const now = NOW_MS / 1000;
    const id = `a.1.${now}`;
    const body = JSON.stringify({ ...EVENT, id: 'a' });
    const moved = aDelivery({ id: 'a', timestamp: '1', body: `${now}.${body}`, signature: signatureOf({ id, body }) });
    expect(await faultOf(verify(moved))).toMatchObject({ reason: 'too_old' });
    const signed = aDelivery({ id, body, signature: signatureOf({ id, body }) });
    expect(await faultOf(verify(signed))).toMatchObject({ reason: 'body_invalid' });
  });

  it.each(['', 'null', '[]', '"text"', '{', '{"id":1}', JSON.stringify({ ...EVENT, type: undefined })])(
    'is refused if its signed body is not an event: %s',
    async (body) => {
      const delivery = aDelivery({ body, signature: signatureOf({ body }) });
      expect(await faultOf(verify(delivery))).toMatchObject({ reason: 'body_invalid' });
    },
  );
});

describe('the headers of a delivery', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a delivery needs %s', async (name) => {
    const { headers, body } = aDelivery();
    for (const value of [undefined, '', ['a', 'b']]) {
      const received = { headers: { ...headers, [name]: value }, body };
      expect(await faultOf(verify(received))).toMatchObject({ reason: 'headers_missing' });
    }
  });

  it.each(['now', '-1', '1e9', '0x1', '1.5', '1790000000 ', '1790000000abc', '9'.repeat(13), '٣'])(
    'a time must be in Unix seconds: "%s" is refused',
    async (timestamp) => {
      expect(await faultOf(verify(aDelivery({ timestamp })))).toMatchObject({ reason: 'timestamp_invalid' });
    },
  );

  it.each`
    ageSeconds | toleranceSeconds | outcome
    ${0}       | ${undefined}     | ${'verified'}
    ${300}     | ${undefined}     | ${'verified'}
    ${301}     | ${undefined}     | ${'too_old'}
    ${-300}    | ${undefined}     | ${'verified'}
    ${-301}    | ${undefined}     | ${'too_new'}
    ${61}      | ${60}            | ${'too_old'}
    ${-61}     | ${60}            | ${'too_new'}
    ${0}       | ${Number.NaN}    | ${'too_old'}
    ${3_600}   | ${7_200}         | ${'verified'}
  `(
    'a delivery of $ageSeconds s ago with a tolerance of $toleranceSeconds s is $outcome',
    async ({ ageSeconds, toleranceSeconds, outcome }) => {
      const options = { now: NOW_MS + ageSeconds * 1000, toleranceSeconds };
      const fault = await faultOf(verify(aDelivery(), SECRET, options));
      expect(fault instanceof DeliveryNotVerified ? fault.reason : fault).toBe(outcome);
    },
  );
});

describe('the secrets of a receiver', () => {
  it.each([
    '',
    ' ',
    'whsec_',
    'whsec_ ',
    ` ${SECRET}`,
    `${SECRET}\n`,
    SECRET.slice(6),
    SECRET.slice(0, -1),
    `${SECRET.slice(0, 20)} ${SECRET.slice(20)}`,
    'whsec_c2hvcnQ=',
    aSecret(65),
  ])(
    'a malformed secret is refused without a look at the delivery, and the error does not show it: "%s"',
    async (secret) => {
      for (const secrets of [secret, [SECRET, secret]]) {
        const fault = (await faultOf(verify(aDelivery(), secrets))) as Error;
        expect(fault).toBeInstanceOf(GatepassError);
        expect(fault).not.toBeInstanceOf(DeliveryNotVerified);
        expect(fault.message).toBe(
          'the secret of a webhook is malformed: it must be whsec_ and base64, without spaces',
        );
      }
    },
  );

  it('at least one secret is needed', async () => {
    expect(String(await faultOf(verify(aDelivery(), [])))).toContain('needs the secret');
  });

  it('no error about a delivery shows a secret or a valid signature', async () => {
    const fault = (await faultOf(verify(aDelivery({ body: '{}' })))) as DeliveryNotVerified;
    const shown = `${fault.stack} ${JSON.stringify(fault)}`;
    expect(shown).not.toContain(SECRET.slice(6));
    expect(shown).not.toContain(signatureOf({ body: '{}' }).slice(3));
  });
});

it('a parsed body is refused with the remedy', async () => {
  const parsed = { ...aDelivery(), body: EVENT } as unknown as ReceivedDelivery;
  expect(String(await faultOf(verify(parsed)))).toContain('text or bytes, not parsed');
});

function uppercase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}
