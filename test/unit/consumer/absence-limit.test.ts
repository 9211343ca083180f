import { expect, it } from 'vitest';
import { type ComparedPass, countAbsences } from '../../../src/consumer/compare.ts';

const PAIR = { gatekeeperNetwork: 'acme', network: 'sepolia' };
const NOTHING = { ...PAIR, compared: 0, absent: 0, isHeld: false, accepted: 0 };

const passes = (there: number, absent: number): ComparedPass[] =>
  Array.from({ length: there + absent }, (_, index) => ({
    key: PAIR,
    known: { state: 'ACTIVE' },
    reading: { type: 'read', onChain: { state: index < there ? 'ACTIVE' : 'REVOKED' } },
  }));

it.each`
  before                            | there   | absent | isHeld
  ${NOTHING}                        | ${95}   | ${5}   | ${false}
  ${NOTHING}                        | ${94}   | ${6}   | ${true}
  ${NOTHING}                        | ${294}  | ${6}   | ${false}
  ${NOTHING}                        | ${293}  | ${6}   | ${true}
  ${{ ...NOTHING, absent: 5 }}      | ${99}   | ${1}   | ${true}
  ${{ ...NOTHING, compared: 1000 }} | ${0}    | ${20}  | ${false}
  ${{ ...NOTHING, isHeld: true }}   | ${1000} | ${0}   | ${true}
  ${{ ...NOTHING, accepted: 6 }}    | ${94}   | ${6}   | ${false}
  ${{ ...NOTHING, accepted: 6 }}    | ${93}   | ${7}   | ${true}
`(
  'returns isHeld: $isHeld for $absent absent and $there present passes after $before',
  ({ before, there, absent, isHeld }) => {
    const after = countAbsences(before, passes(there, absent));
    expect(after).toMatchObject({
      compared: before.compared + there + absent,
      absent: before.absent + absent,
      isHeld,
    });
  },
);

it('compares only passes that were read, and counts as absent only those whose known token was valid', () => {
  const unread: ComparedPass = { key: PAIR, known: { state: 'ACTIVE' }, reading: { type: 'unreadable', why: 'away' } };
  const burned: ComparedPass = {
    key: PAIR,
    known: { state: 'REVOKED' },
    reading: { type: 'read', onChain: { state: 'NONE' } },
  };
  expect(countAbsences(NOTHING, [unread, burned])).toMatchObject({ compared: 1, absent: 0 });
});
