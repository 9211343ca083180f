import type { Operation } from './faults.ts';
import { AWS_REGION } from './key-names.ts';
import type { KmsKey } from './keys.ts';
import { type Protocol, parseObject, type ReadCall, type Refusals, signWith } from './protocol.ts';
import { KmsRefusal } from './refusal.ts';
import { checkSigV4 } from './sigv4.ts';

/** The differences between the curves at AWS. The first algorithm is the one that both chains need. */
const CURVES = {
  secp256k1: { spec: 'ECC_SECG_P256K1', algorithms: ['ECDSA_SHA_256'], messageType: 'DIGEST', bytes: [32, 32] },
  ed25519: {
    spec: 'ECC_NIST_EDWARDS25519',
    algorithms: ['ED25519_SHA_512', 'ED25519_PH_SHA_512'],
    messageType: 'RAW',
    bytes: [1, 4096],
  },
} as const;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'TrentService.Sign': 'sign',
  'TrentService.GetPublicKey': 'public-key',
};

const REFUSALS: Refusals = {
  throttle: [400, 'ThrottlingException', 'Rate exceeded'],
  'expired-credential': [400, 'ExpiredTokenException', 'The security token included in the request is expired'],
  unavailable: [503, 'ServiceUnavailableException', 'The request was not handled.'],
  deny: [400, 'AccessDeniedException', 'User is not authorized to perform this on resource: KEY'],
  'disabled-key': [400, 'DisabledException', 'KEY is disabled.'],
  'no-such-key': [400, 'NotFoundException', "Key 'KEY' does not exist"],
};

/** The JSON 1.1 protocol of AWS KMS. */
export const AWS: Protocol = {
  vendor: 'aws',
  contentType: 'application/x-amz-json-1.1',
  refusals: REFUSALS,
  readCall({ headers, body }) {
    const operation = OPERATIONS[headers['x-amz-target'] ?? ''];
    if (operation === undefined || headers['content-type'] !== AWS.contentType) {
      throw new KmsRefusal(400, 'UnknownOperationException', 'There is no such operation.');
    }
    const input = parseObject(body);
    if (input === undefined) throw new KmsRefusal(400, 'SerializationException', 'The body is no JSON.');
    if (typeof input.KeyId !== 'string') throw invalid("Value null at 'keyId' must not be null");
    const name = input.KeyId;
    const answer: ReadCall['answer'] = (key, faults) => {
      if (operation === 'public-key') return describeKey(key);
      const signature = signWith(key, readMessage(input, key), faults);
      return { KeyId: name, Signature: signature.toString('base64'), SigningAlgorithm: input.SigningAlgorithm };
    };
    return { vendor: 'aws', operation, key: name, answer };
  },
  checkCredential: (request, { aws }, nowMs) => checkSigV4(request, aws, AWS_REGION, nowMs),
  errorBodyOf: ({ type, message }) => ({ __type: type, message }),
};

function describeKey({ name, curve, publicKey }: KmsKey): object {
  const { spec, algorithms } = CURVES[curve];
  return {
    KeyId: name,
    PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    CustomerMasterKeySpec: spec,
    KeySpec: spec,
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: algorithms,
  };
}

/** Returns the bytes to sign. The vendor also hashes messages for secp256k1, which is a mistake here: no chain can use the result. */
function readMessage(input: Readonly<Record<string, unknown>>, { curve }: KmsKey): Buffer {
  const { algorithms, messageType, bytes } = CURVES[curve];
  const { Message, MessageType, SigningAlgorithm } = input;
  if (SigningAlgorithm !== algorithms[0]) {
    throw new KmsRefusal(400, 'InvalidKeyUsageException', `${SigningAlgorithm} is incompatible with the key spec.`);
  }
  if (MessageType !== messageType) throw invalid(`The message type of this key must be ${messageType}`);
  const message = Buffer.from(typeof Message === 'string' ? Message : '', 'base64');
  const [least, most] = bytes;
  if (message.length < least || message.length > most) throw invalid(`${message.length} bytes are a wrong length`);
  return message;
}

const invalid = (message: string) => new KmsRefusal(400, 'ValidationException', message);
