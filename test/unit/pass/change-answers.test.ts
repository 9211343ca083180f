import { describe, expect, it } from 'vitest';
import { isSettled, nextStep } from '../../../src/pass/next-step.ts';
import { type Pass, stateOf } from '../../../src/pass/pass.ts';
import { pinStep } from '../../../src/pass/pin-step.ts';
import { recordAnswer } from '../../../src/pass/record-answer.ts';
import { requestUpdate, type UpdateRequest } from '../../../src/pass/request-update.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anActivePass, aPass, NOW, TRANSACTION } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];
const confirmed = { identifier: TRANSACTION, status: 'confirmed' } as const;

/** The pass after a partner's wish. */
function asked(pass: Pass, request: UpdateRequest): Pass {
  const wish = requestUpdate(pass, request, NOW);
  if ('refused' in wish) throw new Error(wish.refused);
  return wish.pass;
}

/** The pass with its next step taken. */
function pinned(pass: Pass): Pass {
  const taken = pinStep(pass, NOW);
  if (taken === undefined) throw new Error('nothing to take');
  return taken.pass;
}

/** The pass after its signer said that of the pinned step. */
const told = (pass: Pass, status: StepStatus, revision = (pass.step?.revision ?? 0) + 1) =>
  recordAnswer(pass, { step: pass.step?.id ?? '', revision, status }, NOW);

const isConfirmed = (onChain: Pass['onChain']): StepStatus => ({
  type: 'confirmed',
  transaction: TRANSACTION,
  onChain,
});
const newsOf = (before: Pass, after: Pass) => after.events.slice(before.events.length);
const typesOf = (before: Pass, after: Pass) => newsOf(before, after).map(({ eventType }) => eventType);

const active = anActivePass({ wanted: { expiry: E1 } });
const frozen = anActivePass({ wanted: { state: 'FROZEN', expiry: E1 }, onChain: { state: 'FROZEN' } });

describe('a change that is confirmed', () => {
  it.each`
    before    | request                 | onChain                             | change
    ${active} | ${{ state: 'FROZEN' }}  | ${{ state: 'FROZEN', expiry: E1 }}  | ${'TOKEN_FROZEN'}
    ${frozen} | ${{ state: 'ACTIVE' }}  | ${{ state: 'ACTIVE', expiry: E1 }}  | ${'TOKEN_UNFROZEN'}
    ${active} | ${{ expiry: E2 }}       | ${{ state: 'ACTIVE', expiry: E2 }}  | ${'TOKEN_EXPIRY_CHANGED'}
    ${active} | ${{ state: 'REVOKED' }} | ${{ state: 'REVOKED', expiry: E1 }} | ${'TOKEN_REVOKED'}
    ${frozen} | ${{ state: 'REVOKED' }} | ${{ state: 'REVOKED', expiry: E1 }} | ${'TOKEN_REVOKED'}
  `('is a pair in the record, $change, and what the chain holds', ({ before, request, onChain, change }) => {
    const sent = told(pinned(asked(before, request)), { type: 'sent', transaction: TRANSACTION });
    expect(newsOf(before, sent)).toEqual([
      { eventType: `${change}_INITIATED`, timestamp: NOW, transaction: { ...confirmed, status: 'sent' } },
    ]);
    const pass = told(sent, isConfirmed(onChain));
    expect(newsOf(before, pass)).toEqual([
      { eventType: `${change}_INITIATED`, timestamp: NOW, transaction: confirmed },
      { eventType: change, timestamp: NOW, transaction: confirmed },
    ]);
    expect(pass.onChain).toEqual(onChain);
    expect(isSettled(pass)).toBe(true);
  });

  it('of a pass that is revoked ends with it: it expires as the chain has it', () => {
    const later = asked(asked(active, { expiry: E2 }), { state: 'REVOKED' });
    expect(later.wanted.expiry).toBe(E2);
    const pass = told(pinned(later), isConfirmed({ state: 'REVOKED', expiry: E1 }));
    expect(pass.wanted).toEqual({ state: 'REVOKED', expiry: E1 });
  });

  it('of one of several tokens is not done: the next step goes on with the others', () => {
    const once = told(pinned(asked(active, { state: 'FROZEN' })), isConfirmed({ state: 'ACTIVE', expiry: E1 }));
    expect(typesOf(active, once)).toEqual(['TOKEN_FROZEN_INITIATED']);
    expect(stateOf(once)).toBe('FROZEN');
    const twice = told(pinned(once), isConfirmed({ state: 'FROZEN', expiry: E1 }));
    expect(typesOf(active, twice)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
    expect(isSettled(twice)).toBe(true);
  });

  it('shows what others had done just before it, and takes that over', () => {
    const pass = told(pinned(asked(active, { state: 'FROZEN' })), isConfirmed({ state: 'FROZEN', expiry: E2 }));
    expect(pass.wanted).toEqual({ state: 'FROZEN', expiry: E2 });
    expect(typesOf(active, pass)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN', 'TOKEN_EXPIRY_CHANGED']);
    expect(isSettled(pass)).toBe(true);
  });
});

describe('a wish that changes while a step is under way', () => {
  it('FROZEN while the issuance is: the pairs come one after the other', () => {
    const issuing = pinned(aPass());
    const issued = told(asked(issuing, { state: 'FROZEN' }), isConfirmed({ state: 'ACTIVE' }));
    expect(nextStep(issued)).toEqual({ kind: 'freeze' });
    const pass = told(pinned(issued), isConfirmed({ state: 'FROZEN' }));
    expect(typesOf(issuing, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
  });

  it('FROZEN and ACTIVE again while the issuance is: nothing more is to be done', () => {
    const issuing = pinned(aPass());
    const changed = asked(asked(issuing, { state: 'FROZEN' }), { state: 'ACTIVE' });
    expect(isSettled(told(changed, isConfirmed({ state: 'ACTIVE' })))).toBe(true);
  });

  it('REVOKED while a freeze is sent: that comes first', () => {
    const sent = told(pinned(asked(active, { state: 'FROZEN' })), { type: 'sent', transaction: TRANSACTION });
    const done = told(asked(sent, { state: 'REVOKED' }), isConfirmed({ state: 'FROZEN', expiry: E1 }));
    const pass = told(pinned(done), isConfirmed({ state: 'REVOKED', expiry: E1 }));
    expect(typesOf(active, pass)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN',
      'TOKEN_REVOKED_INITIATED',
      'TOKEN_REVOKED',
    ]);
  });
});

describe('a step that was superseded before anything was signed', () => {
  it('ends, and its pair with it', () => {
    const waiting = told(pinned(asked(active, { state: 'FROZEN' })), { type: 'waiting' });
    const pass = told(asked(waiting, { state: 'ACTIVE' }), { type: 'withdrawn' });
    expect(isSettled(pass)).toBe(true);
    expect(newsOf(active, pass)).toEqual([
      { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: NOW },
      { eventType: 'TOKEN_FROZEN_FAILED', timestamp: NOW, reason: 'superseded' },
    ]);
  });

  it('leaves its pair open where the same is still wanted, later or otherwise', () => {
    const first = pinned(asked(active, { state: 'FROZEN' }));
    const withdrawn = told(asked(first, { expiry: E2 }), { type: 'withdrawn' });
    const extended = told(pinned(withdrawn), isConfirmed({ state: 'ACTIVE', expiry: E2 }));
    const pass = told(pinned(extended), isConfirmed({ state: 'FROZEN', expiry: E2 }));
    expect(typesOf(active, pass)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_EXPIRY_CHANGED_INITIATED',
      'TOKEN_EXPIRY_CHANGED',
      'TOKEN_FROZEN',
    ]);
  });

  it('was an issuance: then the pass is revoked without ever having been on chain', () => {
    const issuing = pinned(aPass());
    const pass = told(asked(issuing, { state: 'REVOKED' }), { type: 'withdrawn' });
    expect(typesOf(issuing, pass)).toEqual(['TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED']);
    expect([stateOf(pass), pass.onChain.state, isSettled(pass)]).toEqual(['REVOKED', 'NONE', true]);
  });

  it('shows a transaction that had no effect before as failed', () => {
    const sent = told(pinned(aPass()), { type: 'sent', transaction: TRANSACTION });
    const pass = told(told(asked(sent, { state: 'REVOKED' }), { type: 'waiting' }), { type: 'withdrawn' });
    expect(pass.events[0]?.transaction).toEqual({ identifier: TRANSACTION, status: 'failed' });
  });
});

describe('a change that is refused for good', () => {
  const refusal = { type: 'failed', reason: 'issued by another gatekeeper' } as const;

  it.each`
    before    | request                 | state       | change
    ${active} | ${{ state: 'FROZEN' }}  | ${'ACTIVE'} | ${'TOKEN_FROZEN'}
    ${frozen} | ${{ state: 'ACTIVE' }}  | ${'FROZEN'} | ${'TOKEN_UNFROZEN'}
    ${active} | ${{ state: 'REVOKED' }} | ${'ACTIVE'} | ${'TOKEN_REVOKED'}
    ${active} | ${{ expiry: E2 }}       | ${'ACTIVE'} | ${'TOKEN_EXPIRY_CHANGED'}
  `('falls back to what the chain holds: $change of a pass that stays $state', ({ before, request, state, change }) => {
    const pass = told(pinned(asked(before, request)), refusal);
    expect(pass.wanted).toEqual({ state, expiry: E1 });
    expect(isSettled(pass)).toBe(true);
    expect(newsOf(before, pass)).toEqual([
      { eventType: `${change}_INITIATED`, timestamp: NOW },
      { eventType: `${change}_FAILED`, timestamp: NOW, reason: refusal.reason },
    ]);
  });

  it('of a revocation takes back all that was wanted with it', () => {
    const later = asked(active, { expiry: E2 });
    const pass = told(pinned(asked(later, { state: 'REVOKED' })), refusal);
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: E1 });
    expect(isSettled(pass)).toBe(true);
  });

  it('does not withdraw a wish that came later', () => {
    const sent = told(pinned(asked(active, { state: 'FROZEN' })), { type: 'sent', transaction: TRANSACTION });
    const pass = told(asked(sent, { state: 'REVOKED' }), refusal);
    expect(nextStep(pass)).toEqual({ kind: 'revoke' });
  });

  it('rejects a pass whose issuance it was, frozen or not, so that it can be asked for again', () => {
    const pass = told(asked(pinned(aPass()), { state: 'FROZEN' }), refusal);
    expect([stateOf(pass), pass.wanted.state, isSettled(pass)]).toEqual(['REJECTED', 'ACTIVE', true]);
  });

  it('revokes a pass whose issuance it was, and that is not wanted any more', () => {
    const issuing = pinned(aPass());
    const pass = told(asked(issuing, { state: 'REVOKED' }), refusal);
    expect(typesOf(issuing, pass)).toEqual(['TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED']);
    expect(stateOf(pass)).toBe('REVOKED');
  });
});

describe('a revoked pass whose wallet others issue to again', () => {
  const revoked = told(pinned(asked(active, { state: 'REVOKED' })), isConfirmed({ state: 'REVOKED', expiry: E1 }));
  const back: Pass = { ...revoked, onChain: { state: 'ACTIVE' } };

  it('is left alone, until a partner revokes that as well', () => {
    expect(isSettled(back)).toBe(true);
    const again = asked(back, { state: 'REVOKED' });
    expect(nextStep(again)).toEqual({ kind: 'revoke' });
    expect(isSettled(told(pinned(again), isConfirmed({ state: 'REVOKED' })))).toBe(true);
  });

  it('has nothing to revoke otherwise', () => {
    expect(requestUpdate(revoked, { state: 'REVOKED' }, NOW)).toEqual({ pass: revoked, changed: false });
  });
});
