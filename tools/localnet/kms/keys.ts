import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type EcdsaSignature, publicPointOf, signDigest } from './ecdsa.ts';
import { type Curve, KEY_NAMES, type Vendor } from './key-names.ts';

interface NamedKey {
  readonly vendor: Vendor;
  readonly curve: Curve;
  /** Key ARN or key version. */
  readonly name: string;
  readonly publicKey: KeyObject;
}

export interface Secp256k1Key extends NamedKey {
  readonly curve: 'secp256k1';
  signDigest(digest: Uint8Array): EcdsaSignature;
}

interface Ed25519Key extends NamedKey {
  readonly curve: 'ed25519';
  signMessage(message: Uint8Array): Buffer;
}

/** A key of the KMS. */
export type KmsKey = Secp256k1Key | Ed25519Key;

/** A key that nobody knows by name: faults sign with it. */
const STRANGER = 'a key of somebody else';

/** The header of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the private key with this name. It is the same in each localnet, so that its address can be a gatekeeper from the first block. */
export function privateKeyOf(name: string): Buffer {
  return createHash('sha256').update(`gatepass localnet: ${name}`).digest();
}

/** Returns all keys of the KMS. */
export function createKeys(): KmsKey[] {
  return (['aws', 'gcp'] as const).flatMap((vendor) => [
    secp256k1Key(vendor, KEY_NAMES[vendor].secp256k1),
    ed25519Key(vendor, KEY_NAMES[vendor].ed25519),
  ]);
}

/** Returns a key of the same name and curve that is another one. */
export function strangerFor({ vendor, curve, name }: KmsKey): KmsKey {
  return curve === 'secp256k1' ? secp256k1Key(vendor, name, STRANGER) : ed25519Key(vendor, name, STRANGER);
}

function secp256k1Key(vendor: Vendor, name: string, seed = name): Secp256k1Key {
  const secret = privateKeyOf(seed);
  const point = publicPointOf(secret);
  const coordinates = { x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', ...coordinates }, format: 'jwk' });
  return { vendor, curve: 'secp256k1', name, publicKey, signDigest: (digest) => signDigest(digest, secret) };
}

function ed25519Key(vendor: Vendor, name: string, seed = name): Ed25519Key {
  const pkcs8 = Buffer.concat([ED25519_PKCS8, privateKeyOf(seed)]);
  const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const signMessage = (message: Uint8Array) => sign(null, message, secret);
  return { vendor, curve: 'ed25519', name, publicKey: createPublicKey(secret), signMessage };
}
