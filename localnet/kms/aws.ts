import { derOf, withHighS } from './ecdsa.ts';
import type { Call, KmsFault, Operation } from './faults.ts';
import { type Ed25519Key, type Secp256k1Key, strangerFor } from './keys.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';

/** What differs between the curves at AWS. */
const CURVES = {
  secp256k1: { spec: 'ECC_SECG_P256K1', algorithms: ['ECDSA_SHA_256'], messageType: 'DIGEST', maxBytes: 32 },
  ed25519: {
    spec: 'ECC_NIST_EDWARDS25519',
    algorithms: ['ED25519_SHA_512', 'ED25519_PH_SHA_512'],
    messageType: 'RAW',
    maxBytes: 4096,
  },
} as const;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'TrentService.Sign': 'sign',
  'TrentService.GetPublicKey': 'public-key',
};

interface Input {
  readonly KeyId?: unknown;
  readonly Message?: unknown;
  readonly MessageType?: unknown;
  readonly SigningAlgorithm?: unknown;
}

/** Returns which call the request is. Throws KmsRefusal if it is none. */
export function readAwsCall({ headers, body }: KmsRequest): Call & { readonly input: Input } {
  const operation = OPERATIONS[headers['x-amz-target'] ?? ''];
  if (operation === undefined || headers['content-type'] !== 'application/x-amz-json-1.1') {
    throw new KmsRefusal(400, 'UnknownOperationException', 'There is no such operation.');
  }
  const input = parseObject(body);
  if (typeof input.KeyId !== 'string') throw invalid("Value null at 'keyId' must not be null");
  return { vendor: 'aws', operation, key: input.KeyId, input };
}

/** Answers a call of AWS. The credential has been checked. */
export function answerAws(
  { operation, input }: ReturnType<typeof readAwsCall>,
  key: Secp256k1Key | Ed25519Key | undefined,
  faults: ReadonlyMap<KmsFault['kind'], KmsFault>,
): object {
  const arn = String(input.KeyId);
  if (faults.has('throttle')) throw new KmsRefusal(400, 'ThrottlingException', 'Rate exceeded');
  if (faults.has('expired-credential')) {
    throw new KmsRefusal(400, 'ExpiredTokenException', 'The security token included in the request is expired');
  }
  if (faults.has('unavailable')) throw new KmsRefusal(503, 'KeyUnavailableException', 'The request was not handled.');
  if (faults.has('deny')) {
    throw new KmsRefusal(400, 'AccessDeniedException', `User is not authorized to perform: kms on resource: ${arn}`);
  }
  if (key === undefined) throw new KmsRefusal(400, 'NotFoundException', `Key '${arn}' does not exist`);
  if (faults.has('disabled-key')) throw new KmsRefusal(400, 'DisabledException', `${arn} is disabled.`);
  const { spec, algorithms } = CURVES[key.curve];
  if (operation === 'public-key') {
    const { publicKey } = faults.has('other-public-key') ? strangerFor(key) : key;
    return {
      KeyId: key.name,
      PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      CustomerMasterKeySpec: spec,
      KeySpec: spec,
      KeyUsage: 'SIGN_VERIFY',
      SigningAlgorithms: algorithms,
    };
  }
  const message = readMessage(input, key);
  const signature = signatureOf(faults.has('other-key') ? strangerFor(key) : key, message, faults);
  return { KeyId: key.name, Signature: signature.toString('base64'), SigningAlgorithm: input.SigningAlgorithm };
}

function readMessage(
  { Message, MessageType, SigningAlgorithm }: Input,
  { curve }: { readonly curve: keyof typeof CURVES },
) {
  const { algorithms, messageType, maxBytes } = CURVES[curve];
  if (SigningAlgorithm !== algorithms[0]) {
    throw new KmsRefusal(
      400,
      'InvalidKeyUsageException',
      `Algorithm ${SigningAlgorithm} is incompatible with the key spec.`,
    );
  }
  // The vendor hashes a raw message itself. Both chains need the other form on secp256k1, so a request for it is a mistake.
  if (MessageType !== messageType) throw invalid(`MessageType must be ${messageType}`);
  const message = typeof Message === 'string' ? Buffer.from(Message, 'base64') : Buffer.alloc(0);
  if (message.length === 0 || message.length > maxBytes || (messageType === 'DIGEST' && message.length !== maxBytes)) {
    throw invalid(`Digest or message is of the wrong length: ${message.length}`);
  }
  return message;
}

/** Signs a digest or a message in the form that both vendors return. */
export function signatureOf(
  key: Secp256k1Key | Ed25519Key,
  message: Uint8Array,
  faults: ReadonlyMap<KmsFault['kind'], KmsFault>,
): Buffer {
  const signature = key.curve === 'ed25519' ? key.signMessage(message) : derOf(ecdsaOf(key, message, faults));
  return faults.has('malformed-signature') ? signature.subarray(0, -1) : signature;
}

function ecdsaOf(key: Secp256k1Key, digest: Uint8Array, faults: ReadonlyMap<KmsFault['kind'], KmsFault>) {
  const signature = key.signDigest(digest);
  return faults.has('high-s') ? withHighS(signature) : signature;
}

function parseObject(body: Buffer): Input {
  try {
    return Object(JSON.parse(body.toString()));
  } catch {
    throw new KmsRefusal(400, 'SerializationException', 'The body is no JSON.');
  }
}

const invalid = (message: string) => new KmsRefusal(400, 'ValidationException', message);
