import fc from 'fast-check';
import { getAddress, isAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { checksumAddress, isEthereumAddress } from '../../../src/network/wallet.ts';

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const);

describe('checksumAddress', () => {
  it("returns viem's checksum of random addresses, whatever the case", () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const checksummed = getAddress(address);
        const upper = `0x${address.slice(2).toUpperCase()}`;
        // The second time, it remembers the address.
        for (const each of [address, upper, checksummed, address]) expect(checksumAddress(each)).toBe(checksummed);
      }),
      { numRuns: 500 },
    );
  });

  it('returns the same after it has forgotten many addresses', () => {
    const addressOf = (number: number) => `0x${number.toString(16).padStart(40, 'a')}` as const;
    const numbers = Array.from({ length: 9_000 }, (_, number) => number);
    const first = numbers.map((number) => checksumAddress(addressOf(number)));
    expect(first).toEqual(numbers.map((number) => getAddress(addressOf(number))));
    expect(checksumAddress(addressOf(0))).toBe(first[0]);
  });

  it.each([
    '',
    '0x',
    `0x${'0'.repeat(39)}`,
    `0x${'0'.repeat(41)}`,
    `0X${'0'.repeat(40)}`,
    `0x${'g'.repeat(40)}`,
    `0x${'0'.repeat(40)}\n`,
  ])('refuses %j, as viem does', (text) => {
    expect(isEthereumAddress(text)).toBe(false);
    expect(isAddress(text, { strict: false })).toBe(false);
    expect(() => checksumAddress(text)).toThrow();
  });
});
