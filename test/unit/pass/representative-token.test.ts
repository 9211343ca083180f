import { expect, it } from 'vitest';
import type { OnChain } from '../../../src/pass/pass.ts';
import { representativeToken } from '../../../src/pass/representative-token.ts';

const active = (expiry?: number): OnChain => ({ state: 'ACTIVE', expiry });
const frozen = (expiry?: number): OnChain => ({ state: 'FROZEN', expiry });
const revoked: OnChain = { state: 'REVOKED' };
const theirs: OnChain = { state: 'FROZEN', foreign: true };

it.each`
  tokens                                  | representative | why
  ${[]}                                   | ${undefined}   | ${'there is none'}
  ${[revoked]}                            | ${revoked}     | ${'there is no other'}
  ${[revoked, frozen(), active(1)]}       | ${active(1)}   | ${'an active one opens doors, even expired'}
  ${[revoked, frozen(5)]}                 | ${frozen(5)}   | ${'a frozen one may come back'}
  ${[active(100), active(200)]}           | ${active(200)} | ${'it lives longer'}
  ${[active(200), active(), active(300)]} | ${active()}    | ${'it lives for ever'}
`('of $tokens.length tokens the one stands of which is true: $why', ({ tokens, representative }) => {
  expect(representativeToken(tokens)).toEqual(representative);
  expect(representativeToken(tokens.toReversed())).toEqual(representative);
});

it.each`
  tokens                        | known          | representative | why
  ${[frozen(100), frozen(200)]} | ${frozen(100)} | ${frozen(100)} | ${'it is the one that was frozen'}
  ${[frozen(100), frozen(200)]} | ${frozen(300)} | ${frozen(200)} | ${'none is known, and it lives longer'}
  ${[theirs, frozen(100)]}      | ${undefined}   | ${frozen(100)} | ${'we can unfreeze it'}
  ${[theirs, frozen(100)]}      | ${theirs}      | ${theirs}      | ${'it is the one that is known'}
  ${[active(100), active(200)]} | ${active(100)} | ${active(200)} | ${'an active one opens doors, known or not'}
`(
  'what is known decides between $tokens.length tokens that open no doors: $why',
  ({ tokens, known, representative }) => {
    expect(representativeToken(tokens, known)).toEqual(representative);
    expect(representativeToken(tokens.toReversed(), known)).toEqual(representative);
  },
);
