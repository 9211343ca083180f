import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressBytes } from '../../../../src/chain/solana/address-bytes.ts';
import { transactionOf } from '../../../../src/chain/solana/transaction.ts';

/** What we put together is what kit compiles. */

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new PublicKey(bytes).toBase58() as Address);
const role = fc.constantFrom(
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
);

/** Any instruction, of so few addresses that some are there several times, and the payer among them. */
const made = fc.uniqueArray(address, { minLength: 3, maxLength: 20 }).chain(([payer, programAddress, ...others]) =>
  fc.record({
    payer: fc.constant(payer as Address),
    programAddress: fc.constant(programAddress as Address),
    accounts: fc.array(fc.record({ address: fc.constantFrom(payer as Address, ...others), role }), { maxLength: 30 }),
    data: fc.uint8Array({ maxLength: 300 }),
    blockhash: address,
    lastValidBlockHeight: fc.nat(),
    units: fc.nat(240_000),
    unitPrice: fc.oneof(fc.constant(0n), fc.bigInt(1n, 2n ** 63n)),
  }),
);
type Made = typeof made extends fc.Arbitrary<infer T> ? T : never;

function ours({ payer, programAddress, accounts, data, blockhash, lastValidBlockHeight, units, unitPrice }: Made) {
  const terms = { fees: { unitPrice: String(unitPrice) }, lifetime: { blockhash, lastValidBlockHeight } };
  return transactionOf({ programAddress, accounts, data }, payer, terms, units);
}

const lifetimeOf = ({ blockhash, lastValidBlockHeight }: Made) => ({
  blockhash: blockhash as string as Blockhash,
  lastValidBlockHeight: BigInt(lastValidBlockHeight),
});

function theirs(it: Made): Transaction {
  const { payer, programAddress, accounts, data, units, unitPrice } = it;
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetimeOf(it), message),
      (message) => setTransactionMessageComputeUnitLimit(units, message),
      (message) => setTransactionMessageComputeUnitPrice(unitPrice === 0n ? undefined : unitPrice, message),
      (message) => appendTransactionMessageInstruction({ programAddress, accounts, data }, message),
    ),
  );
}

/** What the bytes mean: within a kind of accounts their order is free, and kit sorts them. */
function meaningOf({ messageBytes }: Transaction) {
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { header, version, staticAccounts } = compiled;
  return {
    header,
    version,
    accounts: [...staticAccounts].sort(),
    means: decompileTransactionMessage(compiled as never),
  };
}

it('means what the one that kit compiles means, and is as long', () => {
  fc.assert(
    fc.property(made, (it) => {
      const [own, kits] = [ours(it), theirs(it)];
      expect(meaningOf(own)).toEqual(meaningOf(kits));
      expect(own.messageBytes.length).toBe(kits.messageBytes.length);
      expect(own).toMatchObject({ signatures: { [it.payer]: null }, lifetimeConstraint: lifetimeOf(it) });
    }),
    { numRuns: 500 },
  );
});

it('has the bytes of more addresses than are remembered, in any order', () => {
  const addresses = fc.sample(address, { numRuns: 1_500, seed: 1 });
  for (const each of [...addresses, ...addresses.toReversed()]) {
    expect([...addressBytes(each)]).toEqual([...new PublicKey(each).toBytes()]);
  }
});

it.each(['1'.repeat(31), '1'.repeat(33), 'rubbish0'])('takes no %s for an address', (text) => {
  expect(() => addressBytes(text as Address)).toThrow();
});
