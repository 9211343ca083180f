import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyReading } from '../../../src/pass/adopt.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { collectFeedEvents, FEED_TYPE_OF } from '../../../src/pass/feed-events.ts';
import { pinNextStep } from '../../../src/pass/next-step.ts';
import { type OnChain, type Pass, stateOf } from '../../../src/pass/pass.ts';
import { recordOf } from '../../../src/pass/record.ts';
import { type IssueRequest, requestIssuance, requestUpdate, type WantedChange } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import {
  CHANGES,
  ON_CHAIN_STATES,
  PASS_STATES,
  TRANSACTION_STATUSES,
  WANTED_STATES,
} from '../../../src/pass/vocabulary.ts';
import { LONG } from '../../form.ts';
import { anIssueRequest, anUpdateRequest, aPass, NOW, PASS_ID } from './a-pass.ts';

const EVENT_TYPES = CHANGES.flatMap((change) => [
  change,
  `${change}_INITIATED`,
  `${change}_FAILED`,
  `${change}_REORGED`,
]);

/** An action on a pass: a partner's request, passing time, or a reading or an answer, which may arrive late or twice. */
type Action =
  | { readonly type: 'issuance-requested'; readonly request: Pick<IssueRequest, 'lifetime' | 'expiry'> }
  | { readonly type: 'update-requested'; readonly request: WantedChange }
  | { readonly type: 'read'; readonly found: OnChain }
  | { readonly type: 'time-passed'; readonly seconds: number }
  | { readonly type: 'pinned' }
  | { readonly type: 'answered'; readonly n: number; readonly revision: number; readonly status: StepStatus };

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
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    type: fc.constant('issuance-requested' as const),
    request: fc.record({ lifetime: fc.constantFrom(undefined, 1, 20), expiry }),
  }),
  fc.record({
    type: fc.constant('update-requested' as const),
    request: fc.record({ state: fc.constantFrom(undefined, ...WANTED_STATES), expiry }),
  }),
  fc.record({ type: fc.constant('read' as const), found: onChain }),
  fc.record({ type: fc.constant('time-passed' as const), seconds: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ type: fc.constant('pinned' as const) }),
  fc.record({ type: fc.constant('answered' as const), n: fc.integer({ min: 1, max: 4 }), revision: fc.nat(6), status }),
);

function applyAction(pass: Pass, action: Action, now: number): Pass {
  switch (action.type) {
    case 'time-passed':
      return pass;
    case 'pinned':
      return pinNextStep(pass, now)?.pass ?? pass;
    case 'issuance-requested': {
      const result = requestIssuance(pass, anIssueRequest({ key: pass.key, ...action.request }), now);
      return result.type === 'refused' ? pass : result.pass;
    }
    case 'update-requested': {
      const result = requestUpdate(pass, anUpdateRequest(action.request), now);
      return result.type === 'refused' ? pass : result.pass;
    }
    case 'read':
      return applyReading(pass, action.found, now).pass;
    case 'answered':
      return recordAnswer(
        pass,
        { step: `${PASS_ID}:${action.n}`, revision: action.revision, status: action.status },
        now,
      );
  }
}

/** Checks that the pass uses only the documented states, events and transaction statuses. */
function expectVocabulary(pass: Pass): void {
  expect(PASS_STATES).toContain(stateOf(pass));
  expect(ON_CHAIN_STATES).toContain(pass.onChain.state);
  for (const { eventType, transaction } of pass.events) {
    expect(EVENT_TYPES).toContain(eventType);
    if (transaction) expect(TRANSACTION_STATUSES).toContain(transaction.status);
  }
}

/** Checks a pass against its state before one action. */
function expectNoRegression(before: Pass, pass: Pass): void {
  // A new step may be pinned only after the pinned step has ended.
  if (before.step && pass.step && pass.step.id !== before.step.id) expect(pass.steps).toBe(before.steps + 1);
  if (pass.step && pass.step.id !== before.step?.id) expect(pass.step.id).toBe(`${PASS_ID}:${before.steps + 1}`);
  if (pass.step && pass.step.id === before.step?.id) {
    expect(pass.step.revision).toBeGreaterThanOrEqual(before.step.revision);
    expect(pass.step.isSubmitted || !before.step.isSubmitted).toBe(true);
  }
  expect([before.steps, before.steps + 1]).toContain(pass.steps);

  // A partner's revocation is final unless the chain refuses it.
  if (before.revokedBy === 'partner' && pass.wanted.state !== 'REVOKED') {
    expect(pass.events.map(({ eventType }) => eventType)).toContain('TOKEN_REVOKED_FAILED');
  }
  // A token disappears only when it is burned, which is final, or when a reorg removes its block.
  const types = pass.events.map(({ eventType }) => eventType);
  const isBurned = before.onChain.state !== 'NONE' && pass.onChain.state === 'NONE';
  if (isBurned && !types.includes('TOKEN_ISSUED_REORGED')) expect(pass.wanted.state).toBe('REVOKED');

  // Events are only appended. In a past event only the transaction may change: if it is not confirmed, or after a reorg.
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

/** Returns the action with an answer that is newer than all before it, and with transactions that no other step has. */
function asNextAnswer(action: Action, index: number): Action {
  if (action.type !== 'answered') return action;
  const { status } = action;
  const own =
    'transaction' in status && status.transaction ? { transaction: `${status.transaction} of ${action.n}` } : {};
  return { ...action, revision: index + 1, status: { ...status, ...own } as StepStatus };
}

it('tells the feed of each change of a transaction that the feed has shown, under random actions in any order', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
      let pass = aPass();
      for (const [index, action] of actions.entries())
        pass = collectFeedEvents(pass, applyAction(pass, asNextAnswer(action, index), NOW));
      const told = new Map<string, string>();
      for (const { body } of pass.feed?.pending ?? []) {
        const { transaction } = JSON.parse(body).data.event;
        if (transaction) told.set(transaction.identifier, transaction.status);
      }
      for (const { eventType, transaction } of pass.events)
        if (transaction && FEED_TYPE_OF[eventType]) expect(told.get(transaction.identifier)).toBe(transaction.status);
    }),
    { numRuns: LONG ? 20_000 : 2_000 },
  );
});

it('keeps a pass valid, with one pinned step and a growing history, under random actions in any order', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
      let pass = aPass();
      let now = NOW;
      for (const action of actions) {
        if (action.type === 'time-passed') now += action.seconds;
        const next = applyAction(pass, action, now);
        expectVocabulary(next);
        expectNoRegression(pass, next);
        pass = next;
      }
    }),
    { numRuns: LONG ? 1_000 : 200 },
  );
});

it('ends in the same record if the answers of a step arrive in any order and several times', () => {
  const signer: readonly StepStatus[] = [
    { type: 'waiting' },
    { type: 'sent', transaction: '0xa' },
    { type: 'sent', transaction: '0xb' },
    { type: 'confirmed', transaction: '0xb', onChain: { state: 'ACTIVE' } },
  ];
  const answers = signer.map((status, index) => ({ step: `${PASS_ID}:1`, revision: index + 1, status }));
  const pinned = pinNextStep(aPass(), NOW)?.pass ?? aPass();
  const record = (order: typeof answers) =>
    recordOf(order.reduce((pass, answer) => recordAnswer(pass, answer, NOW), pinned));

  const repeated = fc.shuffledSubarray([...answers, ...answers, ...answers], { minLength: 12 });
  fc.assert(
    fc.property(repeated, (order) => {
      expect(record(order)).toEqual(record(answers));
    }),
  );
});
