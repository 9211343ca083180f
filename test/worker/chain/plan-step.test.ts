import { describe, expect, it } from 'vitest';
import { distrustIfBehind, needsFinalTokens, planStep, readingFor } from '../../../src/chain/plan-step.ts';
import type { PrepareResult } from '../../../src/chain/port.ts';
import { notNow, refused } from '../../../src/chain/reasons.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import { aStepOf, aToken, BEHIND, EXPIRY, NOT_FINAL, NOW, owned } from './a-token.ts';

const UNREADABLE = notNow('account-unreadable');
const REFUSED = refused('contract-refuses', 'never');

const NONE = owned([]);
const A = owned([aToken()]);
const AGES = owned([aToken({ expiry: EXPIRY })]);
const FROZEN = owned([aToken({ state: 'FROZEN' })]);
const REVOKED = owned([aToken({ state: 'REVOKED' })]);
const FOREIGN = owned([aToken({ foreign: true })]);
const OTHER = owned([aToken({ id: 'b' })]);
const BESIDE = owned([aToken({ state: 'REVOKED' }), aToken({ id: 'b' })]);
const found = (onChain: OnChain) => ({ type: 'found', onChain: { ...onChain, asOf: NOW } });

describe('planning an issuance', () => {
  it.each`
    now           | final         | intent                                        | why
    ${NONE}       | ${undefined}  | ${'issue'}                                    | ${'there is no token'}
    ${A}          | ${A}          | ${found({ state: 'ACTIVE' })}                 | ${'a final token exists'}
    ${AGES}       | ${AGES}       | ${found({ state: 'ACTIVE', expiry: EXPIRY })} | ${'it is taken with its expiry'}
    ${FROZEN}     | ${FROZEN}     | ${found({ state: 'FROZEN' })}                 | ${'it is taken as it is'}
    ${REVOKED}    | ${REVOKED}    | ${found({ state: 'REVOKED' })}                | ${'it is taken as it is'}
    ${FOREIGN}    | ${FOREIGN}    | ${found({ state: 'ACTIVE', foreign: true })}  | ${'it is taken with its issuer'}
    ${BESIDE}     | ${BESIDE}     | ${found({ state: 'ACTIVE' })}                 | ${'an active token represents all'}
    ${A}          | ${NONE}       | ${NOT_FINAL}                                  | ${'it is not final'}
    ${A}          | ${FROZEN}     | ${NOT_FINAL}                                  | ${'its state is not final'}
    ${A}          | ${AGES}       | ${NOT_FINAL}                                  | ${'its expiry is not final'}
    ${A}          | ${OTHER}      | ${NOT_FINAL}                                  | ${'another one is final'}
    ${A}          | ${UNREADABLE} | ${NOT_FINAL}                                  | ${'the final state cannot be read'}
    ${A}          | ${undefined}  | ${NOT_FINAL}                                  | ${'the final state was not read'}
    ${UNREADABLE} | ${undefined}  | ${UNREADABLE}                                 | ${'the tokens cannot be read'}
    ${REFUSED}    | ${undefined}  | ${REFUSED}                                    | ${'the contract answers nothing else'}
    ${undefined}  | ${undefined}  | ${NOT_FINAL}                                  | ${'nothing was read'}
  `('an issuance is planned as $intent when $why', ({ now, final, intent }) => {
    expect(planStep(aStepOf('issue'), now, final)).toEqual(intent);
  });

  it('an issuance waits for a block that is as new as the block that the pass knows', () => {
    expect(planStep(aStepOf('issue', { asOf: NOW + 1 }), NONE, undefined)).toEqual(BEHIND);
    expect(planStep(aStepOf('issue', { asOf: NOW }), NONE, undefined)).toBe('issue');
  });
});

describe('the need to read the final tokens', () => {
  it.each(['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const)('%s always needs the final tokens', (kind) => {
    for (const now of [A, NONE, UNREADABLE, undefined]) expect(needsFinalTokens(aStepOf(kind), now)).toBe(true);
  });

  it.each`
    now           | asked
    ${A}          | ${true}
    ${NONE}       | ${false}
    ${UNREADABLE} | ${false}
    ${undefined}  | ${false}
  `('an issuance needs the final tokens only where there are tokens: $asked for $now', ({ now, asked }) => {
    expect(needsFinalTokens(aStepOf('issue'), now)).toBe(asked);
  });
});

describe('the reading of a pass', () => {
  const unreadable = (why: string) => ({ type: 'unreadable', why });

  it.each`
    tokens        | reading                                                                      | why
    ${NONE}       | ${{ type: 'read', onChain: { state: 'NONE', asOf: NOW } }}                   | ${'there is no token'}
    ${AGES}       | ${{ type: 'read', onChain: { state: 'ACTIVE', expiry: EXPIRY, asOf: NOW } }} | ${'there is one'}
    ${FROZEN}     | ${{ type: 'read', onChain: { state: 'FROZEN', asOf: NOW } }}                 | ${'it is frozen'}
    ${REVOKED}    | ${{ type: 'read', onChain: { state: 'REVOKED', asOf: NOW } }}                | ${'it is revoked'}
    ${FOREIGN}    | ${{ type: 'read', onChain: { state: 'ACTIVE', foreign: true, asOf: NOW } }}  | ${'somebody else issued it'}
    ${BESIDE}     | ${{ type: 'read', onChain: { state: 'ACTIVE', asOf: NOW } }}                 | ${'an active token represents all'}
    ${UNREADABLE} | ${unreadable('the account of a token cannot be read')}                       | ${'the node says why'}
    ${REFUSED}    | ${unreadable('the tokens cannot be read')}                                   | ${'the contract answers with an error'}
    ${undefined}  | ${unreadable('the tokens cannot be read')}                                   | ${'the node does not have the block'}
  `('the reading of a pass is $reading when $why', ({ tokens, reading }) => {
    expect(readingFor(tokens)).toEqual(reading);
  });
});

describe('a node that may be behind', () => {
  it('a node that may be behind cannot prove that a step is satisfied or refused', () => {
    const STALE = notNow('nodes-behind');
    const holds: PrepareResult = { type: 'found', onChain: { state: 'NONE' } };
    expect(distrustIfBehind(holds, true)).toEqual(STALE);
    expect(distrustIfBehind(holds, false)).toBe(holds);
    expect(distrustIfBehind(UNREADABLE, true)).toBe(UNREADABLE);
    expect(distrustIfBehind(REFUSED, true)).toEqual(STALE);
    expect(distrustIfBehind(REFUSED, false)).toBe(REFUSED);
  });
});
