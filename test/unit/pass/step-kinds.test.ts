import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass } from '../../../src/pass/pass.ts';
import { isSatisfied } from '../../../src/pass/step.ts';
import {
  kindsWith,
  RESERVE_RANKS,
  rankOf,
  STEP_KINDS,
  type StepKind,
  takesAccessAway,
} from '../../../src/pass/step-kinds.ts';
import { CHANGES, WANTED_STATES } from '../../../src/pass/vocabulary.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

/** A pass that needs the step. */
const NEEDS: Readonly<Record<StepKind, Pass>> = {
  issue: aPass(),
  'set-expiry': anActivePass({ wanted: { expiry: NOW + 1 }, onChain: { expiry: NOW + 2 } }),
  freeze: anActivePass({ wanted: { state: 'FROZEN' } }),
  unfreeze: anActivePass({ onChain: { state: 'FROZEN' } }),
  revoke: anActivePass({ wanted: { state: 'REVOKED' } }),
};

const kinds = Object.keys(STEP_KINDS) as StepKind[];

describe('the kinds of steps', () => {
  it.each(kinds)('include %s, which a pass needs and which ends with its effect', (kind) => {
    const { onChain } = NEEDS[kind];
    const task = nextStep(NEEDS[kind]);
    if (task === undefined) throw new Error('the pass needs no step');
    expect([task.kind, isSatisfied(task, onChain)]).toEqual([kind, false]);
    const { stateAfter: state, setsExpiry } = STEP_KINDS[kind];
    const after: OnChain = { ...onChain, ...(state && { state }), ...(setsExpiry && { expiry: task.expiry }) };
    expect(isSatisfied(task, after)).toBe(true);
  });

  it('have a change each', () => {
    expect(kinds.map((kind) => STEP_KINDS[kind].change).toSorted()).toEqual(CHANGES.toSorted());
  });

  it('go first in a lane if they take access away', () => {
    expect(kinds.filter((kind) => rankOf(kind, 2) === 0)).toEqual(kindsWith(({ takesAccessAway }) => takesAccessAway));
  });

  it('take the rank of the issuance if they issue or set an expiry', () => {
    expect(kinds.map((kind) => [kind, rankOf(kind), rankOf(kind, 2)])).toEqual([
      ['issue', 1, 2],
      ['set-expiry', 1, 2],
      ['freeze', 0, 0],
      ['unfreeze', 1, 1],
      ['revoke', 0, 0],
    ]);
  });

  it('allow only revocations to use the reserve of a ceiling', () => {
    expect(kindsWith(({ mayUseReserve }) => mayUseReserve)).toEqual(['revoke']);
    expect(RESERVE_RANKS).toEqual([0]);
  });

  it('let revocations and freezes continue while their client is suspended', () => {
    expect(kindsWith(({ takesAccessAway }) => takesAccessAway)).toEqual(['freeze', 'revoke']);
    expect(WANTED_STATES.filter((state) => takesAccessAway({ state }))).toEqual(['FROZEN', 'REVOKED']);
    expect(takesAccessAway({})).toBe(false);
  });
});
