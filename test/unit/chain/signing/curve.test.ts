import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { etc, Point, Signature, verify } from '@noble/secp256k1';
import fc from 'fast-check';
import { keccak256, recoverAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { CURVES, publicKeyInDer } from '../../../../src/chain/signing/curve.ts';
import { crc32c } from '../../../../src/chain/signing/gcp-kms.ts';
import { addressOfPublicKey } from '../../../../src/network/wallet.ts';
import { LONG } from '../../../form.ts';

/** `node:crypto` (OpenSSL) makes keys and signatures, so that no fault of the bundle's package is in both. */

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const { ethereum, solana } = CURVES;
const message = new TextEncoder().encode('the bytes of a transaction');
const der = (publicKey: KeyObject) => new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));

const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const publicKey = publicKeyInDer('ethereum', der(pair.publicKey)) as Uint8Array;
const verifyOwn = await ethereum.verifierOf(publicKey);
const address = addressOfPublicKey('ethereum', publicKey);

/** The private number, from the DER of RFC 5915. On a pair that was just made, the export as JWK can hang the whole process. */
const privateNumber = pair.privateKey.export({ type: 'sec1', format: 'der' }).subarray(7, 39);

/** Returns an ECDSA signature of these 32 bytes. OpenSSL cannot sign a digest, so this does it with the private number. */
async function signDigest(digest: Uint8Array): Promise<{ r: bigint; s: bigint }> {
  const { secp256k1 } = await import('@noble/curves/secp256k1');
  const { r, s } = secp256k1.sign(digest, privateNumber);
  return { r, s };
}

function integer(value: bigint): number[] {
  const digits = value.toString(16);
  const bytes = [...Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')];
  const positive = (bytes[0] ?? 0) >= 0x80 ? [0, ...bytes] : bytes;
  return [0x02, positive.length, ...positive];
}
const sequence = (...parts: number[][]) => {
  const content = parts.flat();
  return Uint8Array.of(0x30, content.length, ...content);
};
const encode = ({ r, s }: { r: bigint; s: bigint }) => sequence(integer(r), integer(s));
const found = await signDigest(ethereum.signedBytes(message));

describe('a signature on secp256k1', () => {
  it('gets its recovery bit, by which viem finds the same address, for many messages and both halves of s', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), async (bytes, isHigh) => {
        const { r, s } = await signDigest(ethereum.signedBytes(bytes));
        const sent = encode({ r, s: isHigh ? ORDER - s : s });
        const signature = (await verifyOwn(bytes, sent)) as Uint8Array;
        const hex = `0x${Buffer.from(signature).toString('hex')}` as const;
        expect(BigInt(hex.slice(0, 66))).toBe(r);
        expect(BigInt(`0x${hex.slice(66, 130)}`)).toBe(s);
        const viem = `${hex.slice(0, 130)}${signature[64] === 1 ? '1c' : '1b'}` as `0x${string}`;
        expect(await recoverAddress({ hash: keccak256(bytes), signature: viem })).toBe(address);
      }),
      { numRuns: LONG ? 10_000 : 300 },
    );
  }, 600_000);

  it('is refused for any other two numbers', async () => {
    const number = fc.bigInt({ min: 1n, max: ORDER - 1n });
    await fc.assert(
      fc.asyncProperty(number, number, async (r, s) => {
        for (const lie of [
          { r, s },
          { r, s: found.s },
          { r: found.r, s },
          { r: found.s, s: found.r },
        ])
          expect(await verifyOwn(message, encode(lie))).toBeUndefined();
      }),
      { numRuns: LONG ? 2_000 : 50 },
    );
  }, 600_000);

  it('is refused if its point has an x above the order, because Ethereum cannot express its parity', async () => {
    // No signer meets such a point, so this takes one, and finds the key by which it is a signature of the message.
    let k = 1n;
    const pointAbove = () => {
      try {
        return Point.fromHex(`02${(ORDER + k).toString(16)}`);
      } catch {
        return undefined;
      }
    };
    while (pointAbove() === undefined) k += 1n;
    const digest = ethereum.signedBytes(message);
    const s = 12_345n;
    const ofDigest = Point.BASE.multiply(BigInt(`0x${Buffer.from(digest).toString('hex')}`) % ORDER);
    const key = (pointAbove() as Point).multiply(s).subtract(ofDigest).multiply(etc.invert(k, ORDER)).toBytes(false);
    expect(verify(new Signature(k, s).toBytes(), digest, key, { prehash: false })).toBe(true);
    const verifyWithKey = await ethereum.verifierOf(key);
    expect(await verifyWithKey(message, encode({ r: k, s }))).toBeUndefined();
  });

  it('reads what OpenSSL signs over its own digest as a signature of another message', async () => {
    expect(await verifyOwn(message, new Uint8Array(sign('sha256', message, pair.privateKey)))).toBeUndefined();
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['a cut one', encode(found).slice(0, -1)],
    ['one with a byte behind it', Uint8Array.of(...encode(found), 0)],
    ['a raw one', new Uint8Array(64).fill(7)],
    ['a third number', sequence(integer(found.r), integer(found.s), integer(1n))],
    ['a zero before the number', sequence([0x02, 33, 0, ...integer(found.r >> 8n).slice(-32)], integer(found.s))],
    ['a negative number', sequence([0x02, 1, 0x80], integer(found.s))],
    ['r = 0', encode({ r: 0n, s: found.s })],
    ['s = 0', encode({ r: found.r, s: 0n })],
    ['r = the order', encode({ r: ORDER, s: found.s })],
    ['s above the order', encode({ r: found.r, s: ORDER + found.s })],
    ['an r that is on no point', encode({ r: 5n, s: found.s })],
    ['a number of 64 bytes', sequence(integer(2n ** 300n), integer(found.s))],
    ['a wrong s', encode({ r: found.r, s: found.s - 1n })],
  ])('is refused if it is %s', async (_, bytes) => {
    expect(await verifyOwn(message, bytes)).toBeUndefined();
  });

  it('is refused for another message and another key', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
    const verifyOther = await ethereum.verifierOf(publicKeyInDer('ethereum', der(other)) as Uint8Array);
    expect(await verifyOwn(message, encode(found))).toHaveLength(65);
    expect(await verifyOther(message, encode(found))).toBeUndefined();
    expect(await verifyOwn(Uint8Array.of(1, ...message), encode(found))).toBeUndefined();
  });
});

describe('a signature of Ed25519', () => {
  const own = generateKeyPairSync('ed25519');
  const verifierOf = (key: KeyObject) => solana.verifierOf(publicKeyInDer('solana', der(key)) as Uint8Array);
  const signature = new Uint8Array(sign(null, message, own.privateKey));

  it("counts if it is the key's for the message, and only then", async () => {
    expect(publicKeyInDer('solana', der(own.publicKey))).toEqual(der(own.publicKey).slice(-32));
    const verifyIt = await verifierOf(own.publicKey);
    expect(await verifyIt(message, signature)).toEqual(signature);
    expect(await verifyIt(Uint8Array.of(1, ...message), signature)).toBeUndefined();
    expect(await verifyIt(message, signature.slice(0, 63))).toBeUndefined();
    expect(await verifyIt(message, new Uint8Array(64))).toBeUndefined();
    const verifyOther = await verifierOf(generateKeyPairSync('ed25519').publicKey);
    expect(await verifyOther(message, signature)).toBeUndefined();
  });
});

it.each([
  ['of another curve', 'ec', { namedCurve: 'prime256v1' }],
  ['of RSA', 'rsa', { modulusLength: 2048 }],
  ['of the other chain', 'ed25519', {}],
])('a public key %s is none of Ethereum', (_, type, options) => {
  const { publicKey: strange } = generateKeyPairSync(type as 'ec', options as { namedCurve: string });
  expect(publicKeyInDer('ethereum', der(strange))).toBeUndefined();
  expect(publicKeyInDer('ethereum', der(pair.publicKey).slice(0, -1))).toBeUndefined();
  expect(
    publicKeyInDer('ethereum', der(pair.publicKey).with(-1, (der(pair.publicKey).at(-1) ?? 0) ^ 1)),
  ).toBeUndefined();
  expect(publicKeyInDer('solana', der(pair.publicKey))).toBeUndefined();
});

it('the checksum is CRC-32C (RFC 3720, appendix B.4)', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
});
