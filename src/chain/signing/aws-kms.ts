import { createHash, createHmac } from 'node:crypto';
import type { AwsCredentials, KmsKey } from '../../config/kms.ts';
import { encodeBase64 } from '../../lib/bytes.ts';
import type { Chain } from '../../network/network.ts';
import { KmsFault } from '../port.ts';
import { askKms, bytesOf, type KmsAnswer, type KmsClient, textOf } from './ask-kms.ts';

/** The algorithm of each kind of key, and whether the KMS gets a digest. */
const ALGORITHMS: Readonly<Record<Chain, { readonly SigningAlgorithm: string; readonly MessageType: string }>> = {
  ethereum: { SigningAlgorithm: 'ECDSA_SHA_256', MessageType: 'DIGEST' },
  solana: { SigningAlgorithm: 'ED25519_SHA_512', MessageType: 'RAW' },
};

/** Returns the client of a key in AWS KMS. */
export function awsKms({ name, region, credentials }: Extract<KmsKey, { vendor: 'aws-kms' }>, chain: Chain): KmsClient {
  async function ask(action: string, fields: object): Promise<KmsAnswer> {
    const keys = credentials();
    const url = new URL(`${keys.endpoint ?? `https://kms.${region}.amazonaws.com`}/`);
    const body = JSON.stringify({ KeyId: name, ...fields });
    const headers = signAwsRequest({ url, region, target: `TrentService.${action}`, body }, keys, Date.now());
    const answer = await askKms({
      url: url.href,
      method: 'POST',
      headers,
      body,
      secrets: [keys.accessKeyId, keys.secretAccessKey, keys.sessionToken ?? ''].join('\n'),
      errorIn: ({ __type, message, Message }) => ({
        code: textOf(__type).replace(/^.*#/, ''),
        text: textOf(message ?? Message),
      }),
    });
    if (answer.KeyId !== name) throw new KmsFault('kms-wrong-answer', 'it answers for another key');
    return answer;
  }

  return {
    async sign(bytes) {
      const algorithm = ALGORITHMS[chain];
      const answer = await ask('Sign', { ...algorithm, Message: encodeBase64(bytes) });
      return bytesOf(answer.Signature);
    },
    publicKey: async () => bytesOf((await ask('GetPublicKey', {})).PublicKey),
  };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text);

/** A POST without a query to the KMS of a region. */
export interface AwsRequest {
  readonly url: URL;
  readonly region: string;
  /** The value of `x-amz-target`. */
  readonly target: string;
  readonly body: string;
}

/** Returns the headers of the request with its signature, which is valid for five minutes (AWS, "Signature Version 4"). */
export function signAwsRequest(
  { url, region, target, body }: AwsRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  nowMs: number,
): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const scope = [time.slice(0, 8), region, 'kms', 'aws4_request'];
  const headers = {
    'x-amz-date': time,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
    'x-amz-target': target,
  };
  // The order of their names is part of the form.
  const signed = Object.entries({ host: url.host, ...headers });
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}`);
  const form = ['POST', encodePath(url.pathname), '', ...lines, '', names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(form)].join('\n');
  const key = scope.reduce<string | Uint8Array>((from, part) => hmac(from, part).digest(), `AWS4${secretAccessKey}`);
  const credential = [accessKeyId, ...scope].join('/');
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hmac(key, text).digest('hex')}`;
  return { 'content-type': 'application/x-amz-json-1.1', ...headers, authorization };
}

/** Encodes a path a second time, as AWS does for all services but S3. */
function encodePath(path: string): string {
  const encoded = encodeURIComponent(path.replace(/\/+/g, '/')).replaceAll('%2F', '/');
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
