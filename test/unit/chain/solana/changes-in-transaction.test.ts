import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { changesIn } from '../../../../src/chain/solana/changes-in-transaction.ts';
import type { WireTransaction } from '../../../../src/chain/solana/wire-transaction.ts';

/** The instructions of the program in a transaction as `getTransaction` returns it. */

const PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';
const addressOf = (number: number) => base58.encode(new Uint8Array(32).fill(number)) as Address;
const [PAYER, TOKEN, OWNER, MEMBERSHIP, GATEKEEPER] = [
  addressOf(1),
  addressOf(2),
  addressOf(3),
  addressOf(4),
  addressOf(5),
];
const [NETWORK, RENT, SYSTEM, OTHER] = [addressOf(6), addressOf(7), addressOf(0), addressOf(9)];

const KEYS = [PAYER, TOKEN, OWNER, MEMBERSHIP, GATEKEEPER, NETWORK, RENT, SYSTEM, PROGRAM as Address, OTHER];
const instruction = (accounts: readonly Address[], data: readonly number[], keys = KEYS, program = PROGRAM) => ({
  programIdIndex: keys.indexOf(program as Address),
  accounts: accounts.map((each) => keys.indexOf(each)),
  data: base58.encode(Uint8Array.from(data)),
});

const ISSUE_ACCOUNTS = [PAYER, TOKEN, OWNER, MEMBERSHIP, GATEKEEPER, NETWORK, RENT, SYSTEM];
const CHANGE_ACCOUNTS = [TOKEN, GATEKEEPER, MEMBERSHIP];

function transactionOf(
  instructions: readonly ReturnType<typeof instruction>[],
  meta: Partial<NonNullable<WireTransaction['meta']>> = {},
  accountKeys = KEYS,
): WireTransaction {
  return { slot: 5, meta: { err: null, ...meta }, transaction: { message: { accountKeys, instructions } } };
}

const holder = { wallet: OWNER, gatekeeperNetwork: NETWORK };
const change = (name: string) => ({ change: name, token: TOKEN, gatekeeper: GATEKEEPER });
const read = (transaction: WireTransaction) => changesIn(transaction, PROGRAM);

describe('changesIn', () => {
  it.each([
    ['TOKEN_UNFROZEN', [2, 0]],
    ['TOKEN_FROZEN', [2, 1]],
    ['TOKEN_REVOKED', [2, 2]],
    ['TOKEN_EXPIRY_CHANGED', [3, 0, 179, 63, 113, 0, 0, 0, 0]],
    ['TOKEN_REVOKED', [8]],
  ])('reads %s from %j', (name, data) => {
    expect(read(transactionOf([instruction(CHANGE_ACCOUNTS, data)]))).toEqual({ changes: [change(name)] });
  });

  it.each([
    ['with the unused field', [7, 1, ...Array(8).fill(0)]],
    ['without it', [7, 0]],
  ])('reads a new expiry, by no gatekeeper, from ExpireToken %s', (_, data) => {
    const expired = instruction([TOKEN, OWNER, OTHER], [...data, ...Array(32).fill(6)]);
    const changes = [{ change: 'TOKEN_EXPIRY_CHANGED', token: TOKEN, gatekeeper: undefined }];
    expect(read(transactionOf([expired]))).toEqual({ changes });
  });

  it.each(['legacy', 0, 1] as const)('reads version %s', (version) => {
    const transaction = transactionOf([instruction(CHANGE_ACCOUNTS, [2, 2])]);
    expect(read({ ...transaction, version })).toEqual({ changes: [change('TOKEN_REVOKED')] });
  });

  it('reads an issuance with its owner', () => {
    const issued = transactionOf([instruction(ISSUE_ACCOUNTS, [1, 0, 0])]);
    expect(read(issued)).toEqual({ changes: [{ ...change('TOKEN_ISSUED'), holder }] });
  });

  it('reads several instructions in order, and leaves out other programs and instructions that change no token', () => {
    const several = transactionOf([
      instruction(ISSUE_ACCOUNTS, [1, 0, 0]),
      instruction(CHANGE_ACCOUNTS, [2, 1], KEYS, SYSTEM),
      ...[[0], [4], [5, 0], [6, 0]].map((data) => instruction(CHANGE_ACCOUNTS, data)),
      instruction(CHANGE_ACCOUNTS, [2, 2]),
    ]);
    const changes = [{ ...change('TOKEN_ISSUED'), holder }, change('TOKEN_REVOKED')];
    expect(read(several)).toEqual({ changes });
  });

  it.each([
    ['with an unknown tag', instruction(CHANGE_ACCOUNTS, [9, 1])],
    ['that sets an unknown state', instruction(CHANGE_ACCOUNTS, [2, 7])],
    ['without its accounts', instruction([], [2, 1])],
    ['without data', instruction(CHANGE_ACCOUNTS, [])],
    [
      'that is longer than any of the program',
      { ...instruction(CHANGE_ACCOUNTS, [2, 1]), data: 'z'.repeat(2_000_000) },
    ],
  ])('reads the other changes, and that it cannot read an instruction %s', (_, unknown) => {
    const both = transactionOf([unknown, instruction(CHANGE_ACCOUNTS, [2, 2])]);
    expect(read(both)).toEqual({
      changes: [change('TOKEN_REVOKED')],
      unread: expect.stringMatching(/^instruction .* of the program is unknown$/),
    });
  });

  it('reads what another program made the program do', () => {
    const innerInstructions = [{ instructions: [instruction(CHANGE_ACCOUNTS, [2, 2])] }];
    const wrapped = transactionOf([instruction([TOKEN], [99], KEYS, OTHER)], { innerInstructions });
    expect(read(wrapped)).toEqual({ changes: [change('TOKEN_REVOKED')] });
  });

  it.each([null, undefined])('does not read what other programs did if the node shows %s of their calls', (inner) => {
    const own = instruction(CHANGE_ACCOUNTS, [2, 1]);
    const meta = inner === undefined ? {} : { innerInstructions: inner };
    const hidden = { unread: 'the node does not show the calls of other programs' };
    expect(read(transactionOf([own, instruction([TOKEN], [99], KEYS, OTHER)], meta))).toMatchObject(hidden);
    expect(read(transactionOf([own, instruction([], [2], KEYS, SYSTEM)], meta))).toEqual({
      changes: [change('TOKEN_FROZEN')],
    });
  });

  it('finds accounts that the transaction names by lookup tables', () => {
    const own = [PAYER, PROGRAM as Address, OTHER];
    const loadedAddresses = { writable: [TOKEN], readonly: [GATEKEEPER, MEMBERSHIP] };
    const all = [...own, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const versioned = transactionOf([instruction(CHANGE_ACCOUNTS, [2, 1], all)], { loadedAddresses }, own);
    expect(read(versioned)).toEqual({ changes: [change('TOKEN_FROZEN')] });
    const { loadedAddresses: _, ...without } = versioned.meta ?? { err: null };
    expect(() => read({ ...versioned, meta: without })).toThrow('an account that the node does not show');
  });

  it('reads nothing of a failed transaction', () => {
    const instructions = [instruction(CHANGE_ACCOUNTS, [2, 1]), instruction(CHANGE_ACCOUNTS, [99])];
    for (const err of [{ InstructionError: [0, { Custom: 5 }] }, 'InsufficientFundsForFee'])
      expect(read(transactionOf(instructions, { err }))).toEqual({ changes: [] });
  });

  it.each([
    ['no result', { meta: null }, 'the node does not show its result'],
    ['a result without an error', { meta: {} as never }, 'the node does not show its result'],
    ['version 2', { version: 2 }, 'it has version 2'],
    ['version 255', { version: 255 }, 'it has version 255'],
    ['a text as its version', { version: 'newest' as never }, 'it has version newest'],
  ])('does not read a transaction of which the node shows %s', (_, shown, unread) => {
    const transaction = transactionOf([instruction(CHANGE_ACCOUNTS, [2, 1])]);
    expect(read({ ...transaction, ...shown })).toEqual({ changes: [], unread });
  });
});
