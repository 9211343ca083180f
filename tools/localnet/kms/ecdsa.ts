import { createECDH, randomBytes } from 'node:crypto';

/** The order of secp256k1 (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** An ECDSA signature. `s` is high or low at random, as a KMS returns it. */
export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
}

/** Returns the uncompressed public key of a private key on secp256k1. */
export function publicPointOf(privateKey: Uint8Array): Buffer {
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(privateKey);
  return ecdh.getPublicKey();
}

/**
 * Signs a digest with secp256k1 (SEC 1, section 4.1.3). `node:crypto` signs no digests, only messages, so only its multiplication on
 * the curve is used. The time of the arithmetic depends on the key, which is public in the localnet.
 */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): EcdsaSignature {
  for (;;) {
    const nonce = numberOf(randomBytes(32));
    if (nonce === 0n || nonce >= ORDER) continue;
    const r = numberOf(publicPointOf(bytesOf(nonce)).subarray(1, 33)) % ORDER;
    const s = (inverseOf(nonce) * (numberOf(digest) + r * numberOf(privateKey))) % ORDER;
    if (r !== 0n && s !== 0n) return { r, s };
  }
}

/** Returns the same signature with a high `s`, which Ethereum refuses (EIP-2). */
export function withHighS({ r, s }: EcdsaSignature): EcdsaSignature {
  return { r, s: s > ORDER / 2n ? s : ORDER - s };
}

/** Returns the signature in DER (RFC 3279, section 2.2.3). */
export function derOf({ r, s }: EcdsaSignature): Buffer {
  const integers = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.of(0x30, integers.length), integers]);
}

/** Without leading zeros, except the one that keeps the number positive. */
function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const padded = (bytes[0] as number) > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
  return Buffer.concat([Buffer.of(0x02, padded.length), padded]);
}

/** By the extended Euclidean algorithm. */
function inverseOf(value: bigint): bigint {
  let [r, next, x, nextX] = [ORDER, value % ORDER, 0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return x < 0n ? x + ORDER : x;
}

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
