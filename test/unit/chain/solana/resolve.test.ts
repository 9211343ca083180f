import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import type { JsonRpc } from '../../../../src/chain/json-rpc.ts';
import { BURN_TOKEN } from '../../../../src/chain/solana/gateway.ts';
import { resolveWith } from '../../../../src/chain/solana/resolve.ts';

/** The cost of transactions that a stranger fills with burns. */

const addressOf = (index: number) => {
  const bytes = new Uint8Array(32).fill(7);
  new DataView(bytes.buffer).setUint32(0, index);
  return base58.encode(bytes) as Address;
};
const PROGRAM = addressOf(1);
const BURNS = 25;

it('an interval with 100 transactions of 25 burns each asks for a bounded number of things', async () => {
  const asked: Record<string, number> = {};
  let characters = 0;
  const page = Array.from({ length: 1_000 }, (_, index) => ({
    signature: base58.encode(new Uint8Array(64).fill(index % 250)),
    slot: 5,
    err: null,
    memo: null,
    blockTime: 1_700_000_000,
    confirmationStatus: 'finalized',
  }));
  const pageText = JSON.stringify(page).length;
  const transactionOf = (index: number) => ({
    slot: 5,
    meta: { err: null, innerInstructions: [], loadedAddresses: null },
    transaction: {
      message: {
        accountKeys: [
          PROGRAM,
          addressOf(2),
          ...Array.from({ length: BURNS }, (_, at) => addressOf(1_000 + index * BURNS + at)),
        ],
        instructions: Array.from({ length: BURNS }, (_, at) => ({
          programIdIndex: 0,
          accounts: [at + 2, 1],
          data: base58.encode(new Uint8Array([BURN_TOKEN])),
        })),
      },
    },
  });
  const send: JsonRpc = async (calls) =>
    calls.map(({ method, params }) => {
      asked[method] = (asked[method] ?? 0) + 1;
      if (method === 'getSlot') return { result: 10 };
      if (method === 'getSignaturesForAddress') {
        characters += pageText;
        return { result: page };
      }
      if (method === 'getMultipleAccounts')
        return { result: { context: { slot: 10 }, value: (params[0] as string[]).map(() => null) } };
      const index = Number(String(params[0]).split('-')[1]);
      return { result: Number.isNaN(index) ? null : transactionOf(index) };
    });
  const transactions = Array.from({ length: 100 }, (_, index) => ({
    type: 'transaction' as const,
    transaction: `tx-${index}`,
    at: 5,
    contract: PROGRAM as string,
  }));
  const { resolved, unresolved } = await resolveWith(send, PROGRAM, transactions);
  expect(resolved).toEqual([]);
  expect(unresolved).toHaveLength(100 * BURNS);
  expect(asked.getSignaturesForAddress).toBe(20);
  expect(asked.getTransaction).toBeLessThanOrEqual(100 + 20 * 10);
  expect((asked.getSignaturesForAddress ?? 0) + (asked.getTransaction ?? 0)).toBeLessThan(1_500);
  // A Worker has 128 MB, and parsed JSON needs more than its text.
  expect(characters).toBeLessThan(20_000_000);
});
