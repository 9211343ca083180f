import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { changesIn, type WireTransaction } from '../../../../src/chain/solana/changes-in-transaction.ts';

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
const [NETWORK, RENT, SYSTEM, OTHER] = [addressOf(6), addressOf(7), addressOf(8), addressOf(9)];

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

describe('changesIn', () => {
  it.each([
    ['TOKEN_UNFROZEN', [2, 0]],
    ['TOKEN_FROZEN', [2, 1]],
    ['TOKEN_REVOKED', [2, 2]],
    ['TOKEN_EXPIRY_CHANGED', [3, 0, 179, 63, 113, 0, 0, 0, 0]],
    ['TOKEN_REVOKED', [8]],
  ])('reads %s from %j', (name, data) => {
    expect(changesIn(transactionOf([instruction(CHANGE_ACCOUNTS, data)]), PROGRAM)).toEqual([change(name)]);
  });

  it('reads an issuance with its owner', () => {
    const issued = transactionOf([instruction(ISSUE_ACCOUNTS, [1, 0, 0])]);
    expect(changesIn(issued, PROGRAM)).toEqual([{ ...change('TOKEN_ISSUED'), holder }]);
  });

  it('reads several instructions in order, and leaves out other programs and other instructions', () => {
    const several = transactionOf([
      instruction(ISSUE_ACCOUNTS, [1, 0, 0]),
      instruction(CHANGE_ACCOUNTS, [2, 1], KEYS, OTHER),
      instruction(CHANGE_ACCOUNTS, [0]),
      instruction(CHANGE_ACCOUNTS, [2, 7]),
      instruction([], [2, 1]),
      instruction(CHANGE_ACCOUNTS, [2, 2]),
    ]);
    expect(changesIn(several, PROGRAM)).toMatchObject([change('TOKEN_ISSUED'), change('TOKEN_REVOKED')]);
  });

  it('leaves out an instruction that is longer than any of the program, however long it is', () => {
    const long = { ...instruction(CHANGE_ACCOUNTS, [2, 1]), data: 'z'.repeat(2_000_000) };
    const both = transactionOf([long, instruction(CHANGE_ACCOUNTS, [2, 2])]);
    expect(changesIn(both, PROGRAM)).toEqual([change('TOKEN_REVOKED')]);
  });

  it('reads what another program made the program do', () => {
    const innerInstructions = [{ instructions: [instruction(CHANGE_ACCOUNTS, [2, 2])] }];
    const wrapped = transactionOf([instruction([TOKEN], [99], KEYS, OTHER)], { innerInstructions });
    expect(changesIn(wrapped, PROGRAM)).toEqual([change('TOKEN_REVOKED')]);
  });

  it('finds accounts that the transaction names by lookup tables', () => {
    const own = [PAYER, PROGRAM as Address, OTHER];
    const loadedAddresses = { writable: [TOKEN], readonly: [GATEKEEPER, MEMBERSHIP] };
    const all = [...own, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const versioned = transactionOf([instruction(CHANGE_ACCOUNTS, [2, 1], all)], { loadedAddresses }, own);
    expect(changesIn(versioned, PROGRAM)).toEqual([change('TOKEN_FROZEN')]);
  });

  it('reads nothing of a failed transaction, or of one whose result the node lacks', () => {
    const instructions = [instruction(CHANGE_ACCOUNTS, [2, 1])];
    const failed = transactionOf(instructions, { err: { InstructionError: [0, { Custom: 5 }] } });
    expect(changesIn(failed, PROGRAM)).toEqual([]);
    expect(changesIn({ ...failed, meta: null }, PROGRAM)).toEqual([]);
  });
});
