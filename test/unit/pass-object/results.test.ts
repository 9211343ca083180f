import { describe, expect, it } from 'vitest';
import { publicationOf } from '../../../src/pass-object/results.ts';
import { aPass, aStoredPass } from '../pass/a-pass.ts';

describe('the validity of a publication', () => {
  it.each`
    onChain      | wanted       | until   | when
    ${undefined} | ${undefined} | ${null} | ${'the pass never expires'}
    ${500}       | ${500}       | ${500}  | ${'chain and partner agree'}
    ${500}       | ${900}       | ${500}  | ${'a later expiry is under way'}
    ${900}       | ${500}       | ${500}  | ${'an earlier expiry is under way'}
    ${undefined} | ${500}       | ${500}  | ${'the first expiry is under way'}
    ${500}       | ${undefined} | ${500}  | ${'the token expires although that is not wanted'}
  `('ends at $until if $when', ({ onChain, wanted, until }) => {
    const pass = aPass({
      onChain: { state: 'ACTIVE', expiry: onChain },
      wanted: { state: 'ACTIVE', expiry: wanted },
    });
    expect(publicationOf(aStoredPass(pass)).validity).toMatchObject({ onChainState: 'ACTIVE', until });
  });
});
