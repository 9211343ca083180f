import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_NAMES } from '../../../../../tools/localnet/kms/key-names.ts';
import { type KmsServer, startKms } from '../../../../../tools/localnet/kms/server.ts';

/** Requests that no client of a vendor would send, because their credential is forged. */

let kms: KmsServer;
beforeAll(async () => {
  kms = await startKms();
});
afterAll(() => kms.stop());

type Json = Readonly<Record<string, unknown>>;
const encode = (part: Json) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a token of the service account with these changes. */
function tokenWith({ head, claims }: { readonly head?: Json; readonly claims?: Json } = {}): string {
  const { client_email, private_key, private_key_id } = kms.credentials.gcp;
  const now = Math.floor(Date.now() / 1000);
  const account = { iss: client_email, sub: client_email, aud: 'https://cloudkms.googleapis.com/' };
  const signed = [
    encode({ alg: 'RS256', typ: 'JWT', kid: private_key_id, ...head }),
    encode({ ...account, iat: now, exp: now + 3600, ...claims }),
  ].join('.');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), createPrivateKey(private_key)).toString('base64url')}`;
}

async function statusWith(authorization: string | undefined): Promise<number> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const response = await fetch(`${kms.url}/v1/${KEY_NAMES.gcp.ed25519}/publicKey`, { headers });
  await response.arrayBuffer();
  return response.status;
}

describe('a token of the service account', () => {
  const now = Math.floor(Date.now() / 1000);

  it('is accepted', async () => {
    expect(await statusWith(`Bearer ${tokenWith()}`)).toBe(200);
  });

  it.each<[string, Parameters<typeof tokenWith>[0]]>([
    ['without an algorithm', { head: { alg: 'none' } }],
    ['of another algorithm', { head: { alg: 'HS256' } }],
    ['of another key', { head: { kid: 'other' } }],
    ['of another issuer', { claims: { iss: 'mallory@example.com' } }],
    ['for another account', { claims: { sub: 'mallory@example.com' } }],
    ['for another API', { claims: { aud: 'https://storage.googleapis.com/' } }],
    ['for no API', { claims: { aud: undefined } }],
    ['with a foreign scope', { claims: { aud: undefined, scope: 'https://www.googleapis.com/auth/devstorage' } }],
    ['that has expired', { claims: { iat: now - 3600, exp: now - 1 } }],
    ['without an end', { claims: { exp: undefined } }],
    ['of the future', { claims: { iat: now + 600, exp: now + 4000 } }],
    ['that lives too long', { claims: { exp: now + 7200 } }],
  ])('%s is refused', async (_, changes) => {
    expect(await statusWith(`Bearer ${tokenWith(changes)}`)).toBe(401);
  });

  it('is refused with other claims, a signature by the public key, or none', async () => {
    const [head = '', claims = '', signature = ''] = tokenWith().split('.');
    const other = encode({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), jti: 'other' });
    const pem = createPublicKey(kms.credentials.gcp.private_key).export({ format: 'pem', type: 'spki' });
    const byPublicKey = createHmac('sha256', pem).update(`${head}.${claims}`).digest('base64url');
    const forged = [`${head}.${other}.${signature}`, `${head}.${claims}.${byPublicKey}`, `${head}.${claims}.`, 'x'];
    for (const token of forged) expect(await statusWith(`Bearer ${token}`)).toBe(401);
    expect(await statusWith(undefined)).toBe(401);
    expect(await statusWith(`Basic ${tokenWith()}`)).toBe(401);
  });
});

describe('a request to AWS', () => {
  async function refusalWith(headers: Record<string, string>): Promise<string> {
    const response = await fetch(kms.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'TrentService.GetPublicKey',
        'x-amz-security-token': kms.credentials.aws.sessionToken,
        ...headers,
      },
      body: JSON.stringify({ KeyId: KEY_NAMES.aws.ed25519 }),
    });
    expect(response.status).toBe(400);
    const { __type, message } = (await response.json()) as { __type: string; message: string };
    return `${__type}: ${message}`;
  }
  const authorize = (signed: string, day = new Date().toISOString().slice(0, 10).replaceAll('-', '')) => {
    const scope = `${kms.credentials.aws.accessKeyId}/${day}/eu-central-1/kms/aws4_request`;
    return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signed}, Signature=${'0'.repeat(64)}`;
  };
  const now = () => new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');

  it('without a signature is refused', async () => {
    expect(await refusalWith({})).toContain('MissingAuthenticationTokenException');
    expect(await refusalWith({ authorization: 'Bearer x' })).toContain('IncompleteSignatureException');
    expect(await refusalWith({ authorization: authorize('host') })).toContain('IncompleteSignatureException');
  });

  it.each<[string, string, RegExp]>([
    ['no headers but the host', 'host', /'x-amz-\w+' must be a 'SignedHeader'/],
    ['no host', 'x-amz-date;x-amz-security-token;x-amz-target', /'host' must be a 'SignedHeader'/],
    ['all headers, wrongly', 'host;x-amz-date;x-amz-security-token;x-amz-target', /does not match the signature/],
  ])('that signs %s is refused', async (_, signed, reason) => {
    const refusal = await refusalWith({ authorization: authorize(signed), 'x-amz-date': now() });
    expect(refusal).toContain('InvalidSignatureException');
    expect(refusal).toMatch(reason);
  });

  it('whose signature is of another day is refused', async () => {
    const signed = 'host;x-amz-date;x-amz-security-token;x-amz-target';
    const authorization = authorize(signed, '20200101');
    expect(await refusalWith({ authorization, 'x-amz-date': now() })).toMatch(
      /^InvalidSignatureException: Credential should be scoped/,
    );
  });
});
