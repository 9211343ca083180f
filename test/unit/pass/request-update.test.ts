import { describe, expect, it } from 'vitest';
import { isSettled, nextStep } from '../../../src/pass/next-step.ts';
import { type Pass, stateOf } from '../../../src/pass/pass.ts';
import { requestUpdate, type UpdateRequest } from '../../../src/pass/requests.ts';
import type { WantedState } from '../../../src/pass/vocabulary.ts';
import { anActivePass, anUpdateRequest, aPass, NOW } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

function accept(pass: Pass, change: Partial<UpdateRequest>): { pass: Pass; changed: boolean } {
  const result = requestUpdate(pass, { ...anUpdateRequest({}), ...change }, NOW);
  if (result.type === 'refused') throw new Error(result.reason);
  return result;
}

const aPassInState = (state: WantedState, expiry?: number) =>
  anActivePass({ wanted: { state, expiry }, onChain: { state, expiry } });

describe('requestUpdate', () => {
  it.each`
    is          | request                            | state        | expiry
    ${'ACTIVE'} | ${{ state: 'FROZEN' }}             | ${'FROZEN'}  | ${E1}
    ${'FROZEN'} | ${{ state: 'ACTIVE' }}             | ${'ACTIVE'}  | ${E1}
    ${'ACTIVE'} | ${{ expiry: E2 }}                  | ${'ACTIVE'}  | ${E2}
    ${'FROZEN'} | ${{ expiry: E2 }}                  | ${'FROZEN'}  | ${E2}
    ${'ACTIVE'} | ${{ state: 'FROZEN', expiry: E2 }} | ${'FROZEN'}  | ${E2}
    ${'FROZEN'} | ${{ state: 'ACTIVE', expiry: E2 }} | ${'ACTIVE'}  | ${E2}
    ${'ACTIVE'} | ${{ state: 'REVOKED' }}            | ${'REVOKED'} | ${E1}
    ${'FROZEN'} | ${{ state: 'REVOKED' }}            | ${'REVOKED'} | ${E1}
  `(
    'makes $state until $expiry the wanted state when $request is requested for a pass that is $is',
    ({ is, request, state, expiry }) => {
      const before = aPassInState(is, E1);
      const { pass, changed } = accept(before, request);
      expect(changed).toBe(true);
      expect(pass).toEqual({
        ...before,
        version: before.version + 1,
        wanted: { state, expiry },
        requested: { expiry },
      });
      expect(stateOf(pass)).toBe(state);
    },
  );

  it.each`
    is           | request
    ${'ACTIVE'}  | ${{ state: 'ACTIVE' }}
    ${'FROZEN'}  | ${{ state: 'FROZEN' }}
    ${'ACTIVE'}  | ${{ expiry: E1 }}
    ${'FROZEN'}  | ${{ state: 'FROZEN', expiry: E1 }}
    ${'REVOKED'} | ${{ state: 'REVOKED' }}
  `('changes nothing when $request is requested for a pass that is $is and already satisfies it', ({ is, request }) => {
    const before = aPassInState(is, E1);
    expect(accept(before, request)).toEqual({ type: 'applied', pass: before, changed: false });
    expect(accept(before, request).pass).toBe(before);
  });

  it.each`
    pass                                                                      | request                 | refused
    ${aPassInState('REVOKED')}                                                | ${{ state: 'ACTIVE' }}  | ${'pass_revoked'}
    ${aPassInState('REVOKED')}                                                | ${{ state: 'FROZEN' }}  | ${'pass_revoked'}
    ${aPassInState('REVOKED')}                                                | ${{ expiry: E2 }}       | ${'pass_revoked'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'FROZEN' }}  | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'ACTIVE' }}  | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'REVOKED' }} | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ expiry: E2 }}       | ${'pass_rejected'}
    ${anActivePass({ key: { chain: 'solana' }, onChain: { foreign: true } })} | ${{ state: 'FROZEN' }}  | ${'issued_by_another_gatekeeper'}
  `('refuses $request with $refused', ({ pass, request, refused }) => {
    expect(requestUpdate(pass, anUpdateRequest(request), NOW)).toEqual({ type: 'refused', reason: refused });
  });

  it('accepts the changes that the chain allows for a token of another gatekeeper', () => {
    const foreign = anActivePass({ key: { chain: 'solana' }, onChain: { foreign: true } });
    expect(accept(foreign, { expiry: E2 }).changed).toBe(true);
    expect(accept(foreign, { state: 'REVOKED' }).changed).toBe(true);
    expect(accept(foreign, { state: 'ACTIVE' }).changed).toBe(false);
  });

  it.each`
    chain         | request                 | accepted
    ${'solana'}   | ${{ state: 'FROZEN' }}  | ${false}
    ${'solana'}   | ${{ state: 'REVOKED' }} | ${true}
    ${'solana'}   | ${{ expiry: E2 }}       | ${true}
    ${'ethereum'} | ${{ state: 'FROZEN' }}  | ${true}
  `(
    'returns accepted: $accepted for $request on $chain if the gatekeeper key of the pass is no longer configured',
    ({ chain, request, accepted }) => {
      const result = requestUpdate(anActivePass({ key: { chain } }), anUpdateRequest(request), NOW, 'missing');
      if (accepted) expect(result).toMatchObject({ changed: true });
      else expect(result).toEqual({ type: 'refused', reason: 'issued_by_another_gatekeeper' });
    },
  );

  it.each`
    chain         | onChain     | request                 | accepted
    ${'solana'}   | ${'ACTIVE'} | ${{ state: 'FROZEN' }}  | ${false}
    ${'solana'}   | ${'ACTIVE'} | ${{ expiry: E2 }}       | ${false}
    ${'solana'}   | ${'ACTIVE'} | ${{ state: 'REVOKED' }} | ${true}
    ${'solana'}   | ${'NONE'}   | ${{ expiry: E2 }}       | ${true}
    ${'ethereum'} | ${'ACTIVE'} | ${{ state: 'FROZEN' }}  | ${true}
    ${'ethereum'} | ${'ACTIVE'} | ${{ expiry: E2 }}       | ${true}
  `(
    'returns accepted: $accepted for $request on $chain if the token is $onChain and the key of the pass is compromised',
    ({ chain, onChain, request, accepted }) => {
      const pass = anActivePass({ key: { chain }, onChain: { state: onChain } });
      const result = requestUpdate(pass, anUpdateRequest(request), NOW, 'compromised');
      if (accepted) expect(result).toMatchObject({ changed: true });
      else expect(result).toEqual({ type: 'refused', reason: 'issued_by_another_gatekeeper' });
    },
  );

  it('keeps the pinned step when the partner requests a change', () => {
    const pinned = aPass({ step: { kind: 'issue', revision: 2, isSubmitted: true } });
    const { pass } = accept(pinned, { state: 'FROZEN' });
    expect(pass.step).toEqual(pinned.step);
    expect(stateOf(pass)).toBe('FROZEN');
  });
});

describe('requestUpdate with a revocation before the issuance', () => {
  it('ends an issuance that is not pinned, and still needs a step that reads the chain', () => {
    const before = aPass();
    const { pass } = accept(before, { state: 'REVOKED' });
    expect([isSettled(pass), nextStep(pass)]).toEqual([false, { kind: 'revoke' }]);
    expect(pass.events).toEqual([
      ...before.events,
      { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'superseded' },
    ]);
  });

  it('waits for the pinned issuance before the revocation', () => {
    const before = aPass({ step: { kind: 'issue' } });
    const { pass } = accept(before, { state: 'REVOKED' });
    expect(isSettled(pass)).toBe(false);
    expect(pass.events).toEqual(before.events);
  });
});

describe('requestUpdate after an announced expiry change', () => {
  const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 9 } as const;
  const frozen = anActivePass({ wanted: { state: 'FROZEN', expiry: E2 }, onChain: { state: 'FROZEN', expiry: E1 } });
  const waiting = { ...frozen, events: [...frozen.events, announced] };
  const superseded = { eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', timestamp: NOW, reason: 'superseded' };

  it.each`
    request                 | news
    ${{ state: 'REVOKED' }} | ${[superseded]}
    ${{ expiry: E1 }}       | ${[superseded]}
    ${{ expiry: E2 + 1 }}   | ${[]}
    ${{ state: 'ACTIVE' }}  | ${[]}
  `('adds the events $news when $request follows an announced expiry change', ({ request, news }) => {
    expect(accept(waiting, request).pass.events.slice(waiting.events.length)).toEqual(news);
  });
});
