import { describe, expect, it } from 'vitest';
import { applyReading } from '../../../src/pass/adopt.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { isSettled, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass } from '../../../src/pass/pass.ts';
import { requestIssuance, requestUpdate, type WantedChange } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { anActivePass, anIssueRequest, anUpdateRequest, NOW } from './a-pass.ts';

const LIFETIME = 3600;
const [E1, E2, E3] = [NOW + 10_000, NOW + 20_000, NOW + 30_000];

const issue = (pass: Pass | undefined, expiry?: number, lifetime?: number) =>
  requestIssuance(pass, anIssueRequest({ expiry, lifetime }), NOW);

/** Returns the pass after an accepted request. */
function accepted(result: ReturnType<typeof issue>): Pass {
  if (result.type === 'refused') throw new Error(`refused: ${result.reason}`);
  return result.pass;
}

const issued = (expiry?: number, lifetime?: number) => accepted(issue(undefined, expiry, lifetime));
const updated = (pass: Pass, change: WantedChange) => accepted(requestUpdate(pass, anUpdateRequest(change), NOW));
const adopted = (pass: Pass, found: OnChain) => applyReading(pass, { asOf: 100, ...found }, NOW).pass;

/** Returns the pass after its next step ended like this. */
function ended(pass: Pass, status: StepStatus): Pass {
  const pinned = pinNextStep(pass, NOW);
  if (pinned === undefined) throw new Error('the pass needs no step');
  return recordAnswer(pinned.pass, { step: pinned.step.id, revision: 1, status }, NOW);
}

const confirmed = (pass: Pass, expiry?: number) =>
  ended(pass, { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE', expiry, asOf: 10 } });
const failed = (pass: Pass) => ended(pass, { type: 'failed', reason: 'no' });

/** Returns the expiries out of E1, E2 and E3 that a repeated issuance may give. The others are refused. */
function acceptedExpiries(pass: Pass): number[] {
  return [E1, E2, E3].filter((expiry) => {
    const result = issue(pass, expiry);
    if (result.type === 'refused') expect(result.reason).toBe('expiry_differs');
    else expect(result).toEqual({ type: 'applied', pass, changed: false });
    return result.type === 'applied';
  });
}

describe('requestIssuance with an expiry for a wallet without a pass', () => {
  it.each([undefined, 1, LIFETIME])('gives the pass that expiry, not the lifetime %s of the partner', (lifetime) => {
    const pass = issued(E1, lifetime);
    expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E1 });
    expect(pinNextStep(pass, NOW)?.step).toMatchObject({ kind: 'issue', expiry: E1 });
  });

  it('issues the token with that expiry in its only step', () => {
    expect(isSettled(confirmed(issued(E1, LIFETIME), E1))).toBe(true);
  });
});

describe('requestIssuance with an expiry for a wallet that has a token', () => {
  const found = [{ state: 'ACTIVE', expiry: E2 }, { state: 'ACTIVE', expiry: NOW - 1 }, { state: 'ACTIVE' }] as const;

  it.each(found)('adopts the token %j and then sets the given expiry', (token) => {
    for (const lifetime of [undefined, LIFETIME, E1 - NOW]) {
      const requested = issued(E1, lifetime);
      for (const pass of [adopted(requested, token), ended(requested, { type: 'found', onChain: token })]) {
        expect(pass.onChain).toMatchObject(token);
        expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E1 });
        expect(nextStep(pass)).toEqual({ kind: 'set-expiry', expiry: E1 });
      }
    }
  });

  it.each(found)('adopts the token %j as it is if no expiry is given', (token) => {
    for (const lifetime of [undefined, LIFETIME]) {
      for (const pass of [
        adopted(issued(undefined, lifetime), token),
        ended(issued(undefined, lifetime), { type: 'found', onChain: token }),
      ]) {
        expect(pass.wanted).toMatchObject({ expiry: undefined, ...token });
        expect(isSettled(pass)).toBe(true);
      }
    }
  });

  it('sends nothing for a token that already has the given expiry', () => {
    expect(isSettled(adopted(issued(E1), { state: 'ACTIVE', expiry: E1 }))).toBe(true);
  });

  it('adopts a frozen token on Ethereum, and sets the given expiry after it is unfrozen', () => {
    const pass = adopted(issued(E1), { state: 'FROZEN', expiry: E2 });
    expect(pass.wanted).toMatchObject({ state: 'FROZEN', expiry: E1 });
    expect(isSettled(pass)).toBe(true);
    const unfrozen = adopted(pass, { state: 'ACTIVE', expiry: E2, asOf: 200 });
    expect(nextStep(unfrozen)).toEqual({ kind: 'set-expiry', expiry: E1 });
  });

  it('adopts a revoked token as it is', () => {
    const pass = adopted(issued(E1), { state: 'REVOKED', expiry: E2 });
    expect(pass.wanted).toMatchObject({ state: 'REVOKED', expiry: E2 });
    expect(isSettled(pass)).toBe(true);
  });
});

describe('a repeated requestIssuance with an expiry', () => {
  const active = confirmed(issued(E1), E1);
  const adoptedPass = adopted(issued(), { state: 'ACTIVE', expiry: E2 });
  const changing = updated(active, { expiry: E2 });

  it.each`
    what                                                         | pass                                                                                          | same
    ${'requested with E1'}                                       | ${issued(E1)}                                                                                 | ${[E1]}
    ${'requested without an expiry'}                             | ${issued()}                                                                                   | ${[]}
    ${'requested with E1 by the lifetime of the partner'}        | ${issued(undefined, E1 - NOW)}                                                                | ${[E1]}
    ${'being issued with E1'}                                    | ${pinNextStep(issued(E1), NOW)?.pass}                                                         | ${[E1]}
    ${'active until E1'}                                         | ${active}                                                                                     | ${[E1]}
    ${'requested with E1 and changed to E2 before the issuance'} | ${updated(issued(E1), { expiry: E2 })}                                                        | ${[E2]}
    ${'being changed from E1 to E2'}                             | ${changing}                                                                                   | ${[E2]}
    ${'changed from E1 to E2'}                                   | ${confirmed(changing, E2)}                                                                    | ${[E2]}
    ${'still valid until E1, because the change to E2 failed'}   | ${failed(changing)}                                                                           | ${[E2]}
    ${'changed to E3, which superseded E2'}                      | ${updated(changing, { expiry: E3 })}                                                          | ${[E3]}
    ${'changed to E2 and back to E1'}                            | ${updated(changing, { expiry: E1 })}                                                          | ${[E1]}
    ${'issued with E1 and changed by others to E2'}              | ${adopted(active, { state: 'ACTIVE', expiry: E2 })}                                           | ${[E1]}
    ${'issued with E1 by the lifetime and changed by others'}    | ${adopted(confirmed(issued(undefined, E1 - NOW), E1), { state: 'ACTIVE' })}                   | ${[E1]}
    ${'adopted with E2 after a request with E1'}                 | ${adopted(issued(E1), { state: 'ACTIVE', expiry: E2 })}                                       | ${[E1]}
    ${'adopted with E2 after a request without an expiry'}       | ${adoptedPass}                                                                                | ${[]}
    ${'adopted with E2, which a partner then requested too'}     | ${updated(adoptedPass, { expiry: E2 })}                                                       | ${[E2]}
    ${'issued with E1, revoked by others and issued with E2'}    | ${adopted(adopted(active, { state: 'REVOKED' }), { state: 'ACTIVE', expiry: E2, asOf: 300 })} | ${[E1]}
    ${'unfrozen after E1 was requested'}                         | ${updated(updated(active, { state: 'FROZEN' }), { state: 'ACTIVE' })}                         | ${[E1]}
  `('accepts $same out of E1, E2 and E3 for a pass that is $what', ({ pass, same }) => {
    expect(acceptedExpiries(pass)).toEqual(same);
    expect(issue(pass, undefined, LIFETIME)).toEqual({ type: 'applied', pass, changed: false });
  });

  it('remembers the expiry of a PATCH that changes nothing, without another version of the record', () => {
    const { pass, changed } = requestUpdate(adoptedPass, { expiry: E2, client: 'b' }, NOW) as {
      pass: Pass;
      changed: boolean;
    };
    expect([changed, pass.version, pass.events]).toEqual([true, adoptedPass.version, adoptedPass.events]);
    expect(requestUpdate(pass, { expiry: E2, client: 'b' }, NOW)).toEqual({ type: 'applied', pass, changed: false });
  });

  it('raises the rank of a waiting issuance only if the expiry is the same', () => {
    const bulk = accepted(requestIssuance(undefined, anIssueRequest({ expiry: E1, rank: 2 }), NOW));
    expect(issue(bulk, E1)).toMatchObject({ changed: true, pass: { issuanceRank: 1 } });
    expect(issue(bulk, E2)).toEqual({ type: 'refused', reason: 'expiry_differs' });
  });

  it.each`
    state        | refused
    ${'FROZEN'}  | ${'pass_frozen'}
    ${'REVOKED'} | ${'pass_revoked'}
  `('refuses a $state pass with $refused, also with another expiry and after its expiry', ({ state, refused }) => {
    for (const was of [undefined, E1, NOW - 1])
      for (const expiry of [E1, E2])
        expect(issue(anActivePass({ wanted: { state, expiry: was } }), expiry)).toEqual({
          type: 'refused',
          reason: refused,
        });
  });
});

describe('requestIssuance with an expiry for a rejected pass', () => {
  it.each([E1, E2])('tries a pass that was rejected with E1 again with the expiry %i', (expiry) => {
    const pass = accepted(issue(failed(issued(E1)), expiry, LIFETIME));
    expect(pass).toMatchObject({ rejected: false, wanted: { state: 'ACTIVE', expiry } });
    expect(nextStep(pass)).toEqual({ kind: 'issue', expiry });
    expect(acceptedExpiries(pass)).toEqual([expiry]);
    expect(nextStep(adopted(pass, { state: 'ACTIVE', expiry: E3 }))).toEqual({ kind: 'set-expiry', expiry });
  });
});

describe('requestIssuance with an expiry for an expired pass', () => {
  const expired = anActivePass({ wanted: { expiry: NOW - 1 } });

  it.each([undefined, LIFETIME])('renews the pass to that expiry if the lifetime of the partner is %s', (lifetime) => {
    const pass = accepted(issue(expired, E1, lifetime));
    expect(pass).toMatchObject({ version: expired.version + 1, wanted: { state: 'ACTIVE', expiry: E1 } });
    expect(nextStep(pass)).toEqual({ kind: 'set-expiry', expiry: E1 });
    expect(acceptedExpiries(pass)).toEqual([E1]);
  });

  it('renews an adopted pass that has expired to the expiry of its first request', () => {
    const pass = adopted(confirmed(issued(E1), E1), { state: 'ACTIVE', expiry: NOW - 1 });
    expect(nextStep(accepted(issue(pass, E1)))).toEqual({ kind: 'set-expiry', expiry: E1 });
  });

  it('renews no pass in the second of its expiry, in which it is still valid', () => {
    expect(issue(anActivePass({ wanted: { expiry: NOW } }), E1)).toEqual({ type: 'refused', reason: 'expiry_differs' });
  });

  it.each`
    chain         | result
    ${'solana'}   | ${{ type: 'refused', reason: 'issued_by_another_gatekeeper' }}
    ${'ethereum'} | ${{ type: 'applied' }}
  `('answers $result on $chain if the key of the pass is compromised', ({ chain, result }) => {
    const pass = anActivePass({ key: { chain }, wanted: { expiry: NOW - 1 } });
    const request = anIssueRequest({ key: pass.key, expiry: E1 });
    expect(requestIssuance(pass, request, NOW, () => true, 'compromised')).toMatchObject(result);
  });
});
