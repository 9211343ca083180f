import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/pass/record.ts';
import { type Holding, isExpired, verdictOf, verdictOfRecord } from '../../../src/pass/verdict.ts';
import { ON_CHAIN_STATES, PASS_STATES } from '../../../src/pass/vocabulary.ts';
import { anActivePass, NOW } from './a-pass.ts';

describe('verdictOf', () => {
  it.each`
    state          | onChainState | expiry       | verdict
    ${'ACTIVE'}    | ${'ACTIVE'}  | ${undefined} | ${{ isAccepted: true, until: undefined }}
    ${'ACTIVE'}    | ${'ACTIVE'}  | ${NOW + 1}   | ${{ isAccepted: true, until: NOW + 1 }}
    ${'ACTIVE'}    | ${'ACTIVE'}  | ${NOW}       | ${{ isAccepted: true, until: NOW }}
    ${'ACTIVE'}    | ${'ACTIVE'}  | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['expired'], expiredAt: NOW - 1 }}
    ${'ACTIVE'}    | ${'ACTIVE'}  | ${0}         | ${{ isAccepted: false, reasons: ['expired'], expiredAt: 0 }}
    ${'FROZEN'}    | ${'ACTIVE'}  | ${NOW + 1}   | ${{ isAccepted: true, until: NOW + 1 }}
    ${'REVOKED'}   | ${'ACTIVE'}  | ${undefined} | ${{ isAccepted: true, until: undefined }}
    ${'REVOKED'}   | ${'ACTIVE'}  | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['expired'], expiredAt: NOW - 1 }}
    ${'ACTIVE'}    | ${'FROZEN'}  | ${NOW + 1}   | ${{ isAccepted: false, reasons: ['frozen'] }}
    ${'FROZEN'}    | ${'FROZEN'}  | ${undefined} | ${{ isAccepted: false, reasons: ['frozen'] }}
    ${'FROZEN'}    | ${'FROZEN'}  | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['frozen', 'expired'], expiredAt: NOW - 1 }}
    ${'REVOKED'}   | ${'FROZEN'}  | ${undefined} | ${{ isAccepted: false, reasons: ['frozen'] }}
    ${'REVOKED'}   | ${'REVOKED'} | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['revoked'] }}
    ${'REVOKED'}   | ${'NONE'}    | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['revoked'] }}
    ${'REQUESTED'} | ${'NONE'}    | ${NOW + 1}   | ${{ isAccepted: false, reasons: ['not_on_chain'] }}
    ${'REQUESTED'} | ${'NONE'}    | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['not_on_chain', 'expired'], expiredAt: NOW - 1 }}
    ${'FROZEN'}    | ${'NONE'}    | ${undefined} | ${{ isAccepted: false, reasons: ['not_on_chain', 'frozen'] }}
    ${'REJECTED'}  | ${'NONE'}    | ${NOW - 1}   | ${{ isAccepted: false, reasons: ['rejected'] }}
  `('of a pass that is $state, $onChainState on chain and expires at $expiry is $verdict', (row) => {
    const { verdict, ...holding } = row;
    expect(verdictOf(holding, NOW)).toEqual(verdict);
  });

  it('accepts only an active token, and gives a refusal at least one reason and an acceptance none', () => {
    for (const state of PASS_STATES)
      for (const onChainState of ON_CHAIN_STATES)
        for (const expiry of [undefined, 0, NOW - 1, NOW, NOW + 1]) {
          const verdict = verdictOf({ state, onChainState, expiry }, NOW);
          const isValid = onChainState === 'ACTIVE' && (expiry === undefined || NOW <= expiry);
          expect(verdict.isAccepted, `${state} ${onChainState} ${expiry}`).toBe(isValid);
          if (!verdict.isAccepted) expect(verdict.reasons.length).toBeGreaterThan(0);
        }
  });

  it('accepts no token in a state that a later release added', () => {
    const later = { state: 'ACTIVE', onChainState: 'SUSPENDED' } as unknown as Holding;
    expect(verdictOf(later, NOW).isAccepted).toBe(false);
  });
});

describe('verdictOfRecord', () => {
  const ACTIVE = { state: 'ACTIVE', onChainState: 'ACTIVE' } as const;
  it.each`
    expiry       | events                                                                                 | verdict
    ${NOW + 1}   | ${['ISSUED']}                                                                          | ${{ isAccepted: true, until: NOW + 1 }}
    ${undefined} | ${['ISSUED']}                                                                          | ${{ isAccepted: true, until: undefined }}
    ${NOW - 1}   | ${['ISSUED']}                                                                          | ${{ isAccepted: false, reasons: ['expired'], expiredAt: NOW - 1 }}
    ${NOW - 1}   | ${['ISSUED', 'EXPIRED']}                                                               | ${{ isAccepted: false, reasons: ['expired'], expiredAt: NOW - 1 }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED']}                                                               | ${{ isAccepted: false, reasons: ['expired'] }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'EXPIRY_CHANGED_INITIATED']}                                   | ${{ isAccepted: false, reasons: ['expired'] }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRY_CHANGED_INITIATED', 'EXPIRED']}                                   | ${{ isAccepted: false, reasons: ['expired'] }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'EXPIRY_CHANGED_INITIATED', 'EXPIRY_CHANGED']}                 | ${{ isAccepted: true, until: NOW + 1 }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'EXPIRY_CHANGED_INITIATED', 'EXPIRY_CHANGED_FAILED']}          | ${{ isAccepted: false, reasons: ['expired'] }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'REVOKED', 'ISSUED']}                                          | ${{ isAccepted: true, until: NOW + 1 }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRY_CHANGED_INITIATED']}                                              | ${{ isAccepted: true, until: 'unknown' }}
    ${NOW - 1}   | ${['ISSUED', 'EXPIRY_CHANGED_INITIATED']}                                              | ${{ isAccepted: true, until: 'unknown' }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRY_CHANGED_INITIATED', 'EXPIRY_CHANGED', 'EXPIRY_CHANGED_REORGED']}  | ${{ isAccepted: true, until: 'unknown' }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'EXPIRY_CHANGED', 'EXPIRY_CHANGED_REORGED']}                   | ${{ isAccepted: false, reasons: ['expired'] }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRED', 'EXPIRY_CHANGED', 'EXPIRY_CHANGED_REORGED', 'EXPIRY_CHANGED']} | ${{ isAccepted: true, until: NOW + 1 }}
    ${NOW + 1}   | ${['ISSUED', 'EXPIRY_CHANGED_INITIATED', 'EXPIRY_CHANGED_FAILED']}                     | ${{ isAccepted: true, until: NOW + 1 }}
    ${NOW + 1}   | ${['ISSUED', 'FROZEN', 'UNFROZEN', 'EXPIRING']}                                        | ${{ isAccepted: true, until: NOW + 1 }}
  `('of an active record that wants the expiry $expiry after $events is $verdict', ({ expiry, events, verdict }) => {
    const history = events.map((name: string) => ({ eventType: `TOKEN_${name}` }));
    expect(verdictOfRecord({ ...ACTIVE, expiryTimestamp: expiry, events: history }, NOW)).toEqual(verdict);
  });

  it('reads the record of a pass', () => {
    const record = recordOf(anActivePass({ wanted: { expiry: NOW }, onChain: { expiry: NOW } }));
    expect(verdictOfRecord(record, NOW)).toEqual({ isAccepted: true, until: NOW });
    expect(verdictOfRecord(record, NOW + 1)).toEqual({ isAccepted: false, reasons: ['expired'], expiredAt: NOW });
  });
});

describe('isExpired', () => {
  it('counts the second of the expiry as valid, as the contract and the program do', () => {
    expect([NOW - 1, NOW, NOW + 1].map((now) => isExpired({ expiry: NOW }, now))).toEqual([false, false, true]);
    expect(isExpired({}, NOW)).toBe(false);
  });
});
