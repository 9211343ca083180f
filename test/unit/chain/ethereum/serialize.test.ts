import fc from 'fast-check';
import type { Hex, TransactionSerializable } from 'viem';
import { bytesToHex, parseTransaction, serializeTransaction } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { parseSerialized, serialize } from '../../../../src/chain/ethereum/serialize.ts';
import { NETWORKS } from '../../../../src/network/networks.ts';

/** Compares the bytes with viem's. */

const hex = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => bytesToHex(bytes));
const wei = fc.oneof(fc.bigInt(0n, 2n ** 16n), fc.bigInt(0n, 2n ** 90n));
const chainId = fc.constantFrom(
  ...NETWORKS.flatMap((network) => (network.chain === 'ethereum' ? [network.chainId] : [])),
);
const call = {
  chainId,
  nonce: fc.oneof(fc.nat(300), fc.nat()),
  gas: fc.bigInt(0n, 2n ** 40n),
  to: fc.option(hex(20), { nil: undefined }),
  value: fc.option(wei, { nil: undefined }),
  data: fc.option(hex(0, 100), { nil: undefined }),
};

const transactions: fc.Arbitrary<TransactionSerializable> = fc.oneof(
  fc.record({ ...call, type: fc.constant('legacy' as const), gasPrice: wei }),
  fc
    .record({ ...call, type: fc.constant('eip1559' as const), tip: wei, more: wei })
    .map(({ tip, more, ...rest }) => ({ ...rest, maxPriorityFeePerGas: tip, maxFeePerGas: tip + more })),
);

/** Some parts begin with zeros. */
const part = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(31))
  .map(([bytes, zeros]) => (zeros > 2 ? bytes : bytes.fill(0, 0, zeros)))
  .filter((bytes) => bytes.some(Boolean));
const signatures = fc.record({ r: part, s: part, yParity: fc.constantFrom(0, 1) });

const lowerCase = (address: string | null | undefined) => address?.toLowerCase();

describe('serialize', () => {
  it('returns the bytes of viem, unsigned and signed', () => {
    fc.assert(
      fc.property(transactions, signatures, (transaction, { r, s, yParity }) => {
        expect(serialize(transaction)).toBe(serializeTransaction(transaction));
        const signature = { r: bytesToHex(r), s: bytesToHex(s), v: BigInt(27 + yParity), yParity };
        const bytes = serialize(transaction, Uint8Array.of(...r, ...s, yParity));
        expect(bytes).toBe(serializeTransaction(transaction, signature));
      }),
      { numRuns: 2_000 },
    );
  });

  it('throws for another type of transaction', () => {
    expect(() => serialize({ type: 'eip2930', chainId: 1 })).toThrow('eip2930');
  });
});

describe('parseSerialized', () => {
  it('returns the fields of viem for a call without value, and undefined for anything else', () => {
    fc.assert(
      fc.property(transactions, signatures, (transaction, { r, s, yParity }) => {
        const bytes = serialize(transaction, Uint8Array.of(...r, ...s, yParity));
        const { to, value, data, gas = 0n, nonce = 0, gasPrice, ...price } = parseTransaction(bytes as Hex);
        const expected = {
          ...(data && { data }),
          to: lowerCase(to),
          gas,
          nonce,
          fee: gasPrice ?? price.maxFeePerGas ?? 0n,
          tip: gasPrice ?? price.maxPriorityFeePerGas ?? 0n,
        };
        expect(parseSerialized(bytes)).toEqual(to && !value ? expected : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns undefined for a call with an access list', () => {
    const accessList = [{ address: `0x${'11'.repeat(20)}`, storageKeys: [] }] as const;
    const to = `0x${'22'.repeat(20)}` as const;
    const one = `0x${'01'.repeat(32)}` as const;
    const bytes = serializeTransaction({ type: 'eip1559', chainId: 1, to, accessList }, { r: one, s: one, yParity: 0 });
    expect(parseSerialized(bytes)).toBeUndefined();
    expect(
      parseSerialized(serializeTransaction({ type: 'eip1559', chainId: 1, to }, { r: one, s: one, yParity: 0 })),
    ).toBeDefined();
  });
});
