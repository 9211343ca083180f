import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/pass/next-step.ts';
import { type OnChain, type Pass, stateOf } from '../../../src/pass/pass.ts';
import { recordAnswer } from '../../../src/pass/record-answer.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anActivePass, aPass, NOW, STEP_ID, TRANSACTION } from './a-pass.ts';

const OTHER = `0x${'cd'.repeat(32)}`;
const [E1, E2] = [NOW + 1000, NOW + 2000];
const begun = { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60 } as const;
const sent = { identifier: TRANSACTION, status: 'sent' } as const;
const confirmed = { identifier: TRANSACTION, status: 'confirmed' } as const;
const failed = { identifier: TRANSACTION, status: 'failed' } as const;

/** The pass after its signer said that of the pinned step. */
const told = (pass: Pass, status: StepStatus, revision = 5, step = STEP_ID) =>
  recordAnswer(pass, { step, revision, status }, NOW);
const isConfirmed = (onChain: OnChain = { state: 'ACTIVE' }): StepStatus => ({
  type: 'confirmed',
  transaction: TRANSACTION,
  onChain,
});
const isFound = (onChain: OnChain): StepStatus => ({ type: 'found', onChain });
const isSent: StepStatus = { type: 'sent', transaction: TRANSACTION };

const issuing = aPass({ step: { kind: 'issue', revision: 3 } });

describe('an answer that is too late', () => {
  const statuses = [
    { type: 'waiting' },
    isSent,
    isConfirmed(),
    isFound({ state: 'REVOKED' }),
    { type: 'failed', reason: '' },
  ] as const;

  it.each`
    why                            | pass              | step             | revision
    ${'the revision was recorded'} | ${issuing}        | ${STEP_ID}       | ${3}
    ${'the revision is older'}     | ${issuing}        | ${STEP_ID}       | ${2}
    ${'it is about another step'}  | ${issuing}        | ${`${STEP_ID}0`} | ${9}
    ${'no step is pinned'}         | ${aPass()}        | ${STEP_ID}       | ${9}
    ${'the step ended'}            | ${anActivePass()} | ${STEP_ID}       | ${9}
  `('changes nothing at all: $why', ({ pass, step, revision }) => {
    for (const status of statuses) expect(told(pass, status, revision, step)).toBe(pass);
  });
});

describe('a step under way', () => {
  it('that waits is held by its signer; the record does not change', () => {
    const pass = told(issuing, { type: 'waiting' });
    expect(pass).toEqual({ ...issuing, step: { ...issuing.step, revision: 5, held: true } });
  });

  it('that its signer has no room for yet is known to it all the same, until it takes it in', () => {
    const unheard = aPass({ step: { kind: 'issue' } });
    const pass = told(unheard, { type: 'waiting' }, 0);
    expect(pass).toEqual({ ...unheard, step: { ...unheard.step, held: true } });
    expect(told(pass, { type: 'waiting' }, 0)).toBe(pass);
    expect(told(pass, { type: 'waiting' }, 1).step).toMatchObject({ revision: 1, held: true });
  });

  it('that was sent shows its transaction on the event that announced it', () => {
    const pass = told(issuing, isSent);
    expect(pass.events).toEqual([{ ...begun, transaction: sent }]);
    expect(pass).toMatchObject({ version: issuing.version + 1, step: { id: STEP_ID, revision: 5, held: true } });
    expect(stateOf(pass)).toBe('REQUESTED');
  });

  it('that was sent again shows the replacement', () => {
    const pass = told(told(issuing, isSent), { type: 'sent', transaction: OTHER }, 6);
    expect(pass.events).toEqual([{ ...begun, transaction: { identifier: OTHER, status: 'sent' } }]);
  });

  it('of a second try leaves the events of the first as they were', () => {
    const first = { ...begun, transaction: failed };
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW - 50, reason: 'no' } as const;
    const pass = told(aPass({ events: [first, failure, begun], step: { kind: 'issue' } }), isSent);
    expect(pass.events).toEqual([first, failure, { ...begun, transaction: sent }]);
  });
});

describe('a confirmed issuance', () => {
  it.each`
    how                    | before
    ${'after it was sent'} | ${told(issuing, isSent, 4)}
    ${'all at once'}       | ${issuing}
  `('makes the pass ACTIVE on both sides and ends the step, $how', ({ before }) => {
    const pass = told(before, isConfirmed());
    expect(pass).toMatchObject({ onChain: { state: 'ACTIVE' }, past: [{ id: STEP_ID, revision: 5 }] });
    expect(pass.step).toBeUndefined();
    expect(pass.version).toBe(before.version + 1);
    expect(stateOf(pass)).toBe('ACTIVE');
    expect(nextStep(pass)).toBeUndefined();
    expect(pass.events).toEqual([
      { ...begun, transaction: confirmed },
      { eventType: 'TOKEN_ISSUED', timestamp: NOW, transaction: confirmed },
    ]);
  });

  it('shows the replacement that was confirmed, not the transaction it replaced', () => {
    const pass = told(told(issuing, { type: 'sent', transaction: OTHER }, 4), isConfirmed());
    expect(pass.events.map(({ transaction }) => transaction)).toEqual([confirmed, confirmed]);
  });

  it('writes only the on-chain side: a wish that changed meanwhile is next', () => {
    const renewed = aPass({ wanted: { expiry: E2 }, step: { kind: 'issue', expiry: E1 } });
    const pass = told(renewed, isConfirmed({ state: 'ACTIVE', expiry: E1 }));
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: E2 });
    expect(nextStep(pass)?.kind).toBe('set-expiry');
  });
});

describe('an issuance that found a token', () => {
  it.each`
    onChain                            | state        | then
    ${{ state: 'ACTIVE' }}             | ${'ACTIVE'}  | ${[]}
    ${{ state: 'ACTIVE', expiry: E2 }} | ${'ACTIVE'}  | ${[]}
    ${{ state: 'FROZEN', expiry: E2 }} | ${'FROZEN'}  | ${['TOKEN_FROZEN']}
    ${{ state: 'REVOKED' }}            | ${'REVOKED'} | ${['TOKEN_REVOKED']}
  `('$onChain adopts it, expiry included: $state, and causes no transaction', ({ onChain, state, then }) => {
    const pass = told(aPass({ wanted: { expiry: E1 }, askedExpiry: E1, step: { kind: 'issue' } }), isFound(onChain));
    expect(pass.wanted.state).toBe(state);
    if (state !== 'REVOKED') expect(pass.wanted.expiry).toBe(onChain.expiry);
    expect(pass.onChain).toEqual(onChain);
    expect(stateOf(pass)).toBe(state);
    expect(pass.step).toBeUndefined();
    expect(pass.past).toBeUndefined();
    expect(nextStep(pass)).toBeUndefined();
    const bare = ['TOKEN_ISSUED', ...then].map((eventType) => ({ eventType, timestamp: NOW }));
    expect(pass.events).toEqual([begun, ...bare]);
  });
});

describe('an issuance that was refused for good', () => {
  it('rejects the pass, says why, and leaves the chain as it is', () => {
    const pass = told(issuing, { type: 'failed', reason: 'the contract refuses it' });
    expect(stateOf(pass)).toBe('REJECTED');
    expect(pass).toMatchObject({ rejected: true, onChain: { state: 'NONE' }, step: undefined });
    expect(nextStep(pass)).toBeUndefined();
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'the contract refuses it' };
    expect(pass.events).toEqual([begun, failure]);
  });

  it('shows the transaction that failed, on both events', () => {
    const pass = told(told(issuing, isSent, 4), { type: 'failed', reason: 'no effect' });
    expect(pass.events).toEqual([
      { ...begun, transaction: failed },
      { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'no effect', transaction: failed },
    ]);
  });
});

describe('a change of the expiry', () => {
  const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 5 } as const;
  const events = [...anActivePass().events, announced];
  const step = { kind: 'set-expiry', expiry: E2 } as const;
  const changing = anActivePass({ wanted: { expiry: E2 }, onChain: { expiry: E1 }, events, step });
  /** The events it added, and its announcement before them. */
  const news = (pass: Pass) => pass.events.slice(events.length - 1);

  it('that is confirmed is what the chain holds', () => {
    const pass = told(told(changing, isSent, 4), isConfirmed({ state: 'ACTIVE', expiry: E2 }));
    expect(pass.onChain).toEqual({ state: 'ACTIVE', expiry: E2 });
    expect(nextStep(pass)).toBeUndefined();
    expect(pass.events.slice(0, 2)).toEqual(events.slice(0, 2));
    expect(news(pass)).toEqual([
      { ...announced, transaction: confirmed },
      { eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: NOW, transaction: confirmed },
    ]);
  });

  it('that already held came true without a transaction', () => {
    const pass = told(changing, isFound({ state: 'ACTIVE', expiry: E2 }));
    expect(pass).toMatchObject({ wanted: { state: 'ACTIVE', expiry: E2 }, onChain: { state: 'ACTIVE', expiry: E2 } });
    expect(news(pass)).toEqual([announced, { eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: NOW }]);
  });

  it('that is refused for good falls back to what the chain holds', () => {
    const pass = told(changing, { type: 'failed', reason: 'no' });
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: E1 });
    expect(stateOf(pass)).toBe('ACTIVE');
    expect(nextStep(pass)).toBeUndefined();
    expect(news(pass)).toEqual([announced, { eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', timestamp: NOW, reason: 'no' }]);
  });

  it('that is refused for good does not withdraw a wish that came later', () => {
    const later = { ...changing, wanted: { state: 'ACTIVE', expiry: E2 + 1 } } as const;
    const pass = told(later, { type: 'failed', reason: 'no' });
    expect(pass.wanted.expiry).toBe(E2 + 1);
    expect(nextStep(pass)?.kind).toBe('set-expiry');
  });

  it.each`
    onChain                 | why
    ${{ state: 'REVOKED' }} | ${'somebody revoked it'}
    ${{ state: 'NONE' }}    | ${'it was burned'}
  `('is superseded when $why, and the pass is REVOKED', ({ onChain }) => {
    const pass = told(changing, isFound(onChain));
    expect(pass).toMatchObject({ wanted: { state: 'REVOKED' }, onChain });
    expect(nextStep(pass)).toBeUndefined();
    expect(news(pass)).toEqual([
      announced,
      { eventType: 'TOKEN_REVOKED', timestamp: NOW },
      { eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', timestamp: NOW, reason: 'superseded' },
    ]);
  });

  it('waits when somebody froze the token, where a frozen one cannot be changed, and goes on afterwards', () => {
    const frozen = told(changing, isFound({ state: 'FROZEN', expiry: E1 }));
    expect(frozen.wanted).toEqual({ state: 'FROZEN', expiry: E2 });
    expect(nextStep(frozen)).toBeUndefined();
    expect(news(frozen)).toEqual([announced, { eventType: 'TOKEN_FROZEN', timestamp: NOW }]);
    const unfrozen: Pass = {
      ...frozen,
      wanted: { ...frozen.wanted, state: 'ACTIVE' },
      onChain: { state: 'ACTIVE', expiry: E1 },
    };
    expect(nextStep(unfrozen)).toEqual({ kind: 'set-expiry', expiry: E2 });
  });
});
