import { createHash, createHmac } from 'node:crypto';
import type { AwsCredentials } from '../../config/kms.ts';

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
