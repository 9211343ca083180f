import { AccountRole, type Address, type Blockhash } from '@solana/kit';
import {
  type AccountMeta,
  ComputeBudgetProgram,
  MessageV0,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { transactionOf } from '../../../../src/chain/solana/transaction.ts';
import { LONG } from '../../../form.ts';

/** Compares our transactions with those that `@solana/web3.js` builds from the same input. */

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => new PublicKey(bytes).toBase58() as Address);
const role = fc.constantFrom(
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER,
);

/** Random instructions. They use few addresses, so that some of them, also the payer, occur several times. */
const made = fc.uniqueArray(address, { minLength: 3, maxLength: 20 }).chain(([payer, programAddress, ...others]) =>
  fc.record({
    payer: fc.constant(payer as Address),
    programAddress: fc.constant(programAddress as Address),
    accounts: fc.array(fc.record({ address: fc.constantFrom(payer as Address, ...others), role }), { maxLength: 30 }),
    data: fc.uint8Array({ maxLength: 300 }),
    blockhash: address,
    lastValidBlockHeight: fc.bigInt(0n, 2n ** 63n),
    units: fc.nat(240_000),
    unitPrice: fc.oneof(fc.constant(0n), fc.bigInt(1n, 2n ** 63n)),
  }),
);
type Made = typeof made extends fc.Arbitrary<infer T> ? T : never;

const lifetimeOf = ({ blockhash, lastValidBlockHeight }: Made) => ({
  blockhash: blockhash as string as Blockhash,
  lastValidBlockHeight,
});

function ours(it: Made) {
  const { payer, programAddress, accounts, data, units, unitPrice } = it;
  return transactionOf({ programAddress, accounts, data }, payer, { unitPrice, lifetime: lifetimeOf(it) }, units);
}

function theirs({ payer, programAddress, accounts, data, blockhash, units, unitPrice }: Made): MessageV0 {
  const keys = accounts.map(
    ({ address, role }): AccountMeta => ({
      pubkey: new PublicKey(address),
      isSigner: role === AccountRole.READONLY_SIGNER || role === AccountRole.WRITABLE_SIGNER,
      isWritable: role === AccountRole.WRITABLE || role === AccountRole.WRITABLE_SIGNER,
    }),
  );
  return new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units }),
      ...(unitPrice === 0n ? [] : [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: unitPrice })]),
      new TransactionInstruction({ programId: new PublicKey(programAddress), keys, data: Buffer.from(data) }),
    ],
  }).compileToV0Message();
}

/** Returns the meaning of a message. The order of the accounts is free within each kind of accounts. */
function meaningOf(message: MessageV0) {
  const { header, staticAccountKeys, recentBlockhash, addressTableLookups, compiledInstructions } = message;
  const keyAt = (index: number) => staticAccountKeys[index]?.toBase58();
  const accounts = staticAccountKeys.map((key, index) => ({
    key: key.toBase58(),
    isSigner: message.isAccountSigner(index),
    isWritable: message.isAccountWritable(index),
  }));
  return {
    header,
    recentBlockhash,
    addressTableLookups,
    payer: keyAt(0),
    accounts: accounts.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    calls: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: keyAt(programIdIndex),
      accounts: accountKeyIndexes.map(keyAt),
      data: [...data],
    })),
  };
}

it('compiles a transaction with the same meaning and length as the independent client', () => {
  fc.assert(
    fc.property(made, (it) => {
      const [own, other] = [ours(it), theirs(it)];
      const bytes = Uint8Array.from(own.messageBytes);
      expect(meaningOf(MessageV0.deserialize(bytes))).toEqual(meaningOf(other));
      expect(bytes.length).toBe(lengthOf(it, other));
      expect(own).toMatchObject({ signatures: { [it.payer]: null }, lifetimeConstraint: lifetimeOf(it) });
    }),
    { numRuns: LONG ? 500 : 100 },
  );
});

/** Returns the length of a message by the layout of version 0. web3.js itself refuses messages larger than a packet. */
function lengthOf({ accounts, data, unitPrice }: Made, { staticAccountKeys }: MessageV0): number {
  const calls = [1 + 1 + 1 + 5, ...(unitPrice === 0n ? [] : [1 + 1 + 1 + 9])];
  const call = 1 + 1 + accounts.length + (data.length < 128 ? 1 : 2) + data.length;
  const head = 1 + 3 + 1 + 32 * staticAccountKeys.length + 32 + 1;
  return head + calls.reduce((sum, length) => sum + length, call) + 1;
}
