import fc from 'fast-check';
import type { Hex, TransactionSerializable } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { type EthereumTransaction, parseSigned, signBytes } from '../../../../src/chain/ethereum/transaction-bytes.ts';
import { ethereumSecret } from '../../../../src/chain/signing/signing-key.ts';
import { secret } from '../../../../src/lib/secret.ts';

/** viem encodes and signs the same transactions independently. */

const KEY = '0x0123456789012345678901234567890123456789012345678901234567890123';
const account = privateKeyToAccount(KEY);
const key = ethereumSecret(account.address, secret(KEY));

/** A node may quote 0, and the encoding leaves a 0 out. */
const wei = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 90n }));
const hex = (length: object) => fc.uint8Array(length).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex);
const unsigned = fc.record({
  to: hex({ minLength: 20, maxLength: 20 }),
  data: fc.option(hex({ minLength: 1, maxLength: 300 }), { nil: undefined }),
  gas: fc.bigInt({ min: 1n, max: 2n ** 32n }),
  nonce: fc.oneof(fc.constant(0), fc.nat()),
});
const chainId = fc.integer({ min: 1, max: 2 ** 32 });
const transactions: fc.Arbitrary<EthereumTransaction> = fc.oneof(
  fc
    .tuple(unsigned, chainId, wei)
    .map(([call, chain, gasPrice]) => ({ ...call, chainId: chain, type: 'legacy' as const, gasPrice })),
  fc.tuple(unsigned, chainId, wei, fc.bigInt({ min: 0n, max: 100n })).map(([call, chain, fee, share]) => ({
    ...call,
    chainId: chain,
    type: 'eip1559' as const,
    maxFeePerGas: fee,
    maxPriorityFeePerGas: (fee * share) / 100n,
  })),
);

it('signs random transactions of both types as viem does, and reads them back', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (transaction) => {
      const bytes = await signBytes(key, transaction);
      expect(bytes).toBe(await account.signTransaction(transaction as TransactionSerializable));
      const { to, data, gas, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction;
      expect(parseSigned(bytes)).toEqual({
        unsigned: { to, data, gas, nonce },
        price: { fee: gasPrice ?? maxFeePerGas, tip: gasPrice ?? maxPriorityFeePerGas },
      });
    }),
    { numRuns: 500 },
  );
});

it("sends along the value of an operator's transfer", async () => {
  const transfer = {
    to: account.address,
    value: 5n,
    gas: 21_000n,
    nonce: 0,
    chainId: 1,
    type: 'legacy',
    gasPrice: 1n,
  } as const;
  expect(await signBytes(key, transfer)).toBe(await account.signTransaction(transfer));
  expect(parseSigned(await signBytes(key, transfer))).toBeUndefined();
});

it.each([
  ['no transaction', '0x'],
  ['a type that the service does not sign', '0x01c0'],
  ['a list without fields', '0xc0'],
  ['a transaction without fields', '0x02c0'],
])('reads nothing from %s', (_, bytes) => {
  expect(parseSigned(bytes)).toBeUndefined();
});
