import { expect, it } from 'vitest';
import { representativeToken } from '../../../src/pass/adopt.ts';
import type { OnChain } from '../../../src/pass/pass.ts';

const active = (expiry?: number): OnChain => ({ state: 'ACTIVE', expiry });
const frozen = (expiry?: number): OnChain => ({ state: 'FROZEN', expiry });
const revoked: OnChain = { state: 'REVOKED' };
const theirs: OnChain = { state: 'FROZEN', foreign: true };

it.each`
  tokens                                  | representative | choice
  ${[]}                                   | ${undefined}   | ${'no token'}
  ${[revoked]}                            | ${revoked}     | ${'the only token'}
  ${[revoked, frozen(), active(1)]}       | ${active(1)}   | ${'an active token, even an expired one'}
  ${[revoked, frozen(5)]}                 | ${frozen(5)}   | ${'a frozen token before a revoked one'}
  ${[active(100), active(200)]}           | ${active(200)} | ${'the token with the later expiry'}
  ${[active(200), active(), active(300)]} | ${active()}    | ${'the token without an expiry'}
`('chooses $choice from $tokens.length tokens in any order', ({ tokens, representative }) => {
  expect(representativeToken(tokens)).toEqual(representative);
  expect(representativeToken(tokens.toReversed())).toEqual(representative);
});

it.each`
  tokens                        | known          | representative | choice
  ${[frozen(100), frozen(200)]} | ${frozen(100)} | ${frozen(100)} | ${'the known frozen token'}
  ${[frozen(100), frozen(200)]} | ${frozen(300)} | ${frozen(200)} | ${'the frozen token with the later expiry'}
  ${[theirs, frozen(100)]}      | ${undefined}   | ${frozen(100)} | ${'the frozen token of our own gatekeeper'}
  ${[theirs, frozen(100)]}      | ${theirs}      | ${theirs}      | ${'the known token of another gatekeeper'}
  ${[active(100), active(200)]} | ${active(100)} | ${active(200)} | ${'the active token with the later expiry'}
`('chooses $choice from $tokens.length tokens in any order, given a known one', ({ tokens, known, representative }) => {
  expect(representativeToken(tokens, known)).toEqual(representative);
  expect(representativeToken(tokens.toReversed(), known)).toEqual(representative);
});
