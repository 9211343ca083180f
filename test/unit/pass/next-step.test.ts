import { describe, expect, it } from 'vitest';
import { isSettled, nextStep } from '../../../src/pass/next-step.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

describe('nextStep', () => {
  it.each`
    wanted       | until        | onChain      | onChainUntil | ethereum        | solana
    ${'ACTIVE'}  | ${undefined} | ${'NONE'}    | ${undefined} | ${'issue'}      | ${'issue'}
    ${'ACTIVE'}  | ${E1}        | ${'NONE'}    | ${undefined} | ${'issue'}      | ${'issue'}
    ${'FROZEN'}  | ${undefined} | ${'NONE'}    | ${undefined} | ${'issue'}      | ${'issue'}
    ${'REVOKED'} | ${undefined} | ${'NONE'}    | ${undefined} | ${'revoke'}     | ${'revoke'}
    ${'ACTIVE'}  | ${undefined} | ${'ACTIVE'}  | ${undefined} | ${undefined}    | ${undefined}
    ${'ACTIVE'}  | ${E1}        | ${'ACTIVE'}  | ${E1}        | ${undefined}    | ${undefined}
    ${'ACTIVE'}  | ${E2}        | ${'ACTIVE'}  | ${E1}        | ${'set-expiry'} | ${'set-expiry'}
    ${'ACTIVE'}  | ${E1}        | ${'ACTIVE'}  | ${undefined} | ${'set-expiry'} | ${'set-expiry'}
    ${'ACTIVE'}  | ${undefined} | ${'ACTIVE'}  | ${E1}        | ${'set-expiry'} | ${undefined}
    ${'ACTIVE'}  | ${E1}        | ${'FROZEN'}  | ${E1}        | ${'unfreeze'}   | ${'unfreeze'}
    ${'ACTIVE'}  | ${E2}        | ${'FROZEN'}  | ${E1}        | ${'unfreeze'}   | ${'set-expiry'}
    ${'FROZEN'}  | ${E1}        | ${'ACTIVE'}  | ${E1}        | ${'freeze'}     | ${'freeze'}
    ${'FROZEN'}  | ${E2}        | ${'ACTIVE'}  | ${E1}        | ${'set-expiry'} | ${'set-expiry'}
    ${'FROZEN'}  | ${E2}        | ${'FROZEN'}  | ${E1}        | ${undefined}    | ${'set-expiry'}
    ${'FROZEN'}  | ${E1}        | ${'FROZEN'}  | ${E1}        | ${undefined}    | ${undefined}
    ${'REVOKED'} | ${E2}        | ${'ACTIVE'}  | ${E1}        | ${'revoke'}     | ${'revoke'}
    ${'REVOKED'} | ${E2}        | ${'FROZEN'}  | ${E1}        | ${'revoke'}     | ${'revoke'}
    ${'REVOKED'} | ${E2}        | ${'REVOKED'} | ${E1}        | ${'revoke'}     | ${'revoke'}
  `(
    'returns $ethereum on Ethereum and $solana on Solana when $wanted until $until is wanted and $onChain until $onChainUntil is on chain',
    ({ wanted, until, onChain, onChainUntil, ethereum, solana }) => {
      for (const [chain, kind] of [['ethereum', ethereum] as const, ['solana', solana] as const]) {
        const pass = aPass({
          key: { chain },
          wanted: { state: wanted, expiry: until },
          onChain: { state: onChain, expiry: onChainUntil },
        });
        expect(nextStep(pass)?.kind).toBe(kind);
      }
    },
  );

  it('returns an expiry only for an issuance and for an expiry change', () => {
    expect(nextStep(aPass({ wanted: { expiry: E1 } }))).toEqual({ kind: 'issue', expiry: E1 });
    expect(nextStep(anActivePass({ wanted: { expiry: E1 }, onChain: { expiry: E2 } }))).toEqual({
      kind: 'set-expiry',
      expiry: E1,
    });
    expect(nextStep(anActivePass({ wanted: { state: 'FROZEN', expiry: E1 } }))).toEqual({ kind: 'freeze' });
  });

  it('returns no step for a rejected pass', () => {
    expect(nextStep(aPass({ rejected: true }))).toBeUndefined();
  });
});

describe('isSettled', () => {
  it.each`
    what                              | pass                                                                | settled
    ${'requested'}                    | ${aPass()}                                                          | ${false}
    ${'rejected'}                     | ${aPass({ rejected: true })}                                        | ${true}
    ${'issued'}                       | ${aPass({ onChain: { state: 'ACTIVE' } })}                          | ${true}
    ${'issued with a pinned step'}    | ${aPass({ onChain: { state: 'ACTIVE' }, step: { kind: 'issue' } })} | ${false}
    ${'issued with a missing expiry'} | ${aPass({ onChain: { state: 'ACTIVE' }, wanted: { expiry: E1 } })}  | ${false}
  `('returns $settled for a pass that is $what', ({ pass, settled }) => {
    expect(isSettled(pass)).toBe(settled);
  });
});
