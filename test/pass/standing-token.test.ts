import { expect, it } from 'vitest';
import type { OnChain } from '../../src/pass/pass.ts';
import { standingToken } from '../../src/pass/standing-token.ts';

const active = (expiry?: number): OnChain => ({ state: 'ACTIVE', expiry });
const frozen = (expiry?: number): OnChain => ({ state: 'FROZEN', expiry });
const revoked: OnChain = { state: 'REVOKED' };

it.each`
  tokens                                  | standing       | why
  ${[]}                                   | ${undefined}   | ${'there is none'}
  ${[revoked]}                            | ${revoked}     | ${'there is no other'}
  ${[revoked, frozen(), active(1)]}       | ${active(1)}   | ${'an active one opens doors, even expired'}
  ${[revoked, frozen(5)]}                 | ${frozen(5)}   | ${'a frozen one may come back'}
  ${[active(100), active(200)]}           | ${active(200)} | ${'it lives longer'}
  ${[active(200), active(), active(300)]} | ${active()}    | ${'it lives for ever'}
`('of $tokens.length tokens the one stands of which is true: $why', ({ tokens, standing }) => {
  expect(standingToken(tokens)).toEqual(standing);
  expect(standingToken(tokens.toReversed())).toEqual(standing);
});
