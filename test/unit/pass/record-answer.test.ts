import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { nextStep } from '../../../src/pass/next-step.ts';
import { type OnChain, type Pass, stateOf } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anActivePass, aPass, NOW, STEP_ID, TRANSACTION } from './a-pass.ts';

const OTHER = `0x${'cd'.repeat(32)}`;
const [E1, E2] = [NOW + 1000, NOW + 2000];
const begun = { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: NOW - 60 } as const;
const sent = { identifier: TRANSACTION, status: 'sent' } as const;
const confirmed = { identifier: TRANSACTION, status: 'confirmed' } as const;
const failed = { identifier: TRANSACTION, status: 'failed' } as const;

/** Returns the pass after the signer reported this status of the pinned step. */
const recordStatus = (pass: Pass, status: StepStatus, revision = 5, step = STEP_ID) =>
  recordAnswer(pass, { step, revision, status }, NOW);
const confirmedWith = (onChain: OnChain = { state: 'ACTIVE' }): StepStatus => ({
  type: 'confirmed',
  transaction: TRANSACTION,
  onChain,
});
const foundWith = (onChain: OnChain): StepStatus => ({ type: 'found', onChain });
const SENT: StepStatus = { type: 'sent', transaction: TRANSACTION };

const issuing = aPass({ step: { kind: 'issue', revision: 3 } });

describe('recordAnswer with an outdated answer', () => {
  const statuses = [
    { type: 'waiting' },
    SENT,
    confirmedWith(),
    foundWith({ state: 'REVOKED' }),
    { type: 'failed', reason: '' },
  ] as const;

  it.each`
    why                                   | pass              | step             | revision
    ${'its revision is already recorded'} | ${issuing}        | ${STEP_ID}       | ${3}
    ${'its revision is older'}            | ${issuing}        | ${STEP_ID}       | ${2}
    ${'it is about another step'}         | ${issuing}        | ${`${STEP_ID}0`} | ${9}
    ${'no step is pinned'}                | ${aPass()}        | ${STEP_ID}       | ${9}
    ${'the step has ended'}               | ${anActivePass()} | ${STEP_ID}       | ${9}
  `('changes nothing when an answer arrives and $why', ({ pass, step, revision }) => {
    for (const status of statuses) expect(recordStatus(pass, status, revision, step)).toBe(pass);
  });
});

describe('recordAnswer about a pinned step', () => {
  it('marks a waiting step as submitted and does not change the record', () => {
    const pass = recordStatus(issuing, { type: 'waiting' });
    expect(pass).toEqual({ ...issuing, step: { ...issuing.step, revision: 5, isSubmitted: true } });
  });

  it('does not mark a step as submitted while the lane has no room for it, so that the pass asks again soon', () => {
    const unheard = aPass({ step: { kind: 'issue' } });
    expect(recordStatus(unheard, { type: 'waiting', noRoom: true }, 0)).toBe(unheard);
    const submitted = recordStatus(unheard, { type: 'waiting' }, 0);
    expect(recordStatus(submitted, { type: 'waiting', noRoom: true }, 0)).toEqual(unheard);
  });

  it('marks a step as submitted if its signer cannot add it for another reason', () => {
    const unheard = aPass({ step: { kind: 'issue' } });
    const pass = recordStatus(unheard, { type: 'waiting' }, 0);
    expect(pass).toEqual({ ...unheard, step: { ...unheard.step, isSubmitted: true } });
    expect(recordStatus(pass, { type: 'waiting' }, 0)).toBe(pass);
    expect(recordStatus(pass, { type: 'waiting' }, 1).step).toMatchObject({ revision: 1, isSubmitted: true });
  });

  it('shows the sent transaction on the event that announced the step', () => {
    const pass = recordStatus(issuing, SENT);
    expect(pass.events).toEqual([{ ...begun, transaction: sent }]);
    expect(pass).toMatchObject({ version: issuing.version + 1, step: { id: STEP_ID, revision: 5, isSubmitted: true } });
    expect(stateOf(pass)).toBe('REQUESTED');
  });

  it('shows the replacement transaction when the step is sent again', () => {
    const pass = recordStatus(recordStatus(issuing, SENT), { type: 'sent', transaction: OTHER }, 6);
    expect(pass.events).toEqual([{ ...begun, transaction: { identifier: OTHER, status: 'sent' } }]);
  });

  it('does not change the events of the first attempt when the second attempt is sent', () => {
    const first = { ...begun, transaction: failed };
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW - 50, reason: 'no' } as const;
    const pass = recordStatus(aPass({ events: [first, failure, begun], step: { kind: 'issue' } }), SENT);
    expect(pass.events).toEqual([first, failure, { ...begun, transaction: sent }]);
  });
});

describe('recordAnswer about a confirmed issuance', () => {
  it.each`
    how                                | before
    ${'after it was reported as sent'} | ${recordStatus(issuing, SENT, 4)}
    ${'without an earlier report'}     | ${issuing}
  `('makes the pass ACTIVE and ends the step when the issuance is confirmed $how', ({ before }) => {
    const pass = recordStatus(before, confirmedWith());
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

  it('shows the confirmed transaction, not the one that it replaced', () => {
    const pass = recordStatus(recordStatus(issuing, { type: 'sent', transaction: OTHER }, 4), confirmedWith());
    expect(pass.events.map(({ transaction }) => transaction)).toEqual([confirmed, confirmed]);
  });

  it('keeps the wanted state, so that a change requested during the issuance is the next step', () => {
    const renewed = aPass({ wanted: { expiry: E2 }, step: { kind: 'issue', expiry: E1 } });
    const pass = recordStatus(renewed, confirmedWith({ state: 'ACTIVE', expiry: E1 }));
    expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E2 });
    expect(nextStep(pass)?.kind).toBe('set-expiry');
  });
});

describe('recordAnswer about an issuance that found a token', () => {
  it.each`
    onChain                            | state        | then
    ${{ state: 'ACTIVE' }}             | ${'ACTIVE'}  | ${[]}
    ${{ state: 'ACTIVE', expiry: E2 }} | ${'ACTIVE'}  | ${[]}
    ${{ state: 'FROZEN', expiry: E2 }} | ${'FROZEN'}  | ${['TOKEN_FROZEN']}
    ${{ state: 'REVOKED' }}            | ${'REVOKED'} | ${['TOKEN_REVOKED']}
  `(
    'adopts the found token $onChain with its expiry and without a transaction, so that the pass is $state',
    ({ onChain, state, then }) => {
      const pass = recordStatus(
        aPass({ wanted: { expiry: E1 }, requested: { expiry: E1, isDefault: true }, step: { kind: 'issue' } }),
        foundWith(onChain),
      );
      expect(pass.wanted.state).toBe(state);
      if (state !== 'REVOKED') expect(pass.wanted.expiry).toBe(onChain.expiry);
      expect(pass.onChain).toEqual(onChain);
      expect(stateOf(pass)).toBe(state);
      expect(pass.step).toBeUndefined();
      expect(pass.past).toBeUndefined();
      expect(nextStep(pass)).toBeUndefined();
      const bare = ['TOKEN_ISSUED', ...then].map((eventType) => ({ eventType, timestamp: NOW, byOthers: {} }));
      expect(pass.events).toEqual([begun, ...bare]);
    },
  );
});

describe('recordAnswer about a failed issuance', () => {
  it('rejects the pass with the reason and keeps the on-chain state', () => {
    const pass = recordStatus(issuing, { type: 'failed', reason: 'the contract refuses it' });
    expect(stateOf(pass)).toBe('REJECTED');
    expect(pass).toMatchObject({ rejected: true, onChain: { state: 'NONE' }, step: undefined });
    expect(nextStep(pass)).toBeUndefined();
    const failure = { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'the contract refuses it' };
    expect(pass.events).toEqual([begun, failure]);
  });

  it('shows the failed transaction on both events', () => {
    const pass = recordStatus(recordStatus(issuing, SENT, 4), { type: 'failed', reason: 'no effect' });
    expect(pass.events).toEqual([
      { ...begun, transaction: failed },
      { eventType: 'TOKEN_ISSUED_FAILED', timestamp: NOW, reason: 'no effect', transaction: failed },
    ]);
  });
});

describe('recordAnswer about an expiry change', () => {
  const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 5 } as const;
  const events = [...anActivePass().events, announced];
  const step = { kind: 'set-expiry', expiry: E2 } as const;
  const changing = anActivePass({ wanted: { expiry: E2 }, onChain: { expiry: E1 }, events, step });
  /** Returns the announcement and the events after it. */
  const newEvents = (pass: Pass) => pass.events.slice(events.length - 1);

  it('records a confirmed expiry as the on-chain expiry', () => {
    const pass = recordStatus(recordStatus(changing, SENT, 4), confirmedWith({ state: 'ACTIVE', expiry: E2 }));
    expect(pass.onChain).toEqual({ state: 'ACTIVE', expiry: E2 });
    expect(nextStep(pass)).toBeUndefined();
    expect(pass.events.slice(0, 2)).toEqual(events.slice(0, 2));
    expect(newEvents(pass)).toEqual([
      { ...announced, transaction: confirmed },
      { eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: NOW, transaction: confirmed },
    ]);
  });

  it('records an expiry that the chain already has, without a transaction', () => {
    const pass = recordStatus(changing, foundWith({ state: 'ACTIVE', expiry: E2 }));
    expect(pass).toMatchObject({ wanted: { state: 'ACTIVE', expiry: E2 }, onChain: { state: 'ACTIVE', expiry: E2 } });
    expect(newEvents(pass)).toEqual([announced, { eventType: 'TOKEN_EXPIRY_CHANGED', timestamp: NOW, byOthers: {} }]);
  });

  it('lets the wanted expiry fall back to the on-chain expiry when the change fails', () => {
    const pass = recordStatus(changing, { type: 'failed', reason: 'no' });
    expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E1 });
    expect(stateOf(pass)).toBe('ACTIVE');
    expect(nextStep(pass)).toBeUndefined();
    expect(newEvents(pass)).toEqual([
      announced,
      { eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', timestamp: NOW, reason: 'no' },
    ]);
  });

  it('keeps an expiry that the partner requested after the failed one', () => {
    const later = { ...changing, wanted: { state: 'ACTIVE', expiry: E2 + 1 } } as const;
    const pass = recordStatus(later, { type: 'failed', reason: 'no' });
    expect(pass.wanted.expiry).toBe(E2 + 1);
    expect(nextStep(pass)?.kind).toBe('set-expiry');
  });

  it.each`
    onChain                 | why
    ${{ state: 'REVOKED' }} | ${'others revoked the token'}
    ${{ state: 'NONE' }}    | ${'others burned the token'}
  `('makes the pass REVOKED and the expiry change superseded when $why', ({ onChain }) => {
    const pass = recordStatus(changing, foundWith(onChain));
    expect(pass).toMatchObject({ wanted: { state: 'REVOKED' }, onChain });
    expect(nextStep(pass)).toBeUndefined();
    expect(newEvents(pass)).toEqual([
      announced,
      { eventType: 'TOKEN_REVOKED', timestamp: NOW, byOthers: {} },
      { eventType: 'TOKEN_EXPIRY_CHANGED_FAILED', timestamp: NOW, reason: 'superseded' },
    ]);
  });

  it('keeps the expiry change open while the token is frozen on Ethereum, and continues it after the unfreeze', () => {
    const frozen = recordStatus(changing, foundWith({ state: 'FROZEN', expiry: E1 }));
    expect(frozen.wanted).toMatchObject({ state: 'FROZEN', expiry: E2 });
    expect(nextStep(frozen)).toBeUndefined();
    expect(newEvents(frozen)).toEqual([announced, { eventType: 'TOKEN_FROZEN', timestamp: NOW, byOthers: {} }]);
    const unfrozen: Pass = {
      ...frozen,
      wanted: { ...frozen.wanted, state: 'ACTIVE' },
      onChain: { state: 'ACTIVE', expiry: E1 },
    };
    expect(nextStep(unfrozen)).toEqual({ kind: 'set-expiry', expiry: E2 });
  });
});
