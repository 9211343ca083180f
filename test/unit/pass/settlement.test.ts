import fc from 'fast-check';
import { expect, it } from 'vitest';
import { adoptReading } from '../../../src/pass/adopt.ts';
import { type OnChain, type Pass, stateOf } from '../../../src/pass/pass.ts';
import { pinStep } from '../../../src/pass/pin-step.ts';
import { recordOf } from '../../../src/pass/record.ts';
import { recordAnswer } from '../../../src/pass/record-answer.ts';
import { requestIssuance } from '../../../src/pass/request-issuance.ts';
import { requestUpdate, type UpdateRequest } from '../../../src/pass/request-update.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import {
  CHANGES,
  ON_CHAIN_STATES,
  PASS_STATES,
  TRANSACTION_STATUSES,
  WANTED_STATES,
} from '../../../src/pass/vocabulary.ts';
import { aPass, NOW, PASS_ID } from './a-pass.ts';

const EVENT_TYPES = CHANGES.flatMap((change) => [
  change,
  `${change}_INITIATED`,
  `${change}_FAILED`,
  `${change}_REORGED`,
]);

/** Anything that may happen to a pass: partners ask, time goes by, looks and answers come in any order, also twice. */
type Happening =
  | { readonly is: 'asked'; readonly lifetime: number | undefined }
  | { readonly is: 'changed'; readonly request: UpdateRequest }
  | { readonly is: 'read'; readonly found: OnChain }
  | { readonly is: 'time'; readonly seconds: number }
  | { readonly is: 'taken' }
  | { readonly is: 'answered'; readonly n: number; readonly revision: number; readonly status: StepStatus };

const expiry = fc.option(fc.integer({ min: NOW - 50, max: NOW + 50 }), { nil: undefined });
const transaction = fc.constantFrom('0xa', '0xb');
const onChain = fc.record({ state: fc.constantFrom(...ON_CHAIN_STATES), expiry, asOf: fc.nat(100) });
const status: fc.Arbitrary<StepStatus> = fc.oneof(
  fc.record({ type: fc.constant('waiting' as const) }),
  fc.record({ type: fc.constant('sent' as const), transaction }),
  fc.record({
    type: fc.constant('confirmed' as const),
    transaction,
    onChain: fc.record({ state: fc.constantFrom(...WANTED_STATES), expiry }),
  }),
  fc.record({ type: fc.constant('found' as const), onChain }),
  fc.record({ type: fc.constant('vanished' as const), transaction }),
  fc.record({ type: fc.constant('withdrawn' as const) }),
  fc.record({
    type: fc.constant('failed' as const),
    reason: fc.constant('no'),
    transaction: fc.option(transaction, { nil: undefined }),
  }),
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ is: fc.constant('asked' as const), lifetime: fc.constantFrom(undefined, 1, 20) }),
  fc.record({
    is: fc.constant('changed' as const),
    request: fc.record({ state: fc.constantFrom(undefined, ...WANTED_STATES), expiry }),
  }),
  fc.record({ is: fc.constant('read' as const), found: onChain }),
  fc.record({ is: fc.constant('time' as const), seconds: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ is: fc.constant('taken' as const) }),
  fc.record({ is: fc.constant('answered' as const), n: fc.integer({ min: 1, max: 4 }), revision: fc.nat(6), status }),
);

function after(pass: Pass, what: Happening, now: number): Pass {
  switch (what.is) {
    case 'time':
      return pass;
    case 'taken':
      return pinStep(pass, now)?.pass ?? pass;
    case 'asked': {
      const wish = requestIssuance(
        pass,
        { key: pass.key, id: 'unused', signer: 'unused', lifetime: what.lifetime },
        now,
      );
      return 'refused' in wish ? pass : wish.pass;
    }
    case 'changed': {
      const wish = requestUpdate(pass, what.request, now);
      return 'refused' in wish ? pass : wish.pass;
    }
    case 'read':
      return adoptReading(pass, what.found, now).pass;
    case 'answered':
      return recordAnswer(pass, { step: `${PASS_ID}:${what.n}`, revision: what.revision, status: what.status }, now);
  }
}

/** What holds of every pass. */
function expectToBeSpeakable(pass: Pass): void {
  expect(PASS_STATES).toContain(stateOf(pass));
  expect(ON_CHAIN_STATES).toContain(pass.onChain.state);
  for (const { eventType, transaction } of pass.events) {
    expect(EVENT_TYPES).toContain(eventType);
    if (transaction) expect(TRANSACTION_STATUSES).toContain(transaction.status);
  }
}

/** What holds between a pass and the same pass a moment later. */
function expectNoWayBack(before: Pass, pass: Pass): void {
  // A step that is not the pinned one may only come up once that one has ended.
  if (before.step && pass.step && pass.step.id !== before.step.id) expect(pass.steps).toBe(before.steps + 1);
  if (pass.step && pass.step.id !== before.step?.id) expect(pass.step.id).toBe(`${PASS_ID}:${before.steps + 1}`);
  if (pass.step && pass.step.id === before.step?.id) {
    expect(pass.step.revision).toBeGreaterThanOrEqual(before.step.revision);
    expect(pass.step.held || !before.step.held).toBe(true);
  }
  expect([before.steps, before.steps + 1]).toContain(pass.steps);

  // A partner's revocation is final, unless the chain refuses it.
  if (before.revokedBy === 'partner' && pass.wanted.state !== 'REVOKED') {
    expect(pass.events.map(({ eventType }) => eventType)).toContain('TOKEN_REVOKED_FAILED');
  }
  // Only a burned token is gone from the chain, and that is final; unless its block is.
  const types = pass.events.map(({ eventType }) => eventType);
  const isBurned = before.onChain.state !== 'NONE' && pass.onChain.state === 'NONE';
  if (isBurned && !types.includes('TOKEN_ISSUED_REORGED')) expect(pass.wanted.state).toBe('REVOKED');

  // History is only added to; the one thing that changes of it is a transaction that is not confirmed, or was and left the chain.
  for (const [index, event] of before.events.entries()) {
    const { transaction } = event;
    const isSure = transaction?.status === 'confirmed' && !types.some((type) => type.endsWith('_REORGED'));
    if (isSure) expect(pass.events[index]).toMatchObject({ ...event, transaction: { status: 'confirmed' } });
    else expect(pass.events[index]).toMatchObject({ eventType: event.eventType, timestamp: event.timestamp });
  }
  expect([before.version, before.version + 1]).toContain(pass.version);
  if (JSON.stringify(recordOf(pass)) !== JSON.stringify(recordOf(before)))
    expect(pass.version).toBe(before.version + 1);
}

it('never leaves its words, never pins two steps and never goes back, whatever comes in whatever order', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (story) => {
      let pass = aPass();
      let now = NOW;
      for (const what of story) {
        if (what.is === 'time') now += what.seconds;
        const next = after(pass, what, now);
        expectToBeSpeakable(next);
        expectNoWayBack(pass, next);
        pass = next;
      }
    }),
    { numRuns: 1000 },
  );
});

it('comes to the same end however often and in which order the answers of a step arrive', () => {
  const signer: readonly StepStatus[] = [
    { type: 'waiting' },
    { type: 'sent', transaction: '0xa' },
    { type: 'sent', transaction: '0xb' },
    { type: 'confirmed', transaction: '0xb', onChain: { state: 'ACTIVE' } },
  ];
  const answers = signer.map((status, index) => ({ step: `${PASS_ID}:1`, revision: index + 1, status }));
  const pinned = pinStep(aPass(), NOW)?.pass ?? aPass();
  const record = (order: typeof answers) =>
    recordOf(order.reduce((pass, answer) => recordAnswer(pass, answer, NOW), pinned));

  const repeated = fc.shuffledSubarray([...answers, ...answers, ...answers], { minLength: 12 });
  fc.assert(
    fc.property(repeated, (order) => {
      expect(record(order)).toEqual(record(answers));
    }),
  );
});
