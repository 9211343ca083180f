import { describe, expect, it } from 'vitest';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { isSettled, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import { type Pass, stateOf } from '../../../src/pass/pass.ts';
import { countsForSubject, requestIssuance, requestUpdate, type UpdateRequest } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { BULK_ISSUANCE, URGENT } from '../../../src/pass/step-kinds.ts';
import { requestForSubject, type SubjectChange } from '../../../src/pass/subject-changes.ts';
import { isUrgent, standingOf } from '../../../src/pass-object/results.ts';
import { anActivePass, anIssueRequest, anUpdateRequest, aPass, NOW, TRANSACTION } from './a-pass.ts';

/** A pass of a subject, and the changes of all its passes. */

const subject = 'p-7f3c9a51e2';
const BY = { actor: { client: 'acme' }, requestId: '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11' };
const member = (overrides: Parameters<typeof anActivePass>[0] = {}): Pass => ({ ...anActivePass(overrides), subject });
const change = (pass: Pass, number: number, more: Partial<SubjectChange>) =>
  requestForSubject(pass, { subject, number, requestedAt: NOW, client: 'acme', by: BY, ...more }, NOW, 'in-service');
const follow = (pass: Pass, ...states: readonly ('ACTIVE' | 'FROZEN' | 'REVOKED')[]) =>
  states.reduce((each, state, index) => change(each, index + 1, { state }).pass, pass);
const update = (pass: Pass, more: Partial<UpdateRequest>) =>
  requestUpdate(pass, { ...anUpdateRequest({}), by: BY, ...more }, NOW);

const FROZEN = { wanted: { state: 'FROZEN' }, onChain: { state: 'FROZEN' } } as const;
const EXPIRED = { wanted: { expiry: NOW - 1 }, onChain: { expiry: NOW - 1 } };
const PASSES = {
  requested: { ...aPass(), subject },
  active: member(),
  frozen: member(FROZEN),
  revoked: member({ wanted: { state: 'REVOKED' }, onChain: { state: 'REVOKED' }, revokedBy: 'partner' }),
  rejected: { ...aPass({ rejected: true }), subject },
  expired: member(EXPIRED),
} as const satisfies Readonly<Record<string, Pass>>;

describe('a change of the subject', () => {
  it.each`
    pass           | states                                      | state
    ${'requested'} | ${['FROZEN']}                               | ${'FROZEN'}
    ${'active'}    | ${['FROZEN']}                               | ${'FROZEN'}
    ${'frozen'}    | ${['FROZEN']}                               | ${'FROZEN'}
    ${'revoked'}   | ${['FROZEN']}                               | ${'REVOKED'}
    ${'rejected'}  | ${['FROZEN']}                               | ${'REJECTED'}
    ${'requested'} | ${['FROZEN', 'ACTIVE']}                     | ${'REQUESTED'}
    ${'active'}    | ${['FROZEN', 'ACTIVE']}                     | ${'ACTIVE'}
    ${'active'}    | ${['FROZEN', 'FROZEN', 'ACTIVE']}           | ${'ACTIVE'}
    ${'active'}    | ${['FROZEN', 'ACTIVE', 'FROZEN', 'ACTIVE']} | ${'ACTIVE'}
    ${'frozen'}    | ${['FROZEN', 'ACTIVE']}                     | ${'FROZEN'}
    ${'frozen'}    | ${['ACTIVE']}                               | ${'FROZEN'}
    ${'revoked'}   | ${['FROZEN', 'ACTIVE']}                     | ${'REVOKED'}
    ${'rejected'}  | ${['FROZEN', 'ACTIVE']}                     | ${'REJECTED'}
    ${'active'}    | ${['FROZEN', 'REVOKED']}                    | ${'REVOKED'}
    ${'rejected'}  | ${['REVOKED']}                              | ${'REVOKED'}
    ${'requested'} | ${['REVOKED']}                              | ${'REVOKED'}
  `('to $states leaves a pass that was $pass $state', ({ pass, states, state }) => {
    expect(stateOf(follow(PASSES[pass as keyof typeof PASSES], ...states))).toBe(state);
  });

  it('that is late or repeated changes nothing', () => {
    const unfrozen = follow(PASSES.active, 'FROZEN', 'ACTIVE');
    expect(change(unfrozen, 1, { state: 'FROZEN' })).toMatchObject({ pass: unfrozen, changed: false });
    expect(change(unfrozen, 2, { state: 'ACTIVE' })).toMatchObject({ pass: unfrozen, changed: false });
  });

  it('of another subject does not concern the pass', () => {
    const other = change(PASSES.active, 1, { subject: 'other', state: 'FROZEN' });
    expect(other).toEqual({ type: 'applied', pass: PASSES.active, changed: false, refused: 'subject_differs' });
  });

  it('says why a pass cannot follow, and leaves it without the change', () => {
    const foreign = member({ key: { chain: 'solana' }, onChain: { foreign: true } });
    const frozen = change(foreign, 1, { state: 'FROZEN' });
    expect(frozen).toMatchObject({ refused: 'issued_by_another_gatekeeper', pass: { wanted: { state: 'ACTIVE' } } });
    // The subject is frozen all the same.
    expect(update(frozen.pass, { subject: null, via: subject })).toMatchObject({ reason: 'subject_frozen' });
    expect(change(frozen.pass, 2, { state: 'ACTIVE' })).not.toHaveProperty('refused', expect.any(String));
  });

  it('of the expiry renews passes that are neither revoked nor rejected', () => {
    const renewed = (pass: Pass) => change(pass, 1, { expiry: NOW + 60 }).pass.wanted.expiry;
    for (const name of ['requested', 'active', 'frozen', 'expired'] as const)
      expect(renewed(PASSES[name])).toBe(NOW + 60);
    for (const name of ['revoked', 'rejected'] as const) expect(renewed(PASSES[name])).toBe(PASSES[name].wanted.expiry);
  });
});

describe('a pass of a frozen subject', () => {
  it('is not issued if it is not on chain yet, and its waiting step is superseded', () => {
    const pinned = pinNextStep(PASSES.requested, NOW);
    const held = change(pinned?.pass as Pass, 1, { state: 'FROZEN' }).pass;
    expect(pinNextStep(held, NOW)?.step).toMatchObject({ kind: 'issue', superseded: true });
    const frozen = follow(PASSES.requested, 'FROZEN');
    expect([nextStep(frozen), isSettled(frozen)]).toEqual([undefined, true]);
    expect(nextStep(follow(PASSES.requested, 'FROZEN', 'ACTIVE'))).toMatchObject({ kind: 'issue' });
  });

  it('is frozen if a transaction has issued it meanwhile', () => {
    const frozen = follow(PASSES.requested, 'FROZEN');
    expect(nextStep({ ...frozen, onChain: { state: 'ACTIVE' } })).toMatchObject({ kind: 'freeze' });
  });

  it.each(['ethereum', 'solana'] as const)('is frozen before it gets a new expiry (%s)', (chain) => {
    const until = NOW + 60;
    const active = member({ key: { chain }, wanted: { expiry: until }, onChain: { expiry: until } });
    const renewed = pinNextStep(change(active, 1, { expiry: until + 60 }).pass, NOW)?.pass as Pass;
    const held = change(renewed, 2, { state: 'FROZEN' }).pass;
    expect(pinNextStep(held, NOW)?.step).toMatchObject({ kind: 'set-expiry', superseded: true });
    const withdrawn = recordAnswer(
      held,
      { step: String(held.step?.id), revision: 1, status: { type: 'withdrawn' } },
      NOW,
    );
    expect(pinNextStep(withdrawn, NOW)?.step).toMatchObject({ kind: 'freeze', rank: URGENT });
    const onChain = { state: 'FROZEN', expiry: until } as const;
    const next = (pass: Pass) => nextStep({ ...pass, step: undefined, onChain })?.kind;
    expect(next(held)).toBe(chain === 'solana' ? 'set-expiry' : undefined);
    expect(next(change(held, 3, { state: 'ACTIVE' }).pass)).toBe(chain === 'solana' ? 'set-expiry' : 'unfreeze');
  });

  it('is issued after the unfreeze with the rank of its request, and frozen with the first rank if it was issued', () => {
    const pinned = pinNextStep({ ...PASSES.requested, issuanceRank: BULK_ISSUANCE }, NOW)?.pass as Pass;
    const held = change(pinned, 1, { state: 'FROZEN' }).pass;
    // Its signer gets that at once.
    expect(isUrgent(held)).toBe(true);
    const answer = (status: StepStatus) => recordAnswer(held, { step: `${held.id}:1`, revision: 1, status }, NOW);
    const withdrawn = answer({ type: 'withdrawn' });
    expect([isSettled(withdrawn), stateOf(withdrawn)]).toEqual([true, 'FROZEN']);
    const unfrozen = change(withdrawn, 2, { state: 'ACTIVE' }).pass;
    expect(pinNextStep(unfrozen, NOW)?.step).toMatchObject({ kind: 'issue', rank: BULK_ISSUANCE, superseded: false });
    const issued = answer({ type: 'confirmed', transaction: TRANSACTION, onChain: { state: 'ACTIVE' } });
    expect(pinNextStep(issued, NOW)?.step).toMatchObject({ kind: 'freeze', rank: URGENT });
    const early = change(held, 2, { state: 'ACTIVE' }).pass;
    expect(pinNextStep(early, NOW)?.step).toMatchObject({ kind: 'issue', superseded: false });
  });

  it.each([{ state: 'ACTIVE' }, { subject: null, via: subject }] as const)('refuses %j', (request) => {
    for (const name of ['active', 'frozen', 'requested'] as const)
      expect(update(follow(PASSES[name], 'FROZEN'), request)).toEqual({ type: 'refused', reason: 'subject_frozen' });
  });

  it('stays frozen on a network that has ended, without a hold', () => {
    const unfrozen = change(follow(PASSES.active, 'FROZEN'), 2, { state: 'ACTIVE', hasEnded: true }).pass;
    expect(stateOf(unfrozen)).toBe('FROZEN');
    expect(update(unfrozen, { subject: null, via: subject })).toMatchObject({ type: 'applied' });
  });

  it('keeps a freeze of its own', () => {
    const own = update(follow(PASSES.active, 'FROZEN'), { state: 'FROZEN' });
    const pass = own.type === 'applied' ? own.pass : PASSES.active;
    expect(stateOf(change(pass, 2, { state: 'ACTIVE' }).pass)).toBe('FROZEN');
  });
});

describe('a name', () => {
  it('needs the subject if it is new, and nothing else does', () => {
    const named = (pass: Pass, via?: string) => update(pass, { state: 'FROZEN', subject, via });
    expect(named(anActivePass({}))).toEqual({ type: 'refused', reason: 'of_subject', subject });
    expect(named(anActivePass({}), subject)).toMatchObject({ type: 'applied', pass: { subject } });
    expect(named(PASSES.active)).toMatchObject({ type: 'applied', pass: { wanted: { state: 'FROZEN' } } });
    expect(update(anActivePass({}), { subject: null })).toMatchObject({ type: 'applied', changed: false });
  });
});

describe('a request that makes a pass count again', () => {
  it.each`
    pass           | counts
    ${'requested'} | ${true}
    ${'active'}    | ${true}
    ${'frozen'}    | ${true}
    ${'revoked'}   | ${false}
    ${'rejected'}  | ${false}
    ${'expired'}   | ${false}
  `('a pass that is $pass counts: $counts', ({ pass, counts }) => {
    expect(countsForSubject(PASSES[pass as keyof typeof PASSES], NOW)).toBe(counts);
  });

  it.each`
    change                                              | onChain                                  | isOnChain
    ${{ wanted: { state: 'REVOKED' } }}                 | ${{ state: 'ACTIVE' }}                   | ${true}
    ${{ wanted: { state: 'REVOKED' } }}                 | ${{ state: 'REVOKED' }}                  | ${false}
    ${{ wanted: { state: 'ACTIVE', expiry: NOW - 1 } }} | ${{ state: 'ACTIVE', expiry: NOW + 60 }} | ${true}
    ${{ wanted: { state: 'ACTIVE', expiry: NOW - 1 } }} | ${{ state: 'ACTIVE', expiry: NOW - 1 }}  | ${false}
    ${{ wanted: { state: 'REVOKED' } }}                 | ${{ state: 'FROZEN' }}                   | ${false}
  `('a pass that ends is on chain: $isOnChain, if the chain has $onChain', ({ change: wanted, onChain, isOnChain }) => {
    const pass = { ...PASSES.active, ...wanted, onChain };
    expect(standingOf(pass, NOW)).toEqual({ subject, counts: false, isOnChain, isFinal: false });
  });

  it.each(['rejected', 'expired'] as const)('needs the subject: an issuance of a pass that is %s', (name) => {
    const issue = (more: object) => requestIssuance(PASSES[name], anIssueRequest({ expiry: NOW + 60, ...more }), NOW);
    expect(issue({})).toEqual({ type: 'refused', reason: 'of_subject', subject });
    expect(issue({ subject })).toMatchObject({ type: 'applied', changed: true });
    expect(issue({ subject: 'other' })).toEqual({ type: 'refused', reason: 'subject_differs' });
  });

  it('needs the subject: a new expiry of an expired pass, and no other change', () => {
    expect(update(PASSES.expired, { expiry: NOW + 60 })).toEqual({ type: 'refused', reason: 'of_subject', subject });
    expect(update(PASSES.expired, { expiry: NOW + 60, via: subject })).toMatchObject({ type: 'applied' });
    for (const request of [{ state: 'FROZEN' }, { state: 'REVOKED' }, { reference: 'a' }] as const)
      expect(update(PASSES.expired, request)).toMatchObject({ type: 'applied' });
    expect(update(PASSES.active, { expiry: NOW + 60 })).toMatchObject({ type: 'applied' });
  });
});

describe('a renewal of the subject', () => {
  const [sooner, later] = [NOW + 60, NOW + 120];
  const renew = (pass: Pass, expiry: number, requestedAt: number) => change(pass, 1, { expiry, requestedAt }).pass;

  it('that is older than a new expiry of the pass alone changes nothing', () => {
    const result = update(PASSES.active, { expiry: sooner });
    const pass = result.type === 'applied' ? result.pass : PASSES.active;
    expect(renew(pass, later, NOW - 1)).toBe(pass);
    expect(renew(pass, later, NOW)).toMatchObject({ wanted: { expiry: later } });
  });

  it('that comes after a newer one changes nothing', () => {
    const renewed = renew(PASSES.active, sooner, NOW - 1);
    expect(renewed).toMatchObject({ wanted: { expiry: sooner } });
    expect(renew(renewed, later, NOW - 2)).toBe(renewed);
  });

  it.each(['new', 'rejected', 'expired'] as const)('that is older than an issuance changes nothing: %s', (name) => {
    const before = name === 'new' ? undefined : PASSES[name];
    const result = requestIssuance(before, anIssueRequest({ expiry: sooner, subject }), NOW);
    const pass = result.type === 'applied' ? result.pass : PASSES.active;
    expect(pass).toMatchObject({ wanted: { expiry: sooner } });
    expect(renew(pass, later, NOW - 1)).toBe(pass);
    expect(renew(pass, later, NOW)).toMatchObject({ wanted: { expiry: later } });
  });

  it('of a pass without a subject leaves no trace', () => {
    expect(requestIssuance(undefined, anIssueRequest({ expiry: sooner }), NOW)).not.toHaveProperty('pass.renewedAt');
    const { subject: _, ...alone } = PASSES.active;
    expect(update(alone, { expiry: sooner })).not.toHaveProperty('pass.renewedAt');
  });
});
