import { crc32c } from './crc32c.ts';
import type { KmsKey } from './keys.ts';
import { type ActiveFaults, type Protocol, parseObject, type ReadCall, type Refusals, signWith } from './protocol.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';
import { checkServiceAccountToken } from './service-account.ts';

/** The algorithms with their numbers in the enum `CryptoKeyVersionAlgorithm`. */
const ALGORITHMS = {
  secp256k1: { name: 'EC_SIGN_SECP256K1_SHA256', number: 31 },
  ed25519: { name: 'EC_SIGN_ED25519', number: 40 },
} as const;
/** In the enum `ProtectionLevel`. Google signs with secp256k1 only in an HSM. */
const PROTECTION_LEVEL = { name: 'HSM', number: 2 };

const DATA_MAX_BYTES = 65_536;

const REFUSALS: Refusals = {
  throttle: [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric.'],
  'expired-credential': [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  unavailable: [503, 'UNAVAILABLE', 'The service is currently unavailable.'],
  deny: [403, 'PERMISSION_DENIED', "Permission denied on resource 'KEY' (or it may not exist)."],
  'disabled-key': [400, 'FAILED_PRECONDITION', 'KEY is not enabled, current state is: DISABLED.'],
  'no-such-key': [404, 'NOT_FOUND', 'KEY not found.'],
};

interface Input {
  readonly digest?: { readonly sha256?: unknown };
  readonly digestCrc32c?: unknown;
  readonly data?: unknown;
  readonly dataCrc32c?: unknown;
}

/** The REST protocol of Google Cloud KMS. */
export const GCP: Protocol = {
  vendor: 'gcp',
  contentType: 'application/json; charset=UTF-8',
  refusals: REFUSALS,
  readCall(request) {
    const { name, operation } = readTarget(request);
    const input = operation === 'sign' ? parseObject(request.body) : {};
    if (input === undefined) throw invalid('Invalid JSON payload received.');
    const answer: ReadCall['answer'] = (key, faults) => {
      const { algorithm, ...answered } = operation === 'sign' ? sign(input, key, faults) : describeKey(key, faults);
      const enums = { ...(algorithm && { algorithm }), protectionLevel: PROTECTION_LEVEL };
      const shown = Object.entries(enums).map(([field, value]) => [
        field,
        asksForNumbers(request) ? value.number : value.name,
      ]);
      return { ...answered, ...Object.fromEntries(shown), name };
    };
    return { vendor: 'gcp', operation, key: name, answer };
  },
  checkCredential: ({ headers }, { gcp }, nowMs) => checkServiceAccountToken(headers.authorization, gcp, nowMs),
  errorBodyOf: ({ status, type, message }) => ({ error: { code: status, message, status: type } }),
};

function readTarget({ method, target }: KmsRequest) {
  const path = decodeURIComponent(new URL(target, 'http://localhost').pathname);
  const [, toSign] = (method === 'POST' && /^\/v1\/(projects\/.+):asymmetricSign$/.exec(path)) || [];
  if (toSign !== undefined) return { name: toSign, operation: 'sign' } as const;
  const [, toShow] = (method === 'GET' && /^\/v1\/(projects\/.+)\/publicKey$/.exec(path)) || [];
  if (toShow !== undefined) return { name: toShow, operation: 'public-key' } as const;
  throw new KmsRefusal(404, 'NOT_FOUND', 'Requested entity was not found.');
}

/** The vendor's own clients ask for the numbers of enums instead of their names. */
const asksForNumbers = ({ target }: KmsRequest) =>
  new URL(target, 'http://localhost').searchParams.get('$alt') === 'json;enum-encoding=int';

/** The fields of an answer, without those that all answers have. */
interface Answered {
  readonly [field: string]: unknown;
  readonly algorithm?: (typeof ALGORITHMS)[keyof typeof ALGORITHMS];
}

function describeKey({ curve, publicKey }: KmsKey, faults: ActiveFaults): Answered {
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  return { pem, pemCrc32c: checksumOf(Buffer.from(pem), faults), algorithm: ALGORITHMS[curve] };
}

function sign(input: Input, key: KmsKey, faults: ActiveFaults): Answered {
  const { message, verified } = readMessage(input, key);
  const signature = signWith(key, message, faults);
  const confirmed = faults.has('unconfirmed-request') ? {} : verified;
  return { signature: signature.toString('base64'), signatureCrc32c: checksumOf(signature, faults), ...confirmed };
}

/** Numbers of 64 bits are texts in the JSON of Protocol Buffers. */
function checksumOf(bytes: Uint8Array, faults: ActiveFaults): string {
  return String(crc32c(faults.has('wrong-checksum') ? bytes.subarray(1) : bytes));
}

/** Returns the bytes to sign, and which checksum of the request is right. A field that is false is absent, as in all such JSON. */
function readMessage(input: Input, { curve }: KmsKey) {
  const signsDigest = curve === 'secp256k1';
  const [given, checksum, other] = signsDigest
    ? [input.digest?.sha256, input.digestCrc32c, input.data]
    : [input.data, input.dataCrc32c, input.digest];
  if (typeof given !== 'string' || other !== undefined) {
    throw invalid(`${ALGORITHMS[curve].name} signs ${signsDigest ? 'digest.sha256' : 'data'}.`);
  }
  const message = Buffer.from(given, 'base64');
  if (signsDigest ? message.length !== 32 : message.length > DATA_MAX_BYTES) {
    throw invalid(`${message.length} bytes are a wrong length.`);
  }
  if (checksum === undefined) return { message, verified: {} };
  if (String(checksum) !== String(crc32c(message))) throw invalid('The checksum of the request is wrong.');
  return { message, verified: signsDigest ? { verifiedDigestCrc32c: true } : { verifiedDataCrc32c: true } };
}

const invalid = (message: string) => new KmsRefusal(400, 'INVALID_ARGUMENT', message);
