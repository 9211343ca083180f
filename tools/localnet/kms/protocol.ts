import type { KmsCredentials } from './credentials.ts';
import { derOf, withHighS } from './ecdsa.ts';
import type { Call, FaultKind, KmsFault, Operation } from './faults.ts';
import type { Vendor } from './key-names.ts';
import { type KmsKey, type Secp256k1Key, strangerFor } from './keys.ts';
import { KmsRefusal, type KmsRequest } from './refusal.ts';

/** How a vendor's requests and answers look. */
export interface Protocol {
  readonly vendor: Vendor;
  readonly contentType: string;
  readonly refusals: Refusals;
  /** Throws KmsRefusal if the request is no call. */
  readCall(request: KmsRequest): ReadCall;
  /** Throws KmsRefusal if the request does not prove that it knows the credential, or not for this time. */
  checkCredential(request: KmsRequest, credentials: KmsCredentials, nowMs: number): void;
  errorBodyOf(refusal: KmsRefusal): object;
}

export interface ReadCall extends Call {
  /** Returns the body of the answer. Throws KmsRefusal. */
  answer(key: KmsKey, faults: ActiveFaults): object;
}

export type ActiveFaults = ReadonlyMap<FaultKind, KmsFault>;

/** The refusals of a vendor: status, type and message. `KEY` in a message is the name of the key. */
export type Refusals = Readonly<
  Record<RefusingFault | 'no-such-key', readonly [status: number, type: string, message: string]>
>;

const REFUSING_FAULTS = ['throttle', 'expired-credential', 'unavailable', 'deny', 'disabled-key'] as const;
type RefusingFault = (typeof REFUSING_FAULTS)[number];

/** The fault with which a key of somebody else does the operation. */
const STRANGE_FAULTS: Readonly<Record<Operation, FaultKind>> = { sign: 'other-key', 'public-key': 'other-public-key' };

/** Returns the key that answers a call. Throws KmsRefusal if there is none, or if a fault refuses the call. */
export function demandKey(
  keys: readonly KmsKey[],
  { vendor, key: name, operation }: Call,
  faults: ActiveFaults,
  refusals: Refusals,
): KmsKey {
  const key = keys.find((each) => each.vendor === vendor && each.name === name);
  const kind = REFUSING_FAULTS.find((each) => faults.has(each));
  if (kind === undefined && key !== undefined) return faults.has(STRANGE_FAULTS[operation]) ? strangerFor(key) : key;
  const [status, type, message] = refusals[kind ?? 'no-such-key'];
  throw new KmsRefusal(status, type, message.replace('KEY', name));
}

/** Signs a digest on secp256k1, in DER, or a message on Ed25519. */
export function signWith(key: KmsKey, message: Uint8Array, faults: ActiveFaults): Buffer {
  const signature = key.curve === 'ed25519' ? key.signMessage(message) : derOf(ecdsaOf(key, message, faults));
  return faults.has('malformed-signature') ? signature.subarray(0, -1) : signature;
}

function ecdsaOf(key: Secp256k1Key, digest: Uint8Array, faults: ActiveFaults) {
  const signature = key.signDigest(digest);
  return faults.has('high-s') ? withHighS(signature) : signature;
}

/** Returns the JSON object in a body; undefined if there is none. */
export function parseObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}
