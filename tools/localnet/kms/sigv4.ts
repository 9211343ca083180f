import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { AwsCredentials } from './credentials.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Checks the signature of a request to AWS (Signature Version 4). Throws KmsRefusal with the vendor's error if it is wrong. Header
 * `host` and every header `x-amz-…` must be signed.
 */
export function checkSigV4(request: KmsRequest, credentials: AwsCredentials, region: string, nowMs: number): void {
  const { headers } = request;
  const { authorization } = headers;
  if (authorization === undefined) throw refusal('MissingAuthenticationTokenException', 'Missing Authentication Token');
  const { scope, signedHeaders, signature } = parseAuthorization(authorization);
  const [accessKeyId, day, ...rest] = scope;
  if (accessKeyId !== credentials.accessKeyId || headers['x-amz-security-token'] !== credentials.sessionToken) {
    throw refusal('UnrecognizedClientException', 'The security token included in the request is invalid.');
  }
  const dated = headers['x-amz-date'] ?? '';
  checkDate(dated, nowMs);
  if (rest.join('/') !== `${region}/kms/aws4_request` || day !== dated.slice(0, 8)) {
    throw refusal('InvalidSignatureException', `Credential should be scoped to a valid region, ${region}, and date.`);
  }
  const unsigned = Object.keys(headers).find((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  if (unsigned !== undefined || !signedHeaders.includes('host')) {
    throw refusal(
      'InvalidSignatureException',
      `'${unsigned ?? 'host'}' must be a 'SignedHeader' in the AWS Authorization.`,
    );
  }
  const toSign = [ALGORITHM, dated, [day, ...rest].join('/'), sha256(canonicalRequestOf(request, signedHeaders))].join(
    '\n',
  );
  const key = [day as string, ...rest].reduce<Buffer | string>(hmac, `AWS4${credentials.secretAccessKey}`);
  const expected = hmac(key, toSign);
  const given = Buffer.from(signature, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw refusal(
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
    );
  }
}

function parseAuthorization(authorization: string) {
  const [, scope, signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^, ]+), ?SignedHeaders=([^, ]+), ?Signature=([0-9a-f]+)$/.exec(authorization) ?? [];
  if (scope === undefined || signedHeaders === undefined || signature === undefined) {
    throw refusal(
      'IncompleteSignatureException',
      'Authorization header requires Credential, SignedHeaders and Signature.',
    );
  }
  return { scope: scope.split('/'), signedHeaders: signedHeaders.split(';'), signature };
}

function checkDate(dated: string, nowMs: number): void {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(dated) ?? [];
  if (parts.length === 0) {
    throw refusal('IncompleteSignatureException', "Date must be in ISO-8601 'basic format'.");
  }
  const [year, month, ...others] = parts.map(Number) as [number, number, number, number, number, number];
  const ageMs = nowMs - Date.UTC(year, month - 1, ...others);
  const now = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  if (ageMs > CLOCK_TOLERANCE_MS) {
    throw refusal('InvalidSignatureException', `Signature expired: ${dated} is now earlier than ${now} - 5 min.`);
  }
  if (ageMs < -CLOCK_TOLERANCE_MS) {
    throw refusal(
      'InvalidSignatureException',
      `Signature not yet current: ${dated} is still later than ${now} + 5 min.`,
    );
  }
}

/** The hash of the body is of the body that arrived. A header that claims one is only signed text. */
function canonicalRequestOf({ method, target, headers, body }: KmsRequest, signedHeaders: readonly string[]): string {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  const pairs = [...searchParams].map((pair) => pair.map(encodeUri).join('='));
  return [
    method,
    pathname.split('/').map(encodeUri).join('/'),
    pairs.toSorted().join('&'),
    ...signedHeaders.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    sha256(body),
  ].join('\n');
}

const encodeUri = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
const refusal = (type: string, message: string) => new KmsRefusal(400, type, message);
