import { base58 } from '@scure/base';
import fc from 'fast-check';
import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { canonicalWallet } from '../../../../packages/cli/src/csv/wallet.ts';
import * as service from '../../../../src/network/wallet.ts';

/** The command checks wallets by the rules of the service. */

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(20).map((each) => `0x${Buffer.from(each).toString('hex')}`);
const toggled = fc.tuple(address, fc.nat(41)).map(([text, at]) => {
  const letter = getAddress(text)[at] ?? '';
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return getAddress(text).slice(0, at) + other + getAddress(text).slice(at + 1);
});
const wallet = fc.oneof(
  address,
  address.map((text) => getAddress(text)),
  address.map((text) => `0x${text.slice(2).toUpperCase()}`),
  toggled,
  fc.integer({ min: 30, max: 34 }).chain(bytes).map(base58.encode),
  fc.constantFrom('', '0x', `0x${'0'.repeat(40)}`, 'vitalik.eth', '1'.repeat(32), '1'.repeat(45)),
  fc.string(),
);

it.each(['ethereum', 'solana'] as const)('accepts the same wallets of %s as the service, in the same form', (chain) => {
  fc.assert(
    fc.property(wallet, (text) => {
      expect(canonicalWallet(chain, text)).toBe(service.canonicalWallet(chain, text));
    }),
    { numRuns: 2_000 },
  );
});
