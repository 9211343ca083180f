import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { isSettled, needsStep, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import { type OnChain, stateOf, vanishedSteps } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { NOW } from './a-pass.ts';
import { PassTimeline } from './pass-timeline.ts';

/** The effects on a pass when a block with one of its transactions leaves the chain. */

const ACTIVE: OnChain = { state: 'ACTIVE', asOf: 10 };
const FROZEN: OnChain = { state: 'FROZEN', asOf: 12 };

const vanished = (step: number): StepStatus => ({ type: 'vanished', transaction: `0x${step}` });
const WITHDRAWN: StepStatus = { type: 'withdrawn' };
const anIssuedPass = () => new PassTimeline().confirm(1, ACTIVE);

describe('a pass whose issuance is reorged', () => {
  const aReorgedPass = () => anIssuedPass().record(1, vanished(1));

  it('records a reorged issuance as …_REORGED and makes the pass REQUESTED with its transaction sent', () => {
    const { pass, events } = aReorgedPass();
    expect([stateOf(pass), pass.onChain.state]).toEqual(['REQUESTED', 'NONE']);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x1 sent',
      'TOKEN_ISSUED 0x1 sent',
      'TOKEN_ISSUED_REORGED 0x1 sent',
    ]);
  });

  it('leaves the pass unsettled and pins no step while its issuance is off the chain', () => {
    const { pass } = aReorgedPass();
    expect([isSettled(pass), needsStep(pass)]).toEqual([false, false]);
    expect(pinNextStep(pass, NOW)).toBeUndefined();
  });

  it('makes the pass ACTIVE again and records both confirmations when the issuance is confirmed again', () => {
    const { pass, events } = aReorgedPass().confirm(1, ACTIVE);
    expect([stateOf(pass), pass.onChain.state, isSettled(pass)]).toEqual(['ACTIVE', 'ACTIVE', true]);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x1 confirmed',
      'TOKEN_ISSUED 0x1 confirmed',
      'TOKEN_ISSUED_REORGED 0x1 confirmed',
      'TOKEN_ISSUED 0x1 confirmed',
    ]);
  });

  it('shows the old transaction as failed when its replacement is confirmed after the reorg', () => {
    const { events } = aReorgedPass().confirm(1, ACTIVE, '0xnew');
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0xnew confirmed',
      'TOKEN_ISSUED 0x1 failed',
      'TOKEN_ISSUED_REORGED 0x1 failed',
      'TOKEN_ISSUED 0xnew confirmed',
    ]);
  });

  it('issues the pass again under the next step when the reorged issuance is withdrawn', () => {
    const { pass, events } = aReorgedPass().record(1, WITHDRAWN).confirm(2, ACTIVE);
    expect([stateOf(pass), pass.steps]).toEqual(['ACTIVE', 2]);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x2 confirmed',
      'TOKEN_ISSUED 0x1 failed',
      'TOKEN_ISSUED_REORGED 0x1 failed',
      'TOKEN_ISSUED 0x2 confirmed',
    ]);
  });

  it('ignores a repeated answer about the same reorg', () => {
    const timeline = aReorgedPass();
    const again = recordAnswer(timeline.pass, { step: `${timeline.pass.id}:1`, revision: 2, status: vanished(1) }, NOW);
    expect(again).toBe(timeline.pass);
  });

  it('keeps a pinned revocation while the earlier issuance is off the chain', () => {
    const timeline = anIssuedPass().request('REVOKED').pin().record(1, vanished(1));
    expect(timeline.pass).toMatchObject({ wanted: { state: 'REVOKED' }, step: { kind: 'revoke' } });
    expect(pinNextStep(timeline.pass, NOW)?.step.superseded).toBe(false);
    timeline.confirm(1, ACTIVE).record(2, { type: 'confirmed', transaction: '0x2', onChain: { state: 'REVOKED' } });
    expect([stateOf(timeline.pass), isSettled(timeline.pass)]).toEqual(['REVOKED', true]);
  });
});

describe('a pass whose change is reorged', () => {
  it('reverts the on-chain state of a reorged change and keeps the wanted state', () => {
    const { pass, events } = anIssuedPass().request('FROZEN').confirm(2, FROZEN).record(2, vanished(2));
    expect([stateOf(pass), pass.onChain.state]).toEqual(['FROZEN', 'ACTIVE']);
    expect(events.slice(2)).toEqual([
      'TOKEN_FROZEN_INITIATED 0x2 sent',
      'TOKEN_FROZEN 0x2 sent',
      'TOKEN_FROZEN_REORGED 0x2 sent',
    ]);
  });

  it.each`
    order
    ${[2, 3]}
    ${[3, 2]}
  `('reverts to the state before both changes when the steps vanish in the order $order', ({ order }) => {
    const timeline = anIssuedPass()
      .request('FROZEN')
      .confirm(2, FROZEN)
      .request('ACTIVE')
      .confirm(3, { ...ACTIVE, asOf: 13 });
    for (const step of order) timeline.record(step, vanished(step));
    expect(timeline.pass.onChain.state).toBe('ACTIVE');
    expect(timeline.confirm(2, FROZEN).pass.onChain.state).toBe('FROZEN');
    const { pass } = timeline.confirm(3, { ...ACTIVE, asOf: 14 });
    expect([pass.onChain.state, isSettled(pass)]).toEqual(['ACTIVE', true]);
  });

  it('revokes the pass again when its reorged revocation is withdrawn', () => {
    const timeline = anIssuedPass().request('REVOKED').confirm(2, { state: 'REVOKED' }).record(2, vanished(2));
    expect(timeline.pass).toMatchObject({ wanted: { state: 'REVOKED' }, onChain: { state: 'ACTIVE' } });
    expect(isSettled(timeline.pass)).toBe(false);
    timeline.record(2, WITHDRAWN).pin();
    expect(timeline.pass.step).toMatchObject({ kind: 'revoke', id: `${timeline.pass.id}:3` });
  });

  it('ends a reorged change as failed when it is withdrawn and no longer wanted', () => {
    const timeline = anIssuedPass()
      .request('FROZEN')
      .confirm(2, FROZEN)
      .record(2, vanished(2))
      .request('ACTIVE')
      .record(2, WITHDRAWN);
    expect([stateOf(timeline.pass), isSettled(timeline.pass)]).toEqual(['ACTIVE', true]);
    expect(timeline.events.at(-1)).toBe('TOKEN_FROZEN_FAILED');
  });
});

describe('a reorged pass and the changes of others', () => {
  it('ignores an older reading without the token after a later block confirmed the issuance again', () => {
    const timeline = anIssuedPass()
      .record(1, vanished(1))
      .confirm(1, { state: 'ACTIVE', asOf: 15 })
      .sync({ state: 'NONE', asOf: 12 });
    expect(stateOf(timeline.pass)).toBe('ACTIVE');
  });

  it('ignores an older reading without the token after the issuance moved to a later block', () => {
    const timeline = anIssuedPass().confirm(1, { state: 'ACTIVE', asOf: 15 });
    expect(timeline.events).toEqual(['TOKEN_ISSUED_INITIATED 0x1 confirmed', 'TOKEN_ISSUED 0x1 confirmed']);
    expect(stateOf(timeline.sync({ state: 'NONE', asOf: 12 }).pass)).toBe('ACTIVE');
  });

  it('makes the pass ACTIVE again if a reading during the reorg showed no token', () => {
    const timeline = anIssuedPass()
      .sync({ state: 'NONE', asOf: 11 })
      .record(1, vanished(1))
      .confirm(1, { state: 'ACTIVE', asOf: 13 });
    expect([stateOf(timeline.pass), timeline.pass.onChain.state, isSettled(timeline.pass)]).toEqual([
      'ACTIVE',
      'ACTIVE',
      true,
    ]);
  });

  it('unfreezes the token again when the reorged unfreeze of a token that others froze is withdrawn', () => {
    const timeline = anIssuedPass()
      .sync({ state: 'FROZEN', asOf: 12 })
      .request('ACTIVE')
      .confirm(2, { state: 'ACTIVE', asOf: 14 });
    const { pass } = timeline.record(2, vanished(2)).record(2, WITHDRAWN);
    expect([pass.onChain.state, nextStep(pass)?.kind]).toEqual(['FROZEN', 'unfreeze']);
  });

  it('reverts to the adopted state when both changes after it are reorged and withdrawn', () => {
    const timeline = new PassTimeline().pin().record(1, { type: 'found', onChain: ACTIVE });
    timeline
      .request('FROZEN')
      .confirm(2, FROZEN)
      .request('ACTIVE')
      .confirm(3, { state: 'ACTIVE', asOf: 14 })
      .request('FROZEN');
    const { pass } = timeline.record(2, vanished(2)).record(3, vanished(3)).record(2, WITHDRAWN).record(3, WITHDRAWN);
    expect([pass.onChain.state, nextStep(pass)?.kind]).toEqual(['ACTIVE', 'freeze']);
  });

  it('revokes the pass again when a reorg permanently removes both its token and its revocation', () => {
    const timeline = anIssuedPass()
      .request('REVOKED')
      .confirm(2, { state: 'REVOKED', asOf: 12 })
      .record(1, vanished(1))
      .record(2, vanished(2));
    timeline.record(1, WITHDRAWN).record(2, WITHDRAWN);
    expect([stateOf(timeline.pass), timeline.pass.onChain.state, isSettled(timeline.pass)]).toEqual([
      'REVOKED',
      'NONE',
      false,
    ]);
    timeline.pin().record(3, { type: 'found', onChain: { state: 'NONE', asOf: 20 } });
    expect(isSettled(timeline.pass)).toBe(true);
    expect(timeline.events.slice(-2)).toEqual(['TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED']);
  });

  it('records a pinned change as done when a reorg already has its effect', () => {
    const timeline = anIssuedPass()
      .request('FROZEN')
      .confirm(2, FROZEN)
      .request('ACTIVE')
      .pin()
      .record(2, vanished(2))
      .record(2, WITHDRAWN);
    timeline.record(3, WITHDRAWN);
    expect([stateOf(timeline.pass), isSettled(timeline.pass)]).toEqual(['ACTIVE', true]);
    expect(timeline.events.slice(-2)).toEqual(['TOKEN_FROZEN_FAILED', 'TOKEN_UNFROZEN']);
  });
});

describe('a pass whose signer lost its store', () => {
  it('lists its vanished steps, so that a signer without these steps can withdraw them', () => {
    const { pass } = anIssuedPass().record(1, vanished(1));
    expect(vanishedSteps(pass)).toEqual([`${pass.id}:1`]);
    const answer = { step: `${pass.id}:1`, revision: Number.MAX_SAFE_INTEGER, status: WITHDRAWN };
    expect(needsStep(recordAnswer(pass, answer, NOW))).toBe(true);
  });

  it('submits a pinned step with the recorded revision', () => {
    const timeline = new PassTimeline()
      .pin()
      .record(1, { type: 'waiting' })
      .record(1, { type: 'sent', transaction: '0x1' });
    expect(pinNextStep(timeline.pass, NOW)?.step.revision).toBe(2);
  });
});

it('remembers the newest 16 past steps and ignores answers about older ones', () => {
  const timeline = anIssuedPass();
  for (let step = 2; step <= 40; step += 1) {
    const state = step % 2 === 0 ? 'FROZEN' : 'ACTIVE';
    timeline.request(state).confirm(step, { state, asOf: 10 + step });
  }
  expect(timeline.pass.past).toHaveLength(16);
  const before = timeline.pass;
  expect(timeline.record(1, vanished(1)).pass).toBe(before);
});

describe('a change of several tokens, one of whose steps is reorged', () => {
  const aFirstPart = () => anIssuedPass().request('FROZEN').confirm(2, ACTIVE);
  const aWhole = () => aFirstPart().confirm(3, FROZEN);

  it('shows the transaction of the first part as failed when it is withdrawn, and changes that token again', () => {
    const { pass, events } = aFirstPart().record(2, vanished(2)).record(2, WITHDRAWN);
    expect(events.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED 0x2 failed']);
    expect(nextStep(pass)).toEqual({ kind: 'freeze' });
  });

  it('reports no reorg of a part whose change was not done yet, and no confirmation when it is back', () => {
    const timeline = aFirstPart().record(2, vanished(2));
    expect(timeline.events.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED 0x2 sent']);
    expect(pinNextStep(timeline.pass, NOW)).toBeUndefined();
    const { pass, events } = timeline.confirm(2, ACTIVE);
    expect(events.slice(2)).toEqual(['TOKEN_FROZEN_INITIATED 0x2 confirmed']);
    expect(nextStep(pass)).toEqual({ kind: 'freeze' });
  });

  it('reports the reorg of a part after the whole change was done, and that it is done again', () => {
    const timeline = aWhole().record(2, vanished(2));
    expect(timeline.pass).toMatchObject({ wanted: { state: 'FROZEN' }, onChain: { state: 'ACTIVE' } });
    expect(timeline.events.at(-1)).toBe('TOKEN_FROZEN_REORGED 0x2 sent');
    const { pass, events } = timeline.confirm(2, ACTIVE);
    expect([pass.onChain.state, isSettled(pass)]).toEqual(['FROZEN', true]);
    expect(events.slice(2)).toEqual([
      'TOKEN_FROZEN_INITIATED 0x2 confirmed',
      'TOKEN_FROZEN_INITIATED 0x3 confirmed',
      'TOKEN_FROZEN 0x3 confirmed',
      'TOKEN_FROZEN_REORGED 0x2 confirmed',
      'TOKEN_FROZEN 0x2 confirmed',
    ]);
  });

  it('changes the token again when a part of the whole change is withdrawn', () => {
    const { pass } = aWhole().record(2, vanished(2)).record(2, WITHDRAWN);
    expect(pass.onChain.state).toBe('ACTIVE');
    expect(nextStep(pass)).toEqual({ kind: 'freeze' });
  });
});
