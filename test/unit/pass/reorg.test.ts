import { describe, expect, it } from 'vitest';
import { adoptReading } from '../../../src/pass/adopt.ts';
import { isSettled, needsStep, nextStep } from '../../../src/pass/next-step.ts';
import { type OnChain, type Pass, stateOf, vanishedSteps } from '../../../src/pass/pass.ts';
import { pinStep } from '../../../src/pass/pin-step.ts';
import { recordAnswer } from '../../../src/pass/record-answer.ts';
import { requestUpdate } from '../../../src/pass/request-update.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { aPass, NOW } from './a-pass.ts';

/** What becomes of a pass when a block that holds one of its transactions leaves the chain. */

const ACTIVE: OnChain = { state: 'ACTIVE', asOf: 10 };
const FROZEN: OnChain = { state: 'FROZEN', asOf: 12 };

/** A pass, told step by step what its signer says. */
class Told {
  pass: Pass = aPass({ step: undefined });
  readonly #revisions = new Map<number, number>();

  /** Somebody reads the chain. */
  sync(found: OnChain): this {
    this.pass = adoptReading(this.pass, found, NOW).pass;
    return this;
  }

  wish(state: 'ACTIVE' | 'FROZEN' | 'REVOKED'): this {
    const wish = requestUpdate(this.pass, { state }, NOW);
    if ('pass' in wish) this.pass = wish.pass;
    return this;
  }

  take(): this {
    this.pass = pinStep(this.pass, NOW)?.pass ?? this.pass;
    return this;
  }

  hear(step: number, status: StepStatus): this {
    const revision = (this.#revisions.get(step) ?? 0) + 1;
    this.#revisions.set(step, revision);
    this.pass = recordAnswer(this.pass, { step: `${this.pass.id}:${step}`, revision, status }, NOW);
    return this;
  }

  /** The step is taken and confirmed, by a transaction of that name. */
  confirm(step: number, onChain: OnChain, transaction = `0x${step}`): this {
    return this.take().hear(step, { type: 'confirmed', transaction, onChain });
  }

  /** Types of the events, with the state of their transactions. */
  get events(): string[] {
    return this.pass.events.map(({ eventType, transaction }) =>
      [eventType, transaction && `${transaction.identifier} ${transaction.status}`].filter(Boolean).join(' '),
    );
  }
}

const gone = (step: number): StepStatus => ({ type: 'vanished', transaction: `0x${step}` });
const GIVEN_UP: StepStatus = { type: 'withdrawn' };
const issued = () => new Told().confirm(1, ACTIVE);

describe('an issuance whose block leaves the chain', () => {
  const reorganized = () => issued().hear(1, gone(1));

  it('is told as …_REORGED, and the pass is REQUESTED again, with its transaction on its way', () => {
    const { pass, events } = reorganized();
    expect([stateOf(pass), pass.onChain.state]).toEqual(['REQUESTED', 'NONE']);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x1 sent',
      'TOKEN_ISSUED 0x1 sent',
      'TOKEN_ISSUED_REORGED 0x1 sent',
    ]);
  });

  it('is not settled, and nothing else is begun meanwhile', () => {
    const { pass } = reorganized();
    expect([isSettled(pass), needsStep(pass)]).toEqual([false, false]);
    expect(pinStep(pass, NOW)).toBeUndefined();
  });

  it('is confirmed again: the same pass as before, and both are told', () => {
    const { pass, events } = reorganized().confirm(1, ACTIVE);
    expect([stateOf(pass), pass.onChain.state, isSettled(pass)]).toEqual(['ACTIVE', 'ACTIVE', true]);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x1 confirmed',
      'TOKEN_ISSUED 0x1 confirmed',
      'TOKEN_ISSUED_REORGED 0x1 confirmed',
      'TOKEN_ISSUED 0x1 confirmed',
    ]);
  });

  it('is confirmed again by the transaction that replaced it: the old one has failed', () => {
    const { events } = reorganized().confirm(1, ACTIVE, '0xnew');
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0xnew confirmed',
      'TOKEN_ISSUED 0x1 failed',
      'TOKEN_ISSUED_REORGED 0x1 failed',
      'TOKEN_ISSUED 0xnew confirmed',
    ]);
  });

  it('can never come back: its transaction has failed, and the pass is issued anew', () => {
    const { pass, events } = reorganized().hear(1, GIVEN_UP).confirm(2, ACTIVE);
    expect([stateOf(pass), pass.steps]).toEqual(['ACTIVE', 2]);
    expect(events).toEqual([
      'TOKEN_ISSUED_INITIATED 0x2 confirmed',
      'TOKEN_ISSUED 0x1 failed',
      'TOKEN_ISSUED_REORGED 0x1 failed',
      'TOKEN_ISSUED 0x2 confirmed',
    ]);
  });

  it('is heard of once, however often it is said', () => {
    const told = reorganized();
    const again = recordAnswer(told.pass, { step: `${told.pass.id}:1`, revision: 2, status: gone(1) }, NOW);
    expect(again).toBe(told.pass);
  });

  it('does not end a revocation that waits for it', () => {
    const told = issued().wish('REVOKED').take().hear(1, gone(1));
    expect(told.pass).toMatchObject({ wanted: { state: 'REVOKED' }, step: { kind: 'revoke' } });
    expect(pinStep(told.pass, NOW)?.step.superseded).toBe(false);
    told.confirm(1, ACTIVE).hear(2, { type: 'confirmed', transaction: '0x2', onChain: { state: 'REVOKED' } });
    expect([stateOf(told.pass), isSettled(told.pass)]).toEqual(['REVOKED', true]);
  });
});

describe('a change whose block leaves the chain', () => {
  it('takes back what was known, and nothing of what is wanted', () => {
    const { pass, events } = issued().wish('FROZEN').confirm(2, FROZEN).hear(2, gone(2));
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
  `('together with the one after it, in the order $order, leaves what was before both', ({ order }) => {
    const told = issued()
      .wish('FROZEN')
      .confirm(2, FROZEN)
      .wish('ACTIVE')
      .confirm(3, { ...ACTIVE, asOf: 13 });
    for (const step of order) told.hear(step, gone(step));
    expect(told.pass.onChain.state).toBe('ACTIVE');
    expect(told.confirm(2, FROZEN).pass.onChain.state).toBe('FROZEN');
    const { pass } = told.confirm(3, { ...ACTIVE, asOf: 14 });
    expect([pass.onChain.state, isSettled(pass)]).toEqual(['ACTIVE', true]);
  });

  it('was a revocation: it is not final as long as it is off the chain', () => {
    const told = issued().wish('REVOKED').confirm(2, { state: 'REVOKED' }).hear(2, gone(2));
    expect(told.pass).toMatchObject({ wanted: { state: 'REVOKED' }, onChain: { state: 'ACTIVE' } });
    expect(isSettled(told.pass)).toBe(false);
    told.hear(2, GIVEN_UP).take();
    expect(told.pass.step).toMatchObject({ kind: 'revoke', id: `${told.pass.id}:3` });
  });

  it('is not wanted any more when it can never come back: it is superseded', () => {
    const told = issued().wish('FROZEN').confirm(2, FROZEN).hear(2, gone(2)).wish('ACTIVE').hear(2, GIVEN_UP);
    expect([stateOf(told.pass), isSettled(told.pass)]).toEqual(['ACTIVE', true]);
    expect(told.events.at(-1)).toBe('TOKEN_FROZEN_FAILED');
  });
});

describe('others on the chain, and a reorg', () => {
  it('what came back in a later block is not taken for burned on the word of a node in between', () => {
    const told = issued().hear(1, gone(1)).confirm(1, { state: 'ACTIVE', asOf: 15 }).sync({ state: 'NONE', asOf: 12 });
    expect(stateOf(told.pass)).toBe('ACTIVE');
  });

  it('what moved to a later block neither, though it never was gone', () => {
    const told = issued().confirm(1, { state: 'ACTIVE', asOf: 15 });
    expect(told.events).toEqual(['TOKEN_ISSUED_INITIATED 0x1 confirmed', 'TOKEN_ISSUED 0x1 confirmed']);
    expect(stateOf(told.sync({ state: 'NONE', asOf: 12 }).pass)).toBe('ACTIVE');
  });

  it('who read the chain while it was gone took it for burned: it is wanted again when it is back', () => {
    const told = issued().sync({ state: 'NONE', asOf: 11 }).hear(1, gone(1)).confirm(1, { state: 'ACTIVE', asOf: 13 });
    expect([stateOf(told.pass), told.pass.onChain.state, isSettled(told.pass)]).toEqual(['ACTIVE', 'ACTIVE', true]);
  });

  it('an unfreezing of what others froze is given up: it is frozen again, and to be unfrozen', () => {
    const told = issued().sync({ state: 'FROZEN', asOf: 12 }).wish('ACTIVE').confirm(2, { state: 'ACTIVE', asOf: 14 });
    const { pass } = told.hear(2, gone(2)).hear(2, GIVEN_UP);
    expect([pass.onChain.state, nextStep(pass)?.kind]).toEqual(['FROZEN', 'unfreeze']);
  });

  it('both changes of a token that was adopted are given up: it is as it was before them', () => {
    const told = new Told().take().hear(1, { type: 'found', onChain: ACTIVE });
    told.wish('FROZEN').confirm(2, FROZEN).wish('ACTIVE').confirm(3, { state: 'ACTIVE', asOf: 14 }).wish('FROZEN');
    const { pass } = told.hear(2, gone(2)).hear(3, gone(3)).hear(2, GIVEN_UP).hear(3, GIVEN_UP);
    expect([pass.onChain.state, nextStep(pass)?.kind]).toEqual(['ACTIVE', 'freeze']);
  });

  it('a reorg takes the token and its revocation for good: it is revoked all the same, and told so', () => {
    const told = issued().wish('REVOKED').confirm(2, { state: 'REVOKED', asOf: 12 }).hear(1, gone(1)).hear(2, gone(2));
    told.hear(1, GIVEN_UP).hear(2, GIVEN_UP);
    expect([stateOf(told.pass), told.pass.onChain.state, isSettled(told.pass)]).toEqual(['REVOKED', 'NONE', true]);
    expect(told.events.slice(-2)).toEqual(['TOKEN_ISSUED_FAILED', 'TOKEN_REVOKED']);
  });

  it('a reorg brings about what was to be done: the change is at its end', () => {
    const told = issued().wish('FROZEN').confirm(2, FROZEN).wish('ACTIVE').take().hear(2, gone(2)).hear(2, GIVEN_UP);
    told.hear(3, GIVEN_UP);
    expect([stateOf(told.pass), isSettled(told.pass)]).toEqual(['ACTIVE', true]);
    expect(told.events.slice(-2)).toEqual(['TOKEN_FROZEN_FAILED', 'TOKEN_UNFROZEN']);
  });
});

describe('a signer whose store is empty', () => {
  it('is asked about what was off the chain, so that it can say that it knows nothing of it', () => {
    const { pass } = issued().hear(1, gone(1));
    expect(vanishedSteps(pass)).toEqual([`${pass.id}:1`]);
    const answer = { step: `${pass.id}:1`, revision: Number.MAX_SAFE_INTEGER, status: GIVEN_UP };
    expect(needsStep(recordAnswer(pass, answer, NOW))).toBe(true);
  });

  it('hears how much its pass knows of a step already', () => {
    const told = new Told().take().hear(1, { type: 'waiting' }).hear(1, { type: 'sent', transaction: '0x1' });
    expect(pinStep(told.pass, NOW)?.step.revision).toBe(2);
  });
});

it('remembers the newest steps only', () => {
  const told = issued();
  for (let step = 2; step <= 40; step += 1) {
    const state = step % 2 === 0 ? 'FROZEN' : 'ACTIVE';
    told.wish(state).confirm(step, { state, asOf: 10 + step });
  }
  expect(told.pass.past).toHaveLength(16);
  const before = told.pass;
  expect(told.hear(1, gone(1)).pass).toBe(before);
});
