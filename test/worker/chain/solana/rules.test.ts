import type { Instruction } from '@solana/kit';
import { expect, inject, it } from 'vitest';
import { change as changeOf, issue } from '../../../../src/chain/solana/gateway.ts';
import type { EnabledSolana } from '../../../../src/config/signers.ts';
import type { Step } from '../../../../src/pass/step.ts';
import type { OnChainState } from '../../../../src/pass/vocabulary.ts';
import { CHAIN_TABLE, OPERATIONS, type Operation } from '../../settlement/chain-table.ts';
import { issueAnother, tokenOf } from './issuing.ts';
import { acting, addressOf, anotherGatekeeper, aStep, byGatekeeper, change, isTaken } from './node.ts';

/** The operations that the gateway program allows a gatekeeper at a wallet's first address, by state. */

const PAST = 1_000_000_000;
const FUTURE = 2_000_000_000;
/** The operation that leads to a state: SetState, or Burn. */
const BEFORE: Readonly<Record<OnChainState, readonly (1 | 2 | undefined)[]>> = {
  NONE: [undefined],
  ACTIVE: [],
  FROZEN: [1],
  REVOKED: [2],
};
/** The state after an operation. A new expiry does not change it. */
const AFTER: Readonly<Partial<Record<Operation, OnChainState>>> = {
  issue: 'ACTIVE',
  freeze: 'FROZEN',
  unfreeze: 'ACTIVE',
  revoke: 'REVOKED',
};

async function instructionOf(operation: Operation, step: Step, by?: EnabledSolana): Promise<Instruction> {
  const [who, token] = [await acting(step, by), await addressOf(step)];
  if (operation === 'issue') return issue(who, step.key.wallet as string as typeof token.address, token, FUTURE);
  const instruction = changeOf(who, token.address, { kind: operation, expiry: FUTURE });
  if (instruction === undefined) throw new Error('there is no such instruction');
  return instruction;
}

const cases = (['NONE', 'ACTIVE', 'FROZEN', 'REVOKED'] as const).flatMap((state) =>
  OPERATIONS.flatMap((operation) =>
    [undefined, PAST].map((expiry) => ({
      state,
      operation,
      expiry,
      life: expiry ? 'expired' : 'lives for ever',
      taken: CHAIN_TABLE.solana[operation].includes(state),
    })),
  ),
);

it.each(cases)('the program takes $operation of a $state token ($life): $taken', async ({ state, ...rest }) => {
  const { operation, expiry, taken } = rest;
  const step = aStep();
  await issueAnother(step, 0, expiry);
  for (const deed of BEFORE[state]) await byGatekeeper(await change(step, deed));
  const held = await tokenOf(step);
  expect(held?.state).toBe(state === 'NONE' ? undefined : state);

  expect(await isTaken(await instructionOf(operation, step))).toBe(taken);
  const renewed = operation === 'issue' || operation === 'set-expiry';
  const changed = { state: AFTER[operation] ?? state, expiry: renewed ? FUTURE : expiry };
  if (taken) expect(await tokenOf(step)).toMatchObject(changed);
  else expect(await tokenOf(step)).toEqual(held);
});

it.each`
  operation       | before       | taken
  ${'freeze'}     | ${undefined} | ${false}
  ${'unfreeze'}   | ${1}         | ${false}
  ${'revoke'}     | ${undefined} | ${true}
  ${'set-expiry'} | ${undefined} | ${true}
`('the program takes $operation by a gatekeeper that did not issue the token: $taken', async (row) => {
  const { operation, before, taken } = row;
  const step = aStep();
  await issueAnother(step, 0);
  if (before !== undefined) await byGatekeeper(await change(step, before));
  const other = await anotherGatekeeper(inject('localnet').partners[0]?.gatekeeperNetwork as string);
  expect(await isTaken(await instructionOf(operation, step, other), other)).toBe(taken);
});
