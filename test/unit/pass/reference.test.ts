import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { entryOfChange } from '../../../src/pass/audit-entries.ts';
import { collectFeedEvents } from '../../../src/pass/feed-events.ts';
import { isSettled, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { recordOf, splitEvents } from '../../../src/pass/record.ts';
import { requestIssuance, requestUpdate, type UpdateRequest } from '../../../src/pass/requests.ts';
import { anActivePass, anIssueRequest, anUpdateRequest, aPass, NOW, STEP_ID, TRANSACTION } from './a-pass.ts';

/** The partner's own name for a pass. */

const REFERENCE = 'order-4711';
const BY = { actor: { client: 'acme' }, requestId: '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11' };

const update = (pass: Pass, change: Partial<UpdateRequest>) =>
  requestUpdate(pass, { ...anUpdateRequest({}), by: BY, ...change }, NOW);

function accepted(result: ReturnType<typeof update>): Pass {
  if (result.type === 'refused') throw new Error(`refused: ${result.reason}`);
  return result.pass;
}

const EXPIRED = { wanted: { expiry: NOW - 1 }, onChain: { expiry: NOW - 1 } };
const revoked = anActivePass({ wanted: { state: 'REVOKED' }, onChain: { state: 'REVOKED' }, revokedBy: 'partner' });
const PASSES: Readonly<Record<string, Pass>> = {
  REQUESTED: aPass(),
  'with a step under way': aPass({ step: { isSubmitted: true } }),
  ACTIVE: anActivePass(),
  FROZEN: anActivePass({ wanted: { state: 'FROZEN' }, onChain: { state: 'FROZEN' } }),
  REVOKED: revoked,
  REJECTED: aPass({ rejected: true }),
  expired: anActivePass(EXPIRED),
  reorged: anActivePass({ past: anActivePass().past?.map((step) => ({ ...step, vanished: true })) }),
};

describe('the reference of a new pass', () => {
  it('is in the record, and the record of a pass without one has no such field', () => {
    const issue = (reference?: string) => requestIssuance(undefined, anIssueRequest({ reference }), NOW);
    expect(recordOf(accepted(issue(REFERENCE)))).toMatchObject({ reference: REFERENCE });
    expect(recordOf(accepted(issue()))).not.toHaveProperty('reference');
  });
});

describe('a repeated issuance', () => {
  const repeatable = Object.entries(PASSES).filter(([state]) => !['FROZEN', 'REVOKED'].includes(state));

  it.each(repeatable)('of a pass that is %s matches without a reference and with the same one', (_, pass) => {
    for (const named of [pass, { ...pass, reference: REFERENCE }]) {
      for (const reference of [undefined, named.reference]) {
        const result = requestIssuance(named, anIssueRequest({ reference, lifetime: 60 }), NOW);
        expect(accepted(result).reference).toBe(named.reference);
      }
    }
  });

  it.each(repeatable)(
    'of a pass that is %s is refused with another reference, also if the pass has none',
    (_, pass) => {
      const request = anIssueRequest({ reference: REFERENCE, lifetime: 60 });
      for (const reference of [undefined, 'order-4712', REFERENCE.toUpperCase()]) {
        const result = requestIssuance({ ...pass, reference }, request, NOW);
        expect(result).toEqual({ type: 'refused', reason: 'reference_differs' });
      }
    },
  );

  it('of a frozen or revoked pass names that state first', () => {
    const issue = (pass: Pass) => requestIssuance(pass, anIssueRequest({ reference: REFERENCE }), NOW);
    expect(issue(PASSES.FROZEN as Pass)).toMatchObject({ reason: 'pass_frozen' });
    expect(issue(PASSES.REVOKED as Pass)).toMatchObject({ reason: 'pass_revoked' });
  });
});

describe('a change of the reference alone', () => {
  it.each(Object.entries(PASSES))('is accepted for a pass that is %s, and needs no step', (_, pass) => {
    const named = accepted(update(pass, { reference: REFERENCE }));
    const renamed = accepted(update(named, { reference: 'order-4712' }));
    const unnamed = accepted(update(renamed, { reference: null }));
    expect([named, renamed, unnamed].map(({ reference }) => reference)).toEqual([REFERENCE, 'order-4712', undefined]);
    for (const [index, changed] of [named, renamed, unnamed].entries()) {
      const { reference: _, version, events, ...rest } = changed;
      const { reference: __, version: ___, events: before, ...same } = pass;
      expect(rest).toEqual(same);
      expect(version).toBe(pass.version + index + 1);
      const event = { eventType: 'REFERENCE_CHANGED', timestamp: NOW, requestId: BY.requestId };
      expect(events).toEqual([...before, ...Array(index + 1).fill(event)]);
      expect([isSettled(changed), nextStep(changed)]).toEqual([isSettled(pass), nextStep(pass)]);
    }
  });

  it.each([undefined, null])('to %s changes nothing if the pass has none', (reference) => {
    const pass = anActivePass();
    expect(update(pass, { reference })).toEqual({ type: 'applied', pass, changed: false });
  });

  it('to the same one changes nothing, and leaves the client that answers for the step', () => {
    const pass = aPass({ reference: REFERENCE });
    expect(update(pass, { reference: REFERENCE, client: 'globex' })).toEqual({ type: 'applied', pass, changed: false });
    expect(accepted(update(pass, { reference: 'order-4712', client: 'globex' })).client).toBe('acme');
  });
});

describe('a change of the state and the reference together', () => {
  it('makes both changes, each with its event', () => {
    const pass = accepted(update(anActivePass(), { state: 'FROZEN', reference: REFERENCE }));
    expect(pass).toMatchObject({ wanted: { state: 'FROZEN' }, reference: REFERENCE });
    expect(nextStep(pass)).toEqual({ kind: 'freeze' });
    expect(pass.events.at(-1)?.eventType).toBe('REFERENCE_CHANGED');
  });

  it('makes the change of the reference also if the pass has the state already', () => {
    const result = update(revoked, { state: 'REVOKED', reference: REFERENCE });
    expect(result).toMatchObject({ type: 'applied', changed: true, pass: { reference: REFERENCE } });
  });

  it.each`
    is            | state       | reason
    ${'REVOKED'}  | ${'ACTIVE'} | ${'pass_revoked'}
    ${'REJECTED'} | ${'FROZEN'} | ${'pass_rejected'}
  `('makes none if the pass is $is and cannot become $state', ({ is, state, reason }) => {
    expect(update(PASSES[is] as Pass, { state, reference: REFERENCE })).toEqual({ type: 'refused', reason });
  });
});

describe('an event of a pass with a reference', () => {
  it('has no reference in the feed, whether an old, a new or a removed one', () => {
    let pass = { ...anActivePass({ reference: 'order-1' }), feed: { examined: 0, last: 0, pending: [] } } as Pass;
    pass = collectFeedEvents(undefined, pass);
    for (const reference of ['order-2', null]) {
      pass = collectFeedEvents(pass, accepted(update(pass, { reference })));
    }
    const { pending } = pass.feed;
    expect(pending.map(({ type }) => type)).toEqual([
      'pass.issued',
      'pass.reference_changed',
      'pass.reference_changed',
    ]);
    expect(JSON.stringify(pending)).not.toContain('order-');
  });

  it('in the audit trail says that the reference changed, and not which one it is', () => {
    const before = anActivePass({ reference: 'order-1' });
    const entry = (change: Partial<UpdateRequest>) => {
      const after = accepted(update(before, change));
      return entryOfChange({ type: 'update', client: 'acme', by: BY }, before, after, 1, NOW * 1000);
    };
    expect(entry({ reference: 'order-2' })).toMatchObject({
      action: 'pass.set_reference',
      after: { referenceChanged: true },
    });
    expect(entry({ reference: null, state: 'FROZEN' })).toMatchObject({
      action: 'pass.freeze',
      after: { state: 'FROZEN', referenceChanged: true },
    });
    expect(entry({ state: 'FROZEN' }).after).not.toHaveProperty('referenceChanged');
    const issued = accepted(requestIssuance(undefined, anIssueRequest({ reference: 'order-1' }), NOW));
    const issuance = entryOfChange({ type: 'issue', client: 'acme', by: BY }, undefined, issued, 1, NOW * 1000);
    const texts = [entry({ reference: 'order-2' }), issuance];
    expect(JSON.stringify(texts)).not.toContain('order-');
  });
});

describe('many changes of the reference', () => {
  it('while a step is under way do not keep its end out of the record', () => {
    const { pass: pinned } = pinNextStep(accepted(update(anActivePass(), { state: 'FROZEN' })), NOW) ?? {};
    let pass = pinned as Pass;
    for (let change = 0; change < 150; change += 1) {
      pass = accepted(update(pass, { reference: `order-${change}` }));
      pass = { ...pass, events: splitEvents(pass.events).recent };
    }
    const step = pass.step?.id ?? STEP_ID;
    const onChain = { state: 'FROZEN', asOf: 10 } as const;
    const frozen = recordAnswer(
      pass,
      { step, revision: 1, status: { type: 'confirmed', transaction: TRANSACTION, onChain } },
      NOW,
    );
    expect(isSettled(frozen)).toBe(true);
    expect(frozen).toMatchObject({ onChain: { state: 'FROZEN' }, reference: 'order-149' });
    expect(frozen.events.at(-1)).toMatchObject({ eventType: 'TOKEN_FROZEN', transaction: { status: 'confirmed' } });
  });
});
