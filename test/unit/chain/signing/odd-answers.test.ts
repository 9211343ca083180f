import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { KMS_REFERENCES } from '../../../../localnet/kms/gatekeepers.ts';
import { KmsFault } from '../../../../src/chain/port.ts';
import { kmsKey } from '../../../../src/chain/signing/kms-key.ts';
import { parseKmsCredentials, parseKmsText, withCredentials } from '../../../../src/config/kms.ts';

/** A KMS may answer anything: each answer is a fault with a reason to wait, and no other error. */

let reply: { status: number; body: string } = { status: 200, body: '' };
const server = createServer((_, response) => {
  response.writeHead(reply.status, { location: 'https://elsewhere.example/' }).end(reply.body);
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
  const algorithm = 'EC_SIGN_SECP256K1_SHA256';

  it.each<[string, number, unknown]>([
    ['odd fields of an error', 400, { __type: ODD, message: ODD, error: { status: ODD, message: ODD } }],
    ['an odd error', 500, { error: null, __type: null }],
    ['odd fields of the key', 200, { KeyId: name, name, algorithm, PublicKey: ODD, pem: ODD, pemCrc32c: ODD }],
    ['an odd name', 200, { KeyId: ODD, name: ODD }],
    ['no key', 200, { KeyId: name, name, algorithm, PublicKey: '', pem: '', pemCrc32c: '0' }],
    ['a list', 200, []],
    ['a redirect', 302, {}],
  ])('with %s is one that does not sign', async (_, status, body) => {
    reply = { status, body: JSON.stringify(body) };
    const signing = kmsKey(parsed.address, kms, 'ethereum').sign(Uint8Array.of(1));
    await expect(signing).rejects.toBeInstanceOf(KmsFault);
  });

  it('that quotes the credentials in an error shows none of them', async () => {
    const quoted = JSON.stringify({ aws, gcp });
    reply = { status: 403, body: JSON.stringify({ __type: 'X', message: quoted, error: { message: quoted } }) };
    const fault: unknown = await kmsKey(parsed.address, kms, 'ethereum')
      .sign(Uint8Array.of(1))
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'kms-denied' });
    const shown = `${(fault as Error).message}${(fault as Error).stack}`;
    const [secretLine = ''] = vendor === 'aws' ? [aws.secretAccessKey] : String(private_key).split('\n').slice(1);
    expect(shown).not.toContain(secretLine.slice(0, 12));
  });
});
