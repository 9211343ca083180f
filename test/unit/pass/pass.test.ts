import { describe, expect, it } from 'vitest';
import { passName, stateOf } from '../../../src/pass/pass.ts';
import { aPass } from './a-pass.ts';

describe('stateOf', () => {
  it.each`
    wanted       | onChain      | rejected | state
    ${'ACTIVE'}  | ${'NONE'}    | ${false} | ${'REQUESTED'}
    ${'ACTIVE'}  | ${'NONE'}    | ${true}  | ${'REJECTED'}
    ${'ACTIVE'}  | ${'ACTIVE'}  | ${false} | ${'ACTIVE'}
    ${'ACTIVE'}  | ${'FROZEN'}  | ${false} | ${'ACTIVE'}
    ${'FROZEN'}  | ${'NONE'}    | ${false} | ${'FROZEN'}
    ${'FROZEN'}  | ${'ACTIVE'}  | ${false} | ${'FROZEN'}
    ${'FROZEN'}  | ${'FROZEN'}  | ${false} | ${'FROZEN'}
    ${'REVOKED'} | ${'NONE'}    | ${false} | ${'REVOKED'}
    ${'REVOKED'} | ${'ACTIVE'}  | ${false} | ${'REVOKED'}
    ${'REVOKED'} | ${'REVOKED'} | ${false} | ${'REVOKED'}
  `(
    'returns $state when $wanted is wanted, $onChain is on chain and rejected is $rejected',
    ({ wanted, onChain, rejected, state }) => {
      expect(stateOf(aPass({ wanted: { state: wanted }, onChain: { state: onChain }, rejected }))).toBe(state);
    },
  );
});

describe('passName', () => {
  it('returns different names for keys that differ in any field', () => {
    const keys = [
      aPass(),
      aPass({ key: { gatekeeperNetwork: 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' } }),
      aPass({ key: { chain: 'solana' } }),
      aPass({ key: { network: 'mainnet' } }),
      aPass({ key: { wallet: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' } }),
    ].map(({ key }) => key);
    expect(new Set(keys.map(passName)).size).toBe(keys.length);
  });

  it('returns the name under which existing pass objects are found', () => {
    expect(passName(aPass().key)).toBe(
      'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf/ethereum/sepolia/0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    );
  });
});
