import { signatureOf } from './aws.ts';
import { crc32c } from './crc32c.ts';
import type { Call, KmsFault } from './faults.ts';
import { type Ed25519Key, type Secp256k1Key, strangerFor } from './keys.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';

/** The algorithms with their numbers in the enum `CryptoKeyVersionAlgorithm`. */
const ALGORITHMS = {
  secp256k1: { name: 'EC_SIGN_SECP256K1_SHA256', number: 31 },
  ed25519: { name: 'EC_SIGN_ED25519', number: 40 },
} as const;
/** Google signs with secp256k1 only in an HSM. */
const PROTECTION_LEVEL = { name: 'HSM', number: 2 };

const DATA_MAX_BYTES = 65_536;

interface Input {
  readonly digest?: { readonly sha256?: unknown };
  readonly digestCrc32c?: unknown;
  readonly data?: unknown;
  readonly dataCrc32c?: unknown;
}

/** Returns which call the request is. Throws KmsRefusal if it is none. */
export function readGcpCall({
  method,
  target,
  body,
}: KmsRequest): Call & { readonly input: Input; readonly asNumbers: boolean } {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  const path = decodeURIComponent(pathname);
  const asNumbers = searchParams.get('$alt') === 'json;enum-encoding=int';
  const [, signing] = (method === 'POST' && /^\/v1\/(projects\/.+):asymmetricSign$/.exec(path)) || [];
  if (signing !== undefined)
    return { vendor: 'gcp', operation: 'sign', key: signing, input: parseObject(body), asNumbers };
  const [, shown] = (method === 'GET' && /^\/v1\/(projects\/.+)\/publicKey$/.exec(path)) || [];
  if (shown !== undefined) return { vendor: 'gcp', operation: 'public-key', key: shown, input: {}, asNumbers };
  throw new KmsRefusal(404, 'NOT_FOUND', 'Requested entity was not found.');
}

/** Answers a call of Google Cloud. The token has been checked. */
export function answerGcp(
  { operation, key: name, input, asNumbers }: ReturnType<typeof readGcpCall>,
  key: Secp256k1Key | Ed25519Key | undefined,
  faults: ReadonlyMap<KmsFault['kind'], KmsFault>,
): object {
  if (faults.has('throttle')) throw new KmsRefusal(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.');
  if (faults.has('expired-credential')) {
    throw new KmsRefusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
  }
  if (faults.has('unavailable')) throw new KmsRefusal(503, 'UNAVAILABLE', 'The service is currently unavailable.');
  if (faults.has('deny')) {
    throw new KmsRefusal(403, 'PERMISSION_DENIED', `Permission denied on resource '${name}' (or it may not exist).`);
  }
  if (key === undefined) throw new KmsRefusal(404, 'NOT_FOUND', `CryptoKeyVersion ${name} not found.`);
  if (faults.has('disabled-key')) {
    throw new KmsRefusal(400, 'FAILED_PRECONDITION', `${name} is not enabled, current state is: DISABLED.`);
  }
  const enumOf = (value: { readonly name: string; readonly number: number }) => (asNumbers ? value.number : value.name);
  const checksumOf = (bytes: Uint8Array) => String(crc32c(faults.has('wrong-checksum') ? bytes.subarray(1) : bytes));
  const protectionLevel = enumOf(PROTECTION_LEVEL);
  if (operation === 'public-key') {
    const { publicKey } = faults.has('other-public-key') ? strangerFor(key) : key;
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const algorithm = enumOf(ALGORITHMS[key.curve]);
    return { pem, algorithm, pemCrc32c: checksumOf(Buffer.from(pem)), name, protectionLevel };
  }
  const { message, verified } = readMessage(input, key);
  const signature = signatureOf(faults.has('other-key') ? strangerFor(key) : key, message, faults);
  return {
    signature: signature.toString('base64'),
    signatureCrc32c: checksumOf(signature),
    ...verified,
    name,
    protectionLevel,
  };
}

/** Returns the bytes to sign, and which checksum of the request they have. A false one is absent, as in all JSON of Protocol Buffers. */
function readMessage(input: Input, { curve }: Secp256k1Key | Ed25519Key) {
  const isDigest = curve === 'secp256k1';
  const [given, checksum] = isDigest ? [input.digest?.sha256, input.digestCrc32c] : [input.data, input.dataCrc32c];
  const other = isDigest ? input.data : input.digest;
  if (typeof given !== 'string' || other !== undefined) {
    throw invalid(`The algorithm ${ALGORITHMS[curve].name} signs ${isDigest ? 'digest.sha256' : 'data'}.`);
  }
  const message = Buffer.from(given, 'base64');
  if (isDigest ? message.length !== 32 : message.length > DATA_MAX_BYTES) {
    throw invalid(`Digest or data is of the wrong length: ${message.length}`);
  }
  if (checksum === undefined) return { message, verified: {} };
  if (String(checksum) !== String(crc32c(message))) throw invalid('The checksum of the request does not match.');
  return { message, verified: isDigest ? { verifiedDigestCrc32c: true } : { verifiedDataCrc32c: true } };
}

function parseObject(body: Buffer): Input {
  try {
    return Object(JSON.parse(body.toString()));
  } catch {
    throw invalid('Invalid JSON payload received.');
  }
}

const invalid = (message: string) => new KmsRefusal(400, 'INVALID_ARGUMENT', message);
