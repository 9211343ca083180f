import { describe, expect, it } from 'vitest';
import { remedyOf } from '../../../src/operator/remedies.ts';
import { endOfPass, type PassRecord } from '../../../src/pass/record.ts';
import { ENDS, PROGRESS, WAIT_REASONS } from '../../../src/pass/wait-reasons.ts';

const NOW = 1_800_000_000;

const aRecord = (changes: Partial<PassRecord> = {}) =>
  ({ state: 'ACTIVE', onChainState: 'ACTIVE', events: [{ eventType: 'TOKEN_ISSUED' }], ...changes }) as PassRecord;

describe('endOfPass', () => {
  it.each`
    record                                           | isPending | isVoid   | isPublished  | code
    ${{}}                                            | ${false}  | ${false} | ${true}      | ${'active'}
    ${{}}                                            | ${false}  | ${false} | ${undefined} | ${'active'}
    ${{}}                                            | ${false}  | ${false} | ${false}     | ${'unpublished'}
    ${{}}                                            | ${true}   | ${false} | ${false}     | ${'loss-pending'}
    ${{}}                                            | ${false}  | ${true}  | ${true}      | ${'gatekeeper-removed'}
    ${{}}                                            | ${true}   | ${true}  | ${true}      | ${'loss-pending'}
    ${{ state: 'FROZEN', onChainState: 'FROZEN' }}   | ${false}  | ${true}  | ${true}      | ${'frozen'}
    ${{ expiryTimestamp: NOW }}                      | ${false}  | ${false} | ${true}      | ${'active'}
    ${{ expiryTimestamp: NOW - 1 }}                  | ${false}  | ${false} | ${false}     | ${'expired'}
    ${{ state: 'FROZEN', onChainState: 'FROZEN' }}   | ${false}  | ${false} | ${false}     | ${'frozen'}
    ${{ state: 'REVOKED', onChainState: 'REVOKED' }} | ${false}  | ${false} | ${true}      | ${'revoked'}
    ${{ state: 'REVOKED', onChainState: 'NONE' }}    | ${false}  | ${false} | ${true}      | ${'revoked'}
    ${{ state: 'REJECTED', onChainState: 'NONE' }}   | ${false}  | ${false} | ${true}      | ${'rejected'}
  `(
    'ends as $code with $record, pending $isPending, void $isVoid, published $isPublished',
    ({ record, code, ...known }) => {
      expect(endOfPass({ record: aRecord(record), ...known }, NOW)).toEqual({
        code,
        text: ENDS[code as keyof typeof ENDS],
      });
    },
  );

  it('names the error of the contract after a rejection', () => {
    const events = [{ eventType: 'TOKEN_ISSUED_FAILED', reason: 'the contract refuses it: Common__NotPermitted' }];
    const record = aRecord({
      state: 'REJECTED',
      onChainState: 'NONE',
      events: events as unknown as PassRecord['events'],
    });
    expect(endOfPass({ record, isPending: false, isVoid: false, isPublished: true }, NOW).text).toBe(
      'the chain refused the issuance: the contract refuses it: Common__NotPermitted',
    );
  });
});

describe('remedyOf', () => {
  it('has a remedy for each code, and none twice under one code', () => {
    const tables = [WAIT_REASONS, PROGRESS, ENDS] as const;
    const codes = tables.flatMap((table) => Object.keys(table));
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(remedyOf({ code })).toMatch(/\.$/);
  });

  it('lets a code of a later release end by itself', () => {
    expect(remedyOf({ code: 'a-later-code' })).toBe('Nothing: it ends by itself.');
    expect(remedyOf({ code: 'constructor' })).toBe('Nothing: it ends by itself.');
  });
});
