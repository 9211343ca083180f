import { etc, Point, Signature, utils } from '@noble/secp256k1';
import { bytesToHex, keccak256 } from '../../lib/bytes.ts';
import type { Chain } from '../../network/network.ts';

/** Returns the signature of a KMS as a transaction needs it. Undefined if it is malformed, or not by the key for the message. */
export type Verify = (message: Uint8Array, signature: Uint8Array) => Promise<Uint8Array | undefined>;

/** The differences between the keys of the two kinds of chains. */
export interface Curve {
  /** The DER of a public key up to the key itself (SubjectPublicKeyInfo, RFC 5480 and RFC 8410), in hex. */
  readonly publicKeyPrefix: string;
  isPublicKey(key: Uint8Array): boolean;
  /** Returns what a KMS signs: the digest or the message itself. */
  signedBytes(message: Uint8Array): Uint8Array;
  /** Prepares the verification of many signatures by one key. */
  verifierOf(publicKey: Uint8Array): Promise<Verify>;
}

/** Order of the secp256k1 group. */
const ORDER = Point.CURVE().n;

export const CURVES: Readonly<Record<Chain, Curve>> = {
  /** secp256k1. A signature is r and s, each in 32 bytes, and the parity of the point. */
  ethereum: {
    publicKeyPrefix: '3056301006072a8648ce3d020106052b8104000a034200',
    isPublicKey: (key) => utils.isValidPublicKey(key, false),
    signedBytes: keccak256,
    async verifierOf(publicKey) {
      const table = multiplesOf(Point.fromBytes(publicKey));
      return async (message, signature) => {
        const found = readDerSignature(signature);
        if (found === undefined) return undefined;
        const { r, s } = found;
        if (r <= 0n || r >= ORDER || s <= 0n || s >= ORDER) return undefined;
        const inverse = etc.invert(s, ORDER);
        const ofBase = Point.BASE.multiplyUnsafe((BigInt(bytesToHex(keccak256(message))) * inverse) % ORDER);
        const { x, y } = ofBase.add(multiply(table, (r * inverse) % ORDER)).toAffine();
        // An x above the order is possible, once in 2^128 signatures. Ethereum cannot express its parity.
        if (x !== r) return undefined;
        // Both s and its negative are valid. Nodes accept only the lower one (EIP-2), whose point has the other parity.
        const isHigh = s > ORDER >> 1n;
        const compact = new Signature(r, isHigh ? ORDER - s : s).toBytes();
        return Uint8Array.of(...compact, Number(y & 1n) ^ Number(isHigh));
      };
    },
  },
  /** Ed25519. A signature has 64 bytes (RFC 8032). */
  solana: {
    publicKeyPrefix: '302a300506032b6570032100',
    isPublicKey: (key) => key.length === 32,
    signedBytes: (message) => message,
    async verifierOf(publicKey) {
      const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
      return async (message, signature) => {
        // The runtime throws for another length, instead of saying that the signature is wrong.
        if (signature.length !== 64) return undefined;
        return (await crypto.subtle.verify('Ed25519', key, signature, message)) ? signature : undefined;
      };
    },
  },
};

/**
 * Returns rows of the multiples 0 to 15 of the point, times 16 from row to row. With them, a verification takes a quarter of the time
 * of a recovery.
 */
function multiplesOf(point: Point): Point[][] {
  const rows: Point[][] = [];
  for (let base = point; rows.length < 64; ) {
    const row = [Point.ZERO];
    for (let at = Point.ZERO; row.length < 16; row.push(at)) at = at.add(base);
    rows.push(row);
    base = base.add(row[15] as Point);
  }
  return rows;
}

/** Returns the product of the point of these rows, one row for each hexadecimal digit of the number. */
function multiply(rows: readonly Point[][], number: bigint): Point {
  return rows.reduce((sum, row, at) => sum.add(row[Number((number >> BigInt(4 * at)) & 15n)] as Point), Point.ZERO);
}

/** Returns the public key in DER; undefined if it is not one of the curve. */
export function publicKeyInDer(chain: Chain, der: Uint8Array): Uint8Array | undefined {
  const { publicKeyPrefix, isPublicKey } = CURVES[chain];
  const key = der.subarray(publicKeyPrefix.length / 2);
  return bytesToHex(der).slice(2).startsWith(publicKeyPrefix) && isPublicKey(key) ? key : undefined;
}

/** Returns the two numbers of an ECDSA signature in DER (RFC 3279 §2.2.3); undefined if the bytes are anything else. Pure. */
function readDerSignature(bytes: Uint8Array): { readonly r: bigint; readonly s: bigint } | undefined {
  const [tag, length] = bytes;
  // A signature of 256 bits has at most 70 bytes, so a longer form of the length never occurs.
  if (tag !== SEQUENCE || length !== bytes.length - 2 || length > 70) return undefined;
  const r = readInteger(bytes, 2);
  const s = r && readInteger(bytes, r.end);
  return r && s?.end === bytes.length ? { r: r.value, s: s.value } : undefined;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Returns the positive integer at that place in its shortest form, and where it ends. */
function readInteger(bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } | undefined {
  const [tag, length = 0] = bytes.subarray(at, at + 2);
  const digits = bytes.subarray(at + 2, at + 2 + length);
  const [first = 0x80, second = 0x80] = digits;
  if (tag !== INTEGER || digits.length !== length || first >= 0x80) return undefined;
  // A leading zero only keeps the number positive.
  if (first === 0 && second < 0x80) return undefined;
  return { value: digits.reduce((value, digit) => (value << 8n) | BigInt(digit), 0n), end: at + 2 + length };
}
