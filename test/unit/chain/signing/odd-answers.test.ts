import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { KmsFault } from '../../../../src/chain/port.ts';
import { kmsKey } from '../../../../src/chain/signing/kms-key.ts';
import { parseKmsCredentials, parseKmsText, withCredentials } from '../../../../src/config/kms.ts';
import { crc32c } from '../../../../tools/localnet/kms/crc32c.ts';
import { KMS_REFERENCES } from '../../../../tools/localnet/kms/gatekeepers.ts';

/** A KMS may answer anything: each answer is a fault with a reason to wait, and no other error. */

let reply: { status: number; body: string | ((request: IncomingMessage) => string) } = { status: 200, body: '' };
let requests: IncomingMessage[] = [];
const server = createServer((request, response) => {
  requests.push(request);
  const { status, body } = reply;
  response.writeHead(status, { location: '/elsewhere' }).end(typeof body === 'string' ? body : body(request));
});
beforeEach(() => {
  requests = [];
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
const gcp = { client_email: 'a@b.example', private_key, private_key_id: 'k1', endpoint };
const aws = { accessKeyId: 'AKIAPLANTED0001', secretAccessKey: 'wJalrXUtnFEMIplantedSecretKey', endpoint };
const credentials = parseKmsCredentials({ KMS_CREDENTIALS: JSON.stringify({ aws, gcp }) });

/** An object without a text: `String()` of it throws. */
const ODD = { toString: 1, valueOf: 1 };

describe.each(['aws', 'gcp'] as const)('a KMS of %s', (vendor) => {
  const parsed = parseKmsText(KMS_REFERENCES.ethereum[vendor]);
  const kms = parsed && withCredentials(parsed.key, credentials);
  if (parsed === undefined || kms === undefined) throw new Error('the localnet has no such key');
  const { name } = parsed.key;
  const answered = { KeyId: name, name, algorithm: 'EC_SIGN_SECP256K1_SHA256' };
  const key = kmsKey(parsed.address, kms, 'ethereum');
  const sign = () => key.sign(Uint8Array.of(1)).catch((error: unknown) => error);

  it.each<[string, number, unknown, string]>([
    ['odd fields of an error', 400, { __type: ODD, message: ODD, error: { status: ODD, message: ODD } }, 'HTTP 400'],
    ['an odd error', 500, { error: null, __type: null }, 'HTTP 500'],
    ['odd fields of the key', 200, { ...answered, PublicKey: ODD, pem: ODD, pemCrc32c: ODD }, 'its answer'],
    ['an odd name', 200, { KeyId: ODD, name: ODD }, 'it answers for another key'],
    [
      'another algorithm',
      200,
      { ...answered, algorithm: 'EC_SIGN_P256_SHA256' },
      vendor === 'aws' ? 'lacks' : 'the algorithm',
    ],
    ['no key', 200, { ...answered, PublicKey: '', pem: '', pemCrc32c: '0' }, 'lacks bytes'],
    [
      'a key that is not in base64',
      200,
      { ...answered, PublicKey: '%', pem: '%', pemCrc32c: crc32c(Buffer.from('%')) },
      'lacks',
    ],
    ['a list', 200, [], 'no JSON object'],
    ['a long answer', 200, { ...answered, long: 'x'.repeat(1_000_000) }, 'no JSON object'],
    ['a redirect', 302, {}, 'HTTP 302'],
  ])('with %s is one that does not sign', async (_, status, body, text) => {
    reply = { status, body: JSON.stringify(body) };
    const fault = await sign();
    expect(fault).toBeInstanceOf(KmsFault);
    expect((fault as Error).message).toContain(text);
    expect(requests).toHaveLength(1);
  });

  it('that quotes the credentials in an error shows none of them', async () => {
    const [, first = '', second = ''] = String(private_key).split('\n');
    // A refused request forgets its token. Each request quotes its own one, because a token of another second has another signature.
    const quotes: Readonly<Record<typeof vendor, ((request: IncomingMessage) => string)[]>> = {
      aws: [() => aws.secretAccessKey],
      gcp: [() => first, () => second, ({ headers }) => String(headers.authorization).slice(-40)],
    };
    for (const quote of quotes[vendor]) {
      let quoted = '';
      const body = (request: IncomingMessage) => {
        quoted = quote(request);
        return JSON.stringify({ __type: 'X', message: quoted, error: { message: quoted } });
      };
      reply = { status: 403, body };
      const fault = (await sign()) as KmsFault;
      expect(fault).toMatchObject({ code: 'kms-denied', message: expect.stringContaining('[hidden]') });
      for (let at = 0; at + 8 <= quoted.length; at += 1) expect(fault.stack).not.toContain(quoted.slice(at, at + 8));
    }
  });
});
