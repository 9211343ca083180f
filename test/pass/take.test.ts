import { describe, expect, it } from 'vitest';
import type { Pass } from '../../src/pass/pass.ts';
import { recordAnswer } from '../../src/pass/record-answer.ts';
import { requestIssuance } from '../../src/pass/request.ts';
import type { Step } from '../../src/pass/step.ts';
import { take } from '../../src/pass/take.ts';
import { anActivePass, aPass, NOW, PASS_ID, TRANSACTION } from './a-pass.ts';

const [E1, E2] = [NOW + 1000, NOW + 2000];

/** Takes the step of a pass that must have one. */
function taken(pass: Pass, now = NOW): { pass: Pass; step: Step } {
  const answer = take(pass, now);
  if (answer === undefined) throw new Error('nothing to take');
  return answer;
}

describe('take', () => {
  it.each`
    what          | pass
    ${'issued'}   | ${anActivePass()}
    ${'rejected'} | ${aPass({ rejected: true })}
    ${'revoked'}  | ${aPass({ wanted: { state: 'REVOKED' } })}
  `('finds nothing to do for a pass that is $what', ({ pass }) => {
    expect(take(pass, NOW)).toBeUndefined();
  });

  it('pins the issuance, with what it aims at', () => {
    const { pass, step } = taken(aPass({ wanted: { expiry: E1 } }));
    expect(step).toEqual({ id: `${PASS_ID}:1`, kind: 'issue', expiry: E1, key: pass.key });
    expect(pass).toMatchObject({
      steps: 1,
      step: { id: step.id, kind: 'issue', expiry: E1, revision: 0, held: false },
    });
  });

  it('says nothing of an issuance that was announced when it was accepted', () => {
    const before = aPass();
    const { pass } = taken(before);
    expect(pass.events).toBe(before.events);
    expect(pass.version).toBe(before.version);
  });

  it('pins once: who takes again gets the same step, and the same pass', () => {
    const first = taken(aPass());
    const again = taken(first.pass, NOW + 500);
    expect(again.step).toEqual(first.step);
    expect(again.pass).toBe(first.pass);
  });

  it('announces a change of the expiry when it is taken, once', () => {
    const before = anActivePass({ wanted: { expiry: E2 }, onChain: { expiry: E1 } });
    const { pass, step } = taken(before);
    expect(step).toMatchObject({ id: `${PASS_ID}:2`, kind: 'set-expiry', expiry: E2 });
    expect(pass.events).toEqual([...before.events, { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW }]);
    expect(pass.version).toBe(before.version + 1);
    expect(taken(pass, NOW + 5).pass).toBe(pass);
  });

  it('lets a changed wish wait for the end of the pinned step, then takes it under the next id', () => {
    const expired = NOW - 1;
    const first = taken(aPass({ wanted: { expiry: expired } }));
    const renewal = requestIssuance(first.pass, { key: first.pass.key, id: '', signer: '', lifetime: 1000 }, NOW);
    if ('refused' in renewal) throw new Error(renewal.refused);
    expect(taken(renewal.pass).step).toEqual(first.step);

    const standing = {
      at: 'confirmed',
      transaction: TRANSACTION,
      onChain: { state: 'ACTIVE', expiry: expired },
    } as const;
    const issued = recordAnswer(renewal.pass, { step: first.step.id, revision: 1, standing }, NOW);
    expect(taken(issued).step).toMatchObject({ id: `${PASS_ID}:2`, kind: 'set-expiry', expiry: E1 });
  });

  it('never uses a step id twice, also when a rejected pass is tried again', () => {
    let pass = aPass();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const { pass: pinned, step } = taken(pass);
      ids.push(step.id);
      const standing = { at: 'failed', reason: `no ${n}` } as const;
      const rejected = recordAnswer(pinned, { step: step.id, revision: 1, standing }, NOW);
      const again = requestIssuance(rejected, { key: pass.key, id: '', signer: '' }, NOW);
      if ('refused' in again) throw new Error(again.refused);
      pass = again.pass;
    }
    expect(ids).toEqual([`${PASS_ID}:1`, `${PASS_ID}:2`, `${PASS_ID}:3`]);
  });
});
