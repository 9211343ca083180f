import { address } from '@solana/kit';
import { expect, it } from 'vitest';
import { createChain } from '../../../../../../tools/localnet/solana/chain/blocks.ts';
import {
  bankOf,
  type Ledger,
  landTransaction,
  makeBlock,
  setAccount,
} from '../../../../../../tools/localnet/solana/chain/ledger.ts';
import type { Account, Runtime } from '../../../../../../tools/localnet/solana/runtime/runtime.ts';

const SOMEBODY = address('AU4ACdWTFMBL5uJw1H6TFvRxnN2XKGN5tF45PjLGTzkW');
const DEPTHS = { processed: 0, confirmed: 1, finalized: 32 };
const anAccount = (lamports: number): Account => ({
  lamports: BigInt(lamports),
  data: new Uint8Array(),
  owner: address('11111111111111111111111111111111'),
  executable: false,
});
const runtime: Runtime = {
  run() {
    throw new Error('this test sends no transaction');
  },
};

function aLedger(): Ledger {
  const chain = createChain(DEPTHS, { slot: 1000, height: 900 });
  return {
    runtime,
    chain,
    accounts: new Map(),
    waiting: new Map(),
    landed: new Map(),
    lamportsPerByte: 6_960n,
    changes: 0,
  };
}

/** Makes a block in which a payment sets the account's lamports. */
function pay(ledger: Ledger, lamports: number): void {
  makeBlock(ledger);
  const what = { error: undefined, addresses: [SOMEBODY], wire: new Uint8Array() };
  landTransaction(ledger, `payment ${lamports}`, what, new Map([[SOMEBODY, anAccount(lamports)]]));
}

it('keeps only the blocks and account versions that a request can read', () => {
  const ledger = aLedger();
  for (let block = 1; block <= 2000; block++) pay(ledger, block);
  expect(ledger.chain.blocks.length).toBeLessThanOrEqual(512);
  // One version for each block that is not final, and the final version.
  expect(ledger.accounts.get(SOMEBODY)?.length).toBeLessThanOrEqual(DEPTHS.finalized + 2);
});

it('returns the state of an account in each block', () => {
  const ledger = aLedger();
  for (let block = 1; block <= 40; block++) pay(ledger, block);
  const [oldest, newest] = [ledger.chain.root, ledger.chain.blocks.at(-1)];
  expect(bankOf(ledger, oldest).account(SOMEBODY)?.lamports).toBe(8n);
  expect(newest && bankOf(ledger, newest).account(SOMEBODY)?.lamports).toBe(40n);
});

it('remembers the removal of an account', () => {
  const ledger = aLedger();
  pay(ledger, 1);
  setAccount(ledger, SOMEBODY, undefined);
  for (let block = 0; block < 50; block++) makeBlock(ledger);
  expect(bankOf(ledger, ledger.chain.root).account(SOMEBODY)).toBeUndefined();
  expect(ledger.accounts.has(SOMEBODY)).toBe(true);
});

it('forgets the oldest transactions when it has more than 20,000', () => {
  const ledger = aLedger();
  for (let number = 0; number < 20_100; number++) {
    landTransaction(ledger, String(number), { error: undefined, addresses: [], wire: new Uint8Array() }, new Map());
  }
  expect(ledger.landed.size).toBe(20_000);
  expect(ledger.landed.has('99')).toBe(false);
  expect(ledger.landed.has('100')).toBe(true);
});
