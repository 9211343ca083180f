import { CompactSign } from 'jose';
import type { KmsKey } from '../../config/kms.ts';
import { decodeBase64, encodeBase64 } from '../../lib/bytes.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/units.ts';
import type { Chain } from '../../network/network.ts';
import { KmsFault } from '../port.ts';
import { askKms, bytesOf, type KmsAnswer, type KmsClient, textOf } from './ask-kms.ts';

type GcpKey = Extract<KmsKey, { vendor: 'gcp-kms' }>;

const URL_OF_GOOGLE = 'https://cloudkms.googleapis.com';
/** Tokens of the client itself, without a token server, name the service as their audience. */
const AUDIENCE = `${URL_OF_GOOGLE}/`;
/** A token lives an hour at most. */
const LIFETIME_SECONDS = HOUR_MS / SECOND_MS;

const ALGORITHMS: Readonly<Record<Chain, string>> = {
  ethereum: 'EC_SIGN_SECP256K1_SHA256',
  solana: 'EC_SIGN_ED25519',
};

/** Returns the client of the version of a key in Cloud KMS. */
export function gcpKms({ name, credentials }: GcpKey, chain: Chain): KmsClient {
  const { token, forget } = tokens(credentials);

  async function ask(path: string, body?: object): Promise<KmsAnswer> {
    const { endpoint = URL_OF_GOOGLE, private_key } = credentials();
    const bearer = await token();
    const answer = await askKms({
      url: `${endpoint}/v1/${name}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      secrets: `${pemBody(private_key)}\n${bearer}`,
      errorIn: ({ error }) => {
        const { status, message } = Object(error) as { status?: unknown; message?: unknown };
        return { code: textOf(status), text: textOf(message) };
      },
    }).catch((fault: unknown) => {
      // A clock that was wrong when the token was made keeps it invalid. The next request takes a new one.
      if (fault instanceof KmsFault && fault.code === 'kms-denied') forget();
      throw fault;
    });
    if (answer.name !== name) throw new KmsFault('kms-wrong-answer', 'it answers for another key');
    return answer;
  }

  return {
    async sign(bytes) {
      const isDigest = chain === 'ethereum';
      const text = encodeBase64(bytes);
      const sent = { [isDigest ? 'digestCrc32c' : 'dataCrc32c']: String(crc32c(bytes)) };
      const answer = await ask(':asymmetricSign', {
        ...(isDigest ? { digest: { sha256: text } } : { data: text }),
        ...sent,
      });
      // A request that was changed on its way must be sent again (Cloud KMS, "Data integrity guidelines").
      if (answer[isDigest ? 'verifiedDigestCrc32c' : 'verifiedDataCrc32c'] !== true)
        throw new KmsFault('kms-wrong-answer', 'it did not check the checksum of the request');
      const signature = bytesOf(answer.signature);
      demandChecksum(answer.signatureCrc32c, signature);
      return signature;
    },
    async publicKey() {
      const { pem, pemCrc32c, algorithm } = await ask('/publicKey');
      if (algorithm !== ALGORITHMS[chain])
        throw new KmsFault('kms-wrong-answer', `the algorithm of the key is not ${ALGORITHMS[chain]}`);
      demandChecksum(pemCrc32c, new TextEncoder().encode(textOf(pem)));
      return bytesOf(pemBody(textOf(pem)));
    },
  };
}

/** Returns the base64 of a PEM. */
const pemBody = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '');

/** Checksums are 64-bit numbers, which JSON of Google writes as text. */
function demandChecksum(checksum: unknown, bytes: Uint8Array): void {
  if (textOf(checksum) !== String(crc32c(bytes)))
    throw new KmsFault('kms-wrong-answer', 'the checksum of its answer is wrong');
}

/** Makes tokens. One serves many requests, until its end is near or a request forgets it. */
function tokens(credentials: GcpKey['credentials']) {
  let known: { readonly token: Promise<string>; readonly renewAt: number } | undefined;
  return {
    token() {
      const now = Date.now();
      if (known === undefined || known.renewAt <= now)
        known = { token: signToken(credentials, now), renewAt: now + HOUR_MS - 5 * MINUTE_MS };
      return known.token;
    },
    forget() {
      known = undefined;
    },
  };
}

async function signToken(credentials: GcpKey['credentials'], now: number): Promise<string> {
  const { client_email, private_key, private_key_id } = credentials();
  const issuedAt = Math.floor(now / SECOND_MS);
  try {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('pkcs8', decodeBase64(pemBody(private_key)), algorithm, false, ['sign']);
    const claims = {
      iss: client_email,
      sub: client_email,
      aud: AUDIENCE,
      iat: issuedAt,
      exp: issuedAt + LIFETIME_SECONDS,
    };
    return await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: private_key_id })
      .sign(key);
  } catch {
    // The message of the library may quote the key.
    throw new KmsFault('kms-denied', 'the private key of the service account cannot be read');
  }
}

/** Polynomial of CRC-32C with its bits reversed (RFC 3720 §12.1). */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let rest = index;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/** Returns the checksum that Cloud KMS uses. Pure. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (TABLE[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}
