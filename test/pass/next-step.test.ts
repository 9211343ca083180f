import { describe, expect, it } from 'vitest';
import { isSettled, nextStep } from '../../src/pass/next-step.ts';
import { aPass, NOW } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

describe('nextStep', () => {
  it.each`
    wanted       | until        | onChain      | onChainUntil | rejected | step
    ${'ACTIVE'}  | ${undefined} | ${'NONE'}    | ${undefined} | ${false} | ${'issue'}
    ${'ACTIVE'}  | ${E1}        | ${'NONE'}    | ${undefined} | ${false} | ${'issue'}
    ${'FROZEN'}  | ${undefined} | ${'NONE'}    | ${undefined} | ${false} | ${'issue'}
    ${'REVOKED'} | ${undefined} | ${'NONE'}    | ${undefined} | ${false} | ${undefined}
    ${'ACTIVE'}  | ${undefined} | ${'NONE'}    | ${undefined} | ${true}  | ${undefined}
    ${'ACTIVE'}  | ${undefined} | ${'ACTIVE'}  | ${undefined} | ${false} | ${undefined}
    ${'ACTIVE'}  | ${E1}        | ${'ACTIVE'}  | ${E1}        | ${false} | ${undefined}
    ${'ACTIVE'}  | ${E2}        | ${'ACTIVE'}  | ${E1}        | ${false} | ${'set-expiry'}
    ${'ACTIVE'}  | ${E1}        | ${'ACTIVE'}  | ${undefined} | ${false} | ${'set-expiry'}
    ${'ACTIVE'}  | ${undefined} | ${'ACTIVE'}  | ${E1}        | ${false} | ${'set-expiry'}
    ${'FROZEN'}  | ${E2}        | ${'ACTIVE'}  | ${E1}        | ${false} | ${'set-expiry'}
    ${'FROZEN'}  | ${E2}        | ${'FROZEN'}  | ${E1}        | ${false} | ${undefined}
    ${'FROZEN'}  | ${E1}        | ${'FROZEN'}  | ${E1}        | ${false} | ${undefined}
    ${'REVOKED'} | ${undefined} | ${'REVOKED'} | ${undefined} | ${false} | ${undefined}
    ${'REVOKED'} | ${E2}        | ${'REVOKED'} | ${E1}        | ${false} | ${undefined}
  `(
    'wanted $wanted until $until, on chain $onChain until $onChainUntil, rejected $rejected: $step',
    ({ wanted, until, onChain, onChainUntil, rejected, step }) => {
      const pass = aPass({
        wanted: { state: wanted, expiry: until },
        onChain: { state: onChain, expiry: onChainUntil },
        rejected,
      });
      expect(nextStep(pass)).toBe(step);
    },
  );
});

describe('isSettled', () => {
  it.each`
    pass                                                                | settled
    ${aPass()}                                                          | ${false}
    ${aPass({ rejected: true })}                                        | ${true}
    ${aPass({ onChain: { state: 'ACTIVE' } })}                          | ${true}
    ${aPass({ onChain: { state: 'ACTIVE' }, step: { kind: 'issue' } })} | ${false}
    ${aPass({ onChain: { state: 'ACTIVE' }, wanted: { expiry: E1 } })}  | ${false}
  `('$#: $settled', ({ pass, settled }) => {
    expect(isSettled(pass)).toBe(settled);
  });
});
