import fc from 'fast-check';
import * as viem from 'viem/utils';
import { expect, it } from 'vitest';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from '../../../src/lib/bytes.ts';

it('hashes and converts random bytes as viem does, also from hexadecimal text with half a byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.boolean(), (bytes, isHalf) => {
      const hex = bytesToHex(bytes);
      expect(hex).toBe(viem.bytesToHex(bytes));
      expect(bytesToHex(keccak256(bytes))).toBe(viem.keccak256(bytes));
      const text = (isHalf ? hex.slice(0, -1) : hex).padEnd(2, 'x') as Hex;
      expect(hexToBytes(text)).toEqual(viem.hexToBytes(text));
      expect(bytesToHex(keccak256(text))).toBe(viem.keccak256(text));
    }),
    { numRuns: 500 },
  );
});

it('has the known hash of no bytes, which differs from SHA3-256', () => {
  expect(bytesToHex(keccak256('0x'))).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
});

it.each(['0xzz', '0x0g', '0x 1'] as const)('refuses %s', (text) => {
  expect(() => hexToBytes(text)).toThrow();
});
