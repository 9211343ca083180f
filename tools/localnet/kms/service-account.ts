import { createPublicKey, generateKeyPair, randomUUID, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { ServiceAccount } from './credentials.ts';
import { KmsRefusal } from './refusal.ts';

const AUDIENCE = 'https://cloudkms.googleapis.com/';
const SCOPES = ['https://www.googleapis.com/auth/cloudkms', 'https://www.googleapis.com/auth/cloud-platform'];
const LIFETIME_MAX_SECONDS = 3600;
const CLOCK_TOLERANCE_SECONDS = 300;

export async function createServiceAccount(): Promise<ServiceAccount> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return {
    type: 'service_account',
    project_id: 'gatepass-localnet',
    private_key_id: randomUUID().replaceAll('-', ''),
    private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    client_email: 'gatepass@gatepass-localnet.iam.gserviceaccount.com',
  };
}

interface Claims {
  readonly iss?: unknown;
  readonly sub?: unknown;
  readonly aud?: unknown;
  readonly scope?: unknown;
  readonly iat?: unknown;
  readonly exp?: unknown;
}

/** Checks a self-signed token of the service account (AIP-4111): it names the API as its audience or by a scope. Throws KmsRefusal. */
export function checkServiceAccountToken(
  authorization: string | undefined,
  { private_key, private_key_id, client_email }: ServiceAccount,
  nowMs: number,
): void {
  const [, head = '', body = '', signature = ''] =
    /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? '') ?? [];
  const { alg, kid } = parseJson(head) as { readonly alg?: unknown; readonly kid?: unknown };
  if (alg !== 'RS256' || kid !== private_key_id) throw unauthenticated('the token names no key of the service account');
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify('RSA-SHA256', signed, createPublicKey(private_key), Buffer.from(signature, 'base64url'))) {
    throw unauthenticated('the signature of the token is wrong');
  }
  const { iss, sub, aud, scope, iat, exp } = parseJson(body) as Claims;
  if (iss !== client_email || sub !== client_email) throw unauthenticated('the token is of another account');
  const scopes = typeof scope === 'string' ? scope.split(' ') : [];
  if (aud !== AUDIENCE && !(aud === undefined && scopes.some((each) => SCOPES.includes(each)))) {
    throw unauthenticated('the token is for another API');
  }
  const now = nowMs / 1000;
  if (
    typeof iat !== 'number' ||
    typeof exp !== 'number' ||
    iat > now + CLOCK_TOLERANCE_SECONDS ||
    exp <= now ||
    exp - iat > LIFETIME_MAX_SECONDS
  ) {
    throw unauthenticated(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }
}

function parseJson(part: string): object {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return {};
  }
}

const unauthenticated = (why: string) =>
  new KmsRefusal(401, 'UNAUTHENTICATED', `Request had invalid authentication credentials: ${why}`);
