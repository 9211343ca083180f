import { expect, it } from 'vitest';
import type { Step } from '../../../../src/pass/step.ts';
import type { OnChainState } from '../../../../src/pass/vocabulary.ts';
import { CHAIN_TABLE, OPERATIONS, type Operation } from '../../settlement/chain-table.ts';
import { type Deed, expirationData, mintAnother, tokenData, tokenIdOf, tokensOf } from './issuing.ts';
import { aStep, byGatekeeper, callSepolia, makeBlocksByHand } from './node.ts';

/** The operations that the real contract allows a gatekeeper, by state. */

makeBlocksByHand();

const PAST = 1_000_000_000;
const FUTURE = 2_000_000_000;
/** The operations that lead to a state. */
const BEFORE: Readonly<Record<OnChainState, readonly Deed[]>> = {
  NONE: ['burn'],
  ACTIVE: [],
  FROZEN: ['freeze'],
  REVOKED: ['revoke'],
};
/** The token after an operation. Issuing does not change it and makes another one. */
const AFTER: Readonly<Partial<Record<Operation, OnChainState>>> = {
  freeze: 'FROZEN',
  unfreeze: 'ACTIVE',
  revoke: 'REVOKED',
};

function operate(operation: Operation, step: Step, id: bigint): Promise<string> {
  if (operation === 'issue') return mintAnother(step, FUTURE);
  return byGatekeeper(operation === 'set-expiry' ? expirationData(id, FUTURE) : tokenData(operation, id));
}

async function isTaken(transaction: string): Promise<boolean> {
  const { status } = await callSepolia<{ status: string }>('eth_getTransactionReceipt', transaction);
  return status === '0x1';
}

const cases = (['NONE', 'ACTIVE', 'FROZEN', 'REVOKED'] as const).flatMap((state) =>
  OPERATIONS.flatMap((operation) =>
    [undefined, PAST].map((expiry) => ({
      state,
      operation,
      expiry,
      life: expiry ? 'expired' : 'lives for ever',
      taken: CHAIN_TABLE.ethereum[operation].includes(state),
    })),
  ),
);

it.each(cases)('takes $operation of a $state token ($life): $taken', async ({ state, operation, expiry, taken }) => {
  const step = aStep();
  await mintAnother(step, expiry);
  const id = await tokenIdOf(step);
  for (const deed of BEFORE[state]) expect(await isTaken(await byGatekeeper(tokenData(deed, id)))).toBe(true);
  const held = state === 'NONE' ? [] : [{ state, expiry: expiry ?? 0 }];
  expect(await tokensOf(step)).toEqual(held);

  expect(await isTaken(await operate(operation, step, id))).toBe(taken);
  const changed = held.map((token) => ({
    state: AFTER[operation] ?? token.state,
    expiry: operation === 'set-expiry' ? FUTURE : token.expiry,
  }));
  const made = operation === 'issue' ? [{ state: 'ACTIVE', expiry: FUTURE }] : [];
  expect(await tokensOf(step)).toEqual(taken ? [...changed, ...made] : held);
});
