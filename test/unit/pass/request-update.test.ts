import { describe, expect, it } from 'vitest';
import { isSettled } from '../../../src/pass/next-step.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { stateOf } from '../../../src/pass/pass.ts';
import { requestUpdate, type UpdateRequest } from '../../../src/pass/request-update.ts';
import type { WantedState } from '../../../src/pass/vocabulary.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

function granted(pass: Pass, request: UpdateRequest): { pass: Pass; changed: boolean } {
  const wish = requestUpdate(pass, request, NOW);
  if ('refused' in wish) throw new Error(wish.refused);
  return wish;
}

const aPassThatIs = (state: WantedState, expiry?: number) =>
  anActivePass({ wanted: { state, expiry }, onChain: { state, expiry } });

describe('a wish for a change', () => {
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
  `('of a pass that is $is, $request, is what is wanted from now on', ({ is, request, state, expiry }) => {
    const before = aPassThatIs(is, E1);
    const { pass, changed } = granted(before, request);
    expect(changed).toBe(true);
    expect(pass).toEqual({ ...before, version: before.version + 1, wanted: { state, expiry } });
    expect(stateOf(pass)).toBe(state);
  });

  it.each`
    is           | request
    ${'ACTIVE'}  | ${{ state: 'ACTIVE' }}
    ${'FROZEN'}  | ${{ state: 'FROZEN' }}
    ${'ACTIVE'}  | ${{ expiry: E1 }}
    ${'FROZEN'}  | ${{ state: 'FROZEN', expiry: E1 }}
    ${'REVOKED'} | ${{ state: 'REVOKED' }}
  `('that holds already, $request of a pass that is $is, changes nothing', ({ is, request }) => {
    const before = aPassThatIs(is, E1);
    expect(granted(before, request)).toEqual({ pass: before, changed: false });
    expect(granted(before, request).pass).toBe(before);
  });

  it.each`
    pass                                                                      | request                 | refused
    ${aPassThatIs('REVOKED')}                                                 | ${{ state: 'ACTIVE' }}  | ${'pass_revoked'}
    ${aPassThatIs('REVOKED')}                                                 | ${{ state: 'FROZEN' }}  | ${'pass_revoked'}
    ${aPassThatIs('REVOKED')}                                                 | ${{ expiry: E2 }}       | ${'pass_revoked'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'FROZEN' }}  | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'ACTIVE' }}  | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ state: 'REVOKED' }} | ${'pass_rejected'}
    ${aPass({ rejected: true })}                                              | ${{ expiry: E2 }}       | ${'pass_rejected'}
    ${anActivePass({ key: { chain: 'solana' }, onChain: { foreign: true } })} | ${{ state: 'FROZEN' }}  | ${'issued_by_another_gatekeeper'}
  `('$request is refused: $refused', ({ pass, request, refused }) => {
    expect(requestUpdate(pass, request, NOW)).toEqual({ refused });
  });

  it('of a pass that another gatekeeper issued is granted as far as the chain allows', () => {
    const foreign = anActivePass({ key: { chain: 'solana' }, onChain: { foreign: true } });
    expect(granted(foreign, { expiry: E2 }).changed).toBe(true);
    expect(granted(foreign, { state: 'REVOKED' }).changed).toBe(true);
    expect(granted(foreign, { state: 'ACTIVE' }).changed).toBe(false);
  });

  it.each`
    chain         | request                 | granted
    ${'solana'}   | ${{ state: 'FROZEN' }}  | ${false}
    ${'solana'}   | ${{ state: 'REVOKED' }} | ${true}
    ${'solana'}   | ${{ expiry: E2 }}       | ${true}
    ${'ethereum'} | ${{ state: 'FROZEN' }}  | ${true}
  `('of a pass on $chain whose key is gone: $request is granted: $granted', ({ chain, request, granted: is }) => {
    const wish = requestUpdate(anActivePass({ key: { chain } }), request, NOW, false);
    if (is) expect(wish).toMatchObject({ changed: true });
    else expect(wish).toEqual({ refused: 'issued_by_another_gatekeeper' });
  });

  it('keeps the step that is pinned: it waits', () => {
    const pinned = aPass({ step: { kind: 'issue', revision: 2, held: true } });
    const { pass } = granted(pinned, { state: 'FROZEN' });
    expect(pass.step).toEqual(pinned.step);
    expect(stateOf(pass)).toBe('FROZEN');
  });
});

describe('the revocation of what is not on chain', () => {
  it('is done at once where nobody has begun to issue it', () => {
    const before = aPass();
    const { pass } = granted(before, { state: 'REVOKED' });
    expect(isSettled(pass)).toBe(true);
    expect(pass.events).toEqual([
      ...before.events,
      { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'superseded' },
      { eventType: 'TOKEN_REVOKED', timestamp: NOW },
    ]);
  });

  it('waits for the step that may have begun', () => {
    const before = aPass({ step: { kind: 'issue' } });
    const { pass } = granted(before, { state: 'REVOKED' });
    expect(isSettled(pass)).toBe(false);
    expect(pass.events).toEqual(before.events);
  });
});

describe('a change that was announced and is not wanted any more', () => {
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
  `('has come to its end with $request: $news', ({ request, news }) => {
    expect(granted(waiting, request).pass.events.slice(waiting.events.length)).toEqual(news);
  });
});
