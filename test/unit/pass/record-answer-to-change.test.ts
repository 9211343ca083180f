import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { isSettled, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import { type Pass, stateOf } from '../../../src/pass/pass.ts';
import { requestUpdate, type WantedChange } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anActivePass, anUpdateRequest, aPass, NOW, TRANSACTION } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];
const confirmed = { identifier: TRANSACTION, status: 'confirmed' } as const;

/** Returns the pass after the partner's request. A refusal fails the test. */
function requestChange(pass: Pass, change: WantedChange): Pass {
  const result = requestUpdate(pass, anUpdateRequest(change), NOW);
  if (result.type === 'refused') throw new Error(result.reason);
  return result.pass;
}

/** Returns the pass with its next step pinned. */
function pinNext(pass: Pass): Pass {
  const answer = pinNextStep(pass, NOW);
  if (answer === undefined) throw new Error('the pass needs no step');
  return answer.pass;
}

/** Returns the pass after the signer reported this status of the pinned step. */
const recordStatus = (pass: Pass, status: StepStatus, revision = (pass.step?.revision ?? 0) + 1) =>
  recordAnswer(pass, { step: pass.step?.id ?? '', revision, status }, NOW);

const confirmedWith = (onChain: Pass['onChain']): StepStatus => ({
  type: 'confirmed',
  transaction: TRANSACTION,
  onChain,
});
const newEvents = (before: Pass, after: Pass) => after.events.slice(before.events.length);
const newEventTypes = (before: Pass, after: Pass) => newEvents(before, after).map(({ eventType }) => eventType);

const active = anActivePass({ wanted: { expiry: E1 } });
const frozen = anActivePass({ wanted: { state: 'FROZEN', expiry: E1 }, onChain: { state: 'FROZEN' } });

describe('recordAnswer about a confirmed change', () => {
  it.each`
    before    | request                 | onChain                             | change
    ${active} | ${{ state: 'FROZEN' }}  | ${{ state: 'FROZEN', expiry: E1 }}  | ${'TOKEN_FROZEN'}
    ${frozen} | ${{ state: 'ACTIVE' }}  | ${{ state: 'ACTIVE', expiry: E1 }}  | ${'TOKEN_UNFROZEN'}
    ${active} | ${{ expiry: E2 }}       | ${{ state: 'ACTIVE', expiry: E2 }}  | ${'TOKEN_EXPIRY_CHANGED'}
    ${active} | ${{ state: 'REVOKED' }} | ${{ state: 'REVOKED', expiry: E1 }} | ${'TOKEN_REVOKED'}
    ${frozen} | ${{ state: 'REVOKED' }} | ${{ state: 'REVOKED', expiry: E1 }} | ${'TOKEN_REVOKED'}
  `(
    'records the event pair of $change and the on-chain state when $request is confirmed',
    ({ before, request, onChain, change }) => {
      const sent = recordStatus(pinNext(requestChange(before, request)), { type: 'sent', transaction: TRANSACTION });
      expect(newEvents(before, sent)).toEqual([
        { eventType: `${change}_INITIATED`, timestamp: NOW, transaction: { ...confirmed, status: 'sent' } },
      ]);
      const pass = recordStatus(sent, confirmedWith(onChain));
      expect(newEvents(before, pass)).toEqual([
        { eventType: `${change}_INITIATED`, timestamp: NOW, transaction: confirmed },
        { eventType: change, timestamp: NOW, transaction: confirmed },
      ]);
      expect(pass.onChain).toEqual(onChain);
      expect(isSettled(pass)).toBe(true);
    },
  );

  it('drops an open expiry change when a revocation is confirmed', () => {
    const later = requestChange(requestChange(active, { expiry: E2 }), { state: 'REVOKED' });
    expect(later.wanted.expiry).toBe(E2);
    const pass = recordStatus(pinNext(later), confirmedWith({ state: 'REVOKED', expiry: E1 }));
    expect(pass.wanted).toMatchObject({ state: 'REVOKED', expiry: E1 });
  });

  it('keeps a change open until it applies to all tokens of the wallet', () => {
    const once = recordStatus(
      pinNext(requestChange(active, { state: 'FROZEN' })),
      confirmedWith({ state: 'ACTIVE', expiry: E1 }),
    );
    expect(newEventTypes(active, once)).toEqual(['TOKEN_FROZEN_INITIATED']);
    expect(stateOf(once)).toBe('FROZEN');
    const twice = recordStatus(pinNext(once), confirmedWith({ state: 'FROZEN', expiry: E1 }));
    expect(newEventTypes(active, twice)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
    expect(isSettled(twice)).toBe(true);
  });

  it('adopts a change by others that the confirmation of a step also shows', () => {
    const pass = recordStatus(
      pinNext(requestChange(active, { state: 'FROZEN' })),
      confirmedWith({ state: 'FROZEN', expiry: E2 }),
    );
    expect(pass.wanted).toMatchObject({ state: 'FROZEN', expiry: E2 });
    expect(newEventTypes(active, pass)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN', 'TOKEN_EXPIRY_CHANGED']);
    expect(isSettled(pass)).toBe(true);
  });
});

describe('recordAnswer after a request during a pinned step', () => {
  it('records the issuance and then the freeze when the partner freezes a pass that is being issued', () => {
    const issuing = pinNext(aPass());
    const issued = recordStatus(requestChange(issuing, { state: 'FROZEN' }), confirmedWith({ state: 'ACTIVE' }));
    expect(nextStep(issued)).toEqual({ kind: 'freeze' });
    const pass = recordStatus(pinNext(issued), confirmedWith({ state: 'FROZEN' }));
    expect(newEventTypes(issuing, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
  });

  it('leaves the pass settled when the partner freezes and unfreezes it while it is being issued', () => {
    const issuing = pinNext(aPass());
    const changed = requestChange(requestChange(issuing, { state: 'FROZEN' }), { state: 'ACTIVE' });
    expect(isSettled(recordStatus(changed, confirmedWith({ state: 'ACTIVE' })))).toBe(true);
  });

  it('records a sent freeze before the revocation that the partner requested later', () => {
    const sent = recordStatus(pinNext(requestChange(active, { state: 'FROZEN' })), {
      type: 'sent',
      transaction: TRANSACTION,
    });
    const done = recordStatus(
      requestChange(sent, { state: 'REVOKED' }),
      confirmedWith({ state: 'FROZEN', expiry: E1 }),
    );
    const pass = recordStatus(pinNext(done), confirmedWith({ state: 'REVOKED', expiry: E1 }));
    expect(newEventTypes(active, pass)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_FROZEN',
      'TOKEN_REVOKED_INITIATED',
      'TOKEN_REVOKED',
    ]);
  });
});

describe('recordAnswer about a withdrawn step', () => {
  it('ends a superseded step and records its change as failed with the reason superseded', () => {
    const waiting = recordStatus(pinNext(requestChange(active, { state: 'FROZEN' })), { type: 'waiting' });
    const pass = recordStatus(requestChange(waiting, { state: 'ACTIVE' }), { type: 'withdrawn' });
    expect(isSettled(pass)).toBe(true);
    expect(newEvents(active, pass)).toEqual([
      { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: NOW },
      { eventType: 'TOKEN_FROZEN_FAILED', timestamp: NOW, reason: 'superseded' },
    ]);
  });

  it('keeps the announced change of a withdrawn step open if the partner still wants it', () => {
    const first = pinNext(requestChange(active, { state: 'FROZEN' }));
    const withdrawn = recordStatus(requestChange(first, { expiry: E2 }), { type: 'withdrawn' });
    const extended = recordStatus(pinNext(withdrawn), confirmedWith({ state: 'ACTIVE', expiry: E2 }));
    const pass = recordStatus(pinNext(extended), confirmedWith({ state: 'FROZEN', expiry: E2 }));
    expect(newEventTypes(active, pass)).toEqual([
      'TOKEN_FROZEN_INITIATED',
      'TOKEN_EXPIRY_CHANGED_INITIATED',
      'TOKEN_EXPIRY_CHANGED',
      'TOKEN_FROZEN',
    ]);
  });

  it('settles the revocation of a pass that was never on chain only after a step has found no token', () => {
    const issuing = pinNext(aPass());
    const withdrawn = recordStatus(requestChange(issuing, { state: 'REVOKED' }), { type: 'withdrawn' });
    expect(newEventTypes(issuing, withdrawn)).toEqual(['TOKEN_ISSUED_FAILED']);
    expect([nextStep(withdrawn), isSettled(withdrawn)]).toEqual([{ kind: 'revoke' }, false]);
    const pass = recordStatus(pinNext(withdrawn), { type: 'found', onChain: { state: 'NONE', asOf: 200 } });
    expect(newEventTypes(withdrawn, pass)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
    expect([stateOf(pass), pass.onChain.state, isSettled(pass)]).toEqual(['REVOKED', 'NONE', true]);
  });

  it('settles a refused revocation of a pass without a known token as revoked by others, and tries again on request', () => {
    const withdrawn = recordStatus(requestChange(pinNext(aPass()), { state: 'REVOKED' }), { type: 'withdrawn' });
    const pass = recordStatus(pinNext(withdrawn), { type: 'failed', reason: 'no' });
    expect([stateOf(pass), pass.revokedBy, isSettled(pass)]).toEqual(['REVOKED', 'others', true]);
    expect(pass.events.at(-1)).toMatchObject({ eventType: 'TOKEN_REVOKED_FAILED', reason: 'no' });
    expect(nextStep(requestChange(pass, { state: 'REVOKED' }))).toEqual({ kind: 'revoke' });
  });

  it('shows the earlier transaction of a withdrawn step as failed', () => {
    const sent = recordStatus(pinNext(aPass()), { type: 'sent', transaction: TRANSACTION });
    const pass = recordStatus(recordStatus(requestChange(sent, { state: 'REVOKED' }), { type: 'waiting' }), {
      type: 'withdrawn',
    });
    expect(pass.events[0]?.transaction).toEqual({ identifier: TRANSACTION, status: 'failed' });
  });
});

describe('recordAnswer about a failed step', () => {
  const refusal = { type: 'failed', reason: 'issued by another gatekeeper' } as const;

  it.each`
    before    | request                 | state       | change
    ${active} | ${{ state: 'FROZEN' }}  | ${'ACTIVE'} | ${'TOKEN_FROZEN'}
    ${frozen} | ${{ state: 'ACTIVE' }}  | ${'FROZEN'} | ${'TOKEN_UNFROZEN'}
    ${active} | ${{ state: 'REVOKED' }} | ${'ACTIVE'} | ${'TOKEN_REVOKED'}
    ${active} | ${{ expiry: E2 }}       | ${'ACTIVE'} | ${'TOKEN_EXPIRY_CHANGED'}
  `(
    'lets the wanted state fall back to $state, the on-chain state, when $change fails',
    ({ before, request, state, change }) => {
      const pass = recordStatus(pinNext(requestChange(before, request)), refusal);
      expect(pass.wanted).toMatchObject({ state, expiry: E1 });
      expect(isSettled(pass)).toBe(true);
      expect(newEvents(before, pass)).toEqual([
        { eventType: `${change}_INITIATED`, timestamp: NOW },
        { eventType: `${change}_FAILED`, timestamp: NOW, reason: refusal.reason },
      ]);
    },
  );

  it('also drops an open expiry change when a revocation fails', () => {
    const later = requestChange(active, { expiry: E2 });
    const pass = recordStatus(pinNext(requestChange(later, { state: 'REVOKED' })), refusal);
    expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E1 });
    expect(isSettled(pass)).toBe(true);
  });

  it('keeps a change that the partner requested after the failed one', () => {
    const sent = recordStatus(pinNext(requestChange(active, { state: 'FROZEN' })), {
      type: 'sent',
      transaction: TRANSACTION,
    });
    const pass = recordStatus(requestChange(sent, { state: 'REVOKED' }), refusal);
    expect(nextStep(pass)).toEqual({ kind: 'revoke' });
  });

  it('rejects a pass whose issuance fails, even if the partner has frozen it since', () => {
    const pass = recordStatus(requestChange(pinNext(aPass()), { state: 'FROZEN' }), refusal);
    expect([stateOf(pass), pass.wanted.state, isSettled(pass)]).toEqual(['REJECTED', 'ACTIVE', true]);
  });

  it('rejects a pass whose issuance is abandoned, even if the partner has requested another expiry since', () => {
    const pass = recordStatus(requestChange(pinNext(aPass()), { expiry: E2 }), { type: 'failed', reason: 'abandoned' });
    expect([stateOf(pass), isSettled(pass)]).toEqual(['REJECTED', true]);
    expect(pass.events.at(-1)).toMatchObject({ eventType: 'TOKEN_ISSUED_FAILED', reason: 'abandoned' });
  });

  it('continues with the revocation of a pass whose issuance fails after the partner revoked it', () => {
    const issuing = pinNext(aPass());
    const pass = recordStatus(requestChange(issuing, { state: 'REVOKED' }), refusal);
    expect(newEventTypes(issuing, pass)).toEqual(['TOKEN_ISSUED_FAILED']);
    expect([stateOf(pass), nextStep(pass)]).toEqual(['REVOKED', { kind: 'revoke' }]);
  });
});

describe('requestUpdate of a revoked pass', () => {
  const revoked = recordStatus(
    pinNext(requestChange(active, { state: 'REVOKED' })),
    confirmedWith({ state: 'REVOKED', expiry: E1 }),
  );
  const back: Pass = { ...revoked, onChain: { state: 'ACTIVE' } };

  it('does not revoke a token that others issued to a revoked wallet until the partner revokes it again', () => {
    expect(isSettled(back)).toBe(true);
    const again = requestChange(back, { state: 'REVOKED' });
    expect(nextStep(again)).toEqual({ kind: 'revoke' });
    expect(isSettled(recordStatus(pinNext(again), confirmedWith({ state: 'REVOKED' })))).toBe(true);
  });

  it('changes nothing when the partner revokes a revoked pass without a new token', () => {
    expect(requestUpdate(revoked, anUpdateRequest({ state: 'REVOKED' }), NOW)).toEqual({
      type: 'applied',
      pass: revoked,
      changed: false,
    });
  });
});
