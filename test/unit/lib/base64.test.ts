import { base64, base64urlnopad } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from '../../../src/lib/bytes.ts';

const FORMS = [
  { name: 'base64', encode: encodeBase64, decode: decodeBase64, peer: base64 },
  { name: 'base64url', encode: encodeBase64Url, decode: decodeBase64Url, peer: base64urlnopad },
];

/** Returns the bytes as numbers, or undefined if the text is refused. */
function attempt(decode: (text: string) => Uint8Array, text: string): number[] | undefined {
  try {
    return [...decode(text)];
  } catch {
    return undefined;
  }
}

describe.each(FORMS)('$name', ({ encode, decode, peer }) => {
  it('agrees with @scure/base about random bytes, in both directions', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = peer.encode(bytes);
        expect(encode(bytes)).toBe(text);
        expect(decode(text)).toEqual(bytes);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('agrees with @scure/base about which texts it refuses', () => {
    const characters = fc.constantFrom(...'ABQgwxyz0189+/-_= \n\u00e9\u20ac');
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 9 }), (text) => {
        expect(attempt(decode, text)).toEqual(attempt(peer.decode, text));
      }),
      { seed: 1, numRuns: 3_000 },
    );
  });

  it('takes the empty text for no bytes, and encodes a part of a larger buffer', () => {
    expect(decode('')).toEqual(new Uint8Array());
    expect(encode(new Uint8Array())).toBe('');
    expect(encode(Uint8Array.of(9, 255, 254, 9).subarray(1, 3))).toBe(peer.encode(Uint8Array.of(255, 254)));
  });
});

describe('decodeBase64', () => {
  it.each`
    text           | fault
    ${'AA'}        | ${'no padding'}
    ${'AA='}       | ${'too little padding'}
    ${'AA==='}     | ${'too much padding'}
    ${'AAA=='}     | ${'too much padding for two bytes'}
    ${'AAAA===='}  | ${'padding alone'}
    ${'AB=='}      | ${'bits after the only byte'}
    ${'AAB='}      | ${'bits after the second byte'}
    ${'A'}         | ${'half a byte'}
    ${'AA==AA=='}  | ${'padding in the middle'}
    ${'AA A'}      | ${'white space'}
    ${'AAAA\n'}    | ${'a line break at the end'}
    ${'__-_'}      | ${'the alphabet of base64url'}
    ${'ÀÀÀÀ'}      | ${'other letters'}
    ${'\ud800AAA'} | ${'half a character'}
  `('refuses $fault', ({ text }) => {
    expect(() => decodeBase64(text)).toThrow();
  });
});

describe('decodeBase64Url', () => {
  it.each`
    text       | fault
    ${'AA=='}  | ${'padding'}
    ${'AB'}    | ${'bits after the only byte'}
    ${'AAB'}   | ${'bits after the second byte'}
    ${'AAAAA'} | ${'half a byte'}
    ${'//+/'}  | ${'the alphabet of base64'}
    ${'AA A'}  | ${'white space'}
    ${'€€€€'}  | ${'other characters'}
  `('refuses $fault', ({ text }) => {
    expect(() => decodeBase64Url(text)).toThrow();
  });
});
