import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { pinNextStep } from '../../../src/pass/next-step.ts';
import type { Pass } from '../../../src/pass/pass.ts';
import { requestIssuance } from '../../../src/pass/requests.ts';
import type { SubmittedStep } from '../../../src/pass/step.ts';
import { anActivePass, anIssueRequest, aPass, NOW, PASS_ID, TRANSACTION } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

/** Pins the step of a pass. The test fails if the pass needs no step. */
function pin(pass: Pass, now = NOW): { pass: Pass; step: SubmittedStep } {
  const answer = pinNextStep(pass, now);
  if (answer === undefined) throw new Error('the pass needs no step');
  return answer;
}

describe('pinNextStep', () => {
  it.each`
    what          | pass
    ${'issued'}   | ${anActivePass()}
    ${'rejected'} | ${aPass({ rejected: true })}
    ${'revoked'}  | ${aPass({ wanted: { state: 'REVOKED' }, revokedBy: 'partner' })}
  `('returns undefined for a pass that is $what', ({ pass }) => {
    expect(pinNextStep(pass, NOW)).toBeUndefined();
  });

  it('pins the issuance with its expiry and the known on-chain state', () => {
    const { pass, step } = pin(aPass({ wanted: { expiry: E1 } }));
    expect(step).toEqual({
      id: `${PASS_ID}:1`,
      kind: 'issue',
      rank: 1,
      expiry: E1,
      known: { state: 'NONE' },
      revision: 0,
      key: pass.key,
      contract: pass.contract,
      client: 'acme',
      superseded: false,
    });
    expect(pass).toMatchObject({
      steps: 1,
      step: { id: step.id, kind: 'issue', expiry: E1, revision: 0, isSubmitted: false },
    });
  });

  it('adds no event for an issuance, because the request already announced it', () => {
    const before = aPass();
    const { pass } = pin(before);
    expect(pass.events).toBe(before.events);
    expect(pass.version).toBe(before.version);
  });

  it('returns the same step and the same pass when it is called again', () => {
    const first = pin(aPass());
    const again = pin(first.pass, NOW + 500);
    expect(again.step).toEqual(first.step);
    expect(again.pass).toBe(first.pass);
  });

  it('returns the block of the known on-chain state, so that the signer can ignore older blocks', () => {
    const { step } = pin(anActivePass({ wanted: { state: 'FROZEN' }, onChain: { asOf: 77 } }));
    expect(step).toMatchObject({ kind: 'freeze', known: { state: 'ACTIVE', asOf: 77 } });
    expect(step).not.toHaveProperty('expiry', expect.anything());
  });

  it.each`
    pinned                                  | wanted                              | superseded
    ${{ kind: 'issue' }}                    | ${{ state: 'ACTIVE' }}              | ${false}
    ${{ kind: 'issue' }}                    | ${{ state: 'FROZEN' }}              | ${false}
    ${{ kind: 'issue' }}                    | ${{ state: 'REVOKED' }}             | ${true}
    ${{ kind: 'issue', expiry: undefined }} | ${{ state: 'ACTIVE', expiry: E1 }}  | ${true}
    ${{ kind: 'set-expiry', expiry: E1 }}   | ${{ state: 'ACTIVE', expiry: E1 }}  | ${false}
    ${{ kind: 'set-expiry', expiry: E1 }}   | ${{ state: 'FROZEN', expiry: E1 }}  | ${false}
    ${{ kind: 'set-expiry', expiry: E1 }}   | ${{ state: 'ACTIVE', expiry: E2 }}  | ${true}
    ${{ kind: 'set-expiry', expiry: E1 }}   | ${{ state: 'REVOKED', expiry: E1 }} | ${true}
    ${{ kind: 'freeze' }}                   | ${{ state: 'FROZEN' }}              | ${false}
    ${{ kind: 'freeze' }}                   | ${{ state: 'ACTIVE' }}              | ${true}
    ${{ kind: 'freeze' }}                   | ${{ state: 'REVOKED' }}             | ${true}
    ${{ kind: 'revoke' }}                   | ${{ state: 'REVOKED' }}             | ${false}
  `(
    'returns superseded: $superseded for a pinned $pinned.kind when $wanted is wanted',
    ({ pinned, wanted, superseded }) => {
      const pass = (pinned.kind === 'issue' ? aPass : anActivePass)({
        wanted,
        step: pinned,
        onChain: { expiry: undefined },
      });
      const answer = pin(pass);
      expect(answer.step.superseded).toBe(superseded);
      // The step stays pinned until its end is recorded.
      expect(answer.pass).toBe(pass);
      expect(answer.step.kind).toBe(pinned.kind);
    },
  );

  it('announces an expiry change once, when it pins the step', () => {
    const before = anActivePass({ wanted: { expiry: E2 }, onChain: { expiry: E1 } });
    const { pass, step } = pin(before);
    expect(step).toMatchObject({ id: `${PASS_ID}:2`, kind: 'set-expiry', expiry: E2 });
    expect(pass.events).toEqual([...before.events, { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW }]);
    expect(pass.version).toBe(before.version + 1);
    expect(pin(pass, NOW + 5).pass).toBe(pass);
  });

  it('does not announce a change again if its announcement has no confirmed transaction', () => {
    const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 9 } as const;
    const sent = { ...announced, transaction: { identifier: TRANSACTION, status: 'failed' } } as const;
    for (const event of [announced, sent]) {
      const before = anActivePass({ wanted: { expiry: E2 }, onChain: { expiry: E1 } });
      const waiting = { ...before, events: [...before.events, event] };
      expect(pin(waiting).pass.events).toEqual(waiting.events);
    }
  });

  it('announces a change again if the announced transaction was confirmed, since that changed another token', () => {
    const transaction = { identifier: TRANSACTION, status: 'confirmed' } as const;
    const announced = { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: NOW - 9, transaction } as const;
    const before = anActivePass({ wanted: { state: 'FROZEN' } });
    const { pass } = pin({ ...before, events: [...before.events, announced] });
    expect(pass.events.slice(-2)).toEqual([announced, { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: NOW }]);
  });

  it('announces the second of several tokens again after a reorg, so that the record keeps both transactions', () => {
    const reorged = { identifier: '0x2', status: 'failed' } as const;
    const events = [
      {
        eventType: 'TOKEN_FROZEN_INITIATED',
        timestamp: NOW - 9,
        transaction: { identifier: '0x3', status: 'confirmed' },
      },
      { eventType: 'TOKEN_FROZEN', timestamp: NOW - 8, transaction: reorged },
      { eventType: 'TOKEN_FROZEN_REORGED', timestamp: NOW - 7, transaction: reorged },
    ] as const;
    const { pass } = pin(aPass({ wanted: { state: 'FROZEN' }, onChain: { state: 'ACTIVE' }, events }));
    expect(pass.events).toEqual([...events, { eventType: 'TOKEN_FROZEN_INITIATED', timestamp: NOW }]);
  });

  it('keeps the pinned step until it ends, then pins the changed request under the next id', () => {
    const expired = NOW - 1;
    const first = pin(aPass({ wanted: { expiry: expired } }));
    const renewal = requestIssuance(first.pass, anIssueRequest({ key: first.pass.key, lifetime: 1000 }), NOW);
    if (renewal.type === 'refused') throw new Error(renewal.reason);
    expect(pin(renewal.pass).step).toEqual({ ...first.step, superseded: true });

    const status = {
      type: 'confirmed',
      transaction: TRANSACTION,
      onChain: { state: 'ACTIVE', expiry: expired },
    } as const;
    const issued = recordAnswer(renewal.pass, { step: first.step.id, revision: 1, status }, NOW);
    expect(pin(issued).step).toMatchObject({ id: `${PASS_ID}:2`, kind: 'set-expiry', expiry: E1 });
  });

  it('never uses a step id twice, even when a rejected pass is tried again', () => {
    let pass = aPass();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const { pass: pinned, step } = pin(pass);
      ids.push(step.id);
      const status = { type: 'failed', reason: `no ${n}` } as const;
      const rejected = recordAnswer(pinned, { step: step.id, revision: 1, status }, NOW);
      const again = requestIssuance(rejected, anIssueRequest({ key: pass.key }), NOW);
      if (again.type === 'refused') throw new Error(again.reason);
      pass = again.pass;
    }
    expect(ids).toEqual([`${PASS_ID}:1`, `${PASS_ID}:2`, `${PASS_ID}:3`]);
  });

  it('submits an issuance with the rank that the pass stores, and other steps with their fixed rank', () => {
    expect(pin({ ...aPass(), issuanceRank: 2 }).step).toMatchObject({ kind: 'issue', rank: 2 });
    const revoked = { ...anActivePass({ wanted: { state: 'REVOKED' } }), issuanceRank: 2 } as const;
    expect(pin(revoked).step).toMatchObject({ kind: 'revoke', rank: 0 });
  });
});
