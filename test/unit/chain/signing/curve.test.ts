import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { keccak256, recoverAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../../../src/chain/signing/crc32c.ts';
import { addressOfDer, CURVES } from '../../../../src/chain/signing/curve.ts';

/** `node:crypto` (OpenSSL) makes keys and signatures, so that no fault of the bundle's package is in both. */

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const { ethereum, solana } = CURVES;
const message = new TextEncoder().encode('the bytes of a transaction');
const der = (publicKey: KeyObject) => new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));

const pair = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const address = addressOfDer(ethereum, der(pair.publicKey)) as string;

/** Returns an ECDSA signature of these 32 bytes in DER. OpenSSL cannot sign a digest, so this does it with the private number. */
const { d } = pair.privateKey.export({ format: 'jwk' });
async function signDigest(digest: Uint8Array): Promise<{ r: bigint; s: bigint }> {
  const { secp256k1 } = await import('@noble/curves/secp256k1');
  const { r, s } = secp256k1.sign(digest, Buffer.from(d ?? '', 'base64url'));
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
  it('gets its recovery bit, by which viem finds the same address, for 300 messages and both halves of s', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), async (bytes, isHigh) => {
        const { r, s } = await signDigest(ethereum.signedBytes(bytes));
        const sent = encode({ r, s: isHigh ? ORDER - s : s });
        const signature = (await ethereum.verify(bytes, sent, address)) as Uint8Array;
        const hex = `0x${Buffer.from(signature).toString('hex')}` as const;
        expect(BigInt(`0x${hex.slice(66, 130)}`)).toBeLessThanOrEqual(ORDER >> 1n);
        const viem = `${hex.slice(0, 130)}${signature[64] === 1 ? '1c' : '1b'}` as `0x${string}`;
        expect(await recoverAddress({ hash: keccak256(bytes), signature: viem })).toBe(address);
      }),
      { numRuns: 300 },
    );
  });

  it('reads what OpenSSL signs over its own digest as a signature of another message', async () => {
    expect(
      await ethereum.verify(message, new Uint8Array(sign('sha256', message, pair.privateKey)), address),
    ).toBeUndefined();
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
    expect(await ethereum.verify(message, bytes, address)).toBeUndefined();
  });

  it('is refused for another message and another key', async () => {
    const other = addressOfDer(
      ethereum,
      der(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey),
    ) as string;
    expect(await ethereum.verify(message, encode(found), address)).toHaveLength(65);
    expect(await ethereum.verify(message, encode(found), other)).toBeUndefined();
    expect(await ethereum.verify(Uint8Array.of(1, ...message), encode(found), address)).toBeUndefined();
  });
});

describe('a signature of Ed25519', () => {
  const own = generateKeyPairSync('ed25519');
  const base = addressOfDer(solana, der(own.publicKey)) as string;
  const signature = new Uint8Array(sign(null, message, own.privateKey));

  it("counts if it is the key's for the message, and only then", async () => {
    expect(base58.decode(base)).toEqual(der(own.publicKey).slice(-32));
    expect(await solana.verify(message, signature, base)).toEqual(signature);
    expect(await solana.verify(Uint8Array.of(1, ...message), signature, base)).toBeUndefined();
    expect(await solana.verify(message, signature.slice(0, 63), base)).toBeUndefined();
    expect(await solana.verify(message, new Uint8Array(64), base)).toBeUndefined();
    const other = addressOfDer(solana, der(generateKeyPairSync('ed25519').publicKey)) as string;
    expect(await solana.verify(message, signature, other)).toBeUndefined();
  });
});

it.each([
  ['of another curve', 'ec', { namedCurve: 'prime256v1' }],
  ['of RSA', 'rsa', { modulusLength: 2048 }],
  ['of the other chain', 'ed25519', {}],
])('a public key %s has no address on Ethereum', (_, type, options) => {
  const { publicKey } = generateKeyPairSync(type as 'ec', options as { namedCurve: string });
  expect(addressOfDer(ethereum, der(publicKey))).toBeUndefined();
  expect(addressOfDer(ethereum, der(pair.publicKey).slice(0, -1))).toBeUndefined();
  expect(addressOfDer(solana, der(pair.publicKey))).toBeUndefined();
});

it('the checksum is CRC-32C (RFC 3720, appendix B.4)', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
});
