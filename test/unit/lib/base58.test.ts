import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../../src/lib/bytes.ts';

describe('base58', () => {
  it('agrees with @scure/base about random bytes with zeros at their beginning, in both directions', () => {
    const bytesWithZeros = fc
      .tuple(fc.nat(5), fc.uint8Array({ maxLength: 80 }))
      .map(([zeros, bytes]) => Uint8Array.of(...new Uint8Array(zeros), ...bytes));
    fc.assert(
      fc.property(bytesWithZeros, (bytes) => {
        const text = base58.encode(bytes);
        expect(encodeBase58(bytes)).toBe(text);
        expect(decodeBase58(text)).toEqual(bytes);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it.each`
    text                                  | bytes
    ${''}                                 | ${[]}
    ${'1'}                                | ${[0]}
    ${'111'}                              | ${[0, 0, 0]}
    ${'112'}                              | ${[0, 0, 1]}
    ${'21'}                               | ${[58]}
    ${'5Q'}                               | ${[255]}
    ${'11111111111111111111111111111111'} | ${Array(32).fill(0)}
  `('reads $text as $bytes, and writes it', ({ text, bytes }) => {
    expect([...decodeBase58(text)]).toEqual(bytes);
    expect(encodeBase58(Uint8Array.from(bytes))).toBe(text);
  });

  it.each([
    '0',
    'O',
    'I',
    'l',
    '10',
    '2l',
    ' 2',
    '2 ',
    '2\n',
    '\n2',
    '1\n2',
    '+',
    '²',
    '２',
    'ä',
    '😀',
    '\ud800',
    '2\u0000',
  ])('refuses a text with another character than the alphabet has: %j', (text) => {
    expect(() => decodeBase58(text)).toThrow();
    expect(() => base58.decode(text)).toThrow();
  });

  it('refuses a long text without decoding it', () => {
    expect(decodeBase58('1'.repeat(128))).toEqual(new Uint8Array(128));
    expect(() => decodeBase58('z'.repeat(2_000_000))).toThrow('too long');
  });

  it('encodes a part of a larger buffer', () => {
    expect(encodeBase58(Uint8Array.of(9, 0, 1, 9).subarray(1, 3))).toBe('12');
  });
});
