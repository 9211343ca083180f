import { describe, expect, it } from 'vitest';
import { applyReading } from '../../../src/pass/adopt.ts';
import { recordAnswer } from '../../../src/pass/answers.ts';
import { isSettled, nextStep, pinNextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass } from '../../../src/pass/pass.ts';
import { requestUpdate } from '../../../src/pass/requests.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import type { WantedState } from '../../../src/pass/vocabulary.ts';
import { anActivePass, anUpdateRequest, aPass, NOW } from './a-pass.ts';

const [E1, E2, E3] = [NOW + 1000, NOW + 2000, NOW + 3000];

function aSettledPass(state: WantedState): Pass {
  const pass = anActivePass({ wanted: { state, expiry: E1 }, onChain: { state, expiry: E1, asOf: 100 } });
  const { events } = pass;
  return state === 'REVOKED'
    ? { ...pass, revokedBy: 'partner', events: [...events, { eventType: 'TOKEN_REVOKED', timestamp: NOW }] }
    : pass;
}

const adopt = (pass: Pass, found: OnChain, asOf = 201) => applyReading(pass, { asOf, ...found }, NOW);
const newEventTypes = (before: Pass, after: Pass) =>
  after.events.slice(before.events.length).map(({ eventType }) => eventType);

describe('applyReading with changes by others', () => {
  it.each`
    was          | found                               | state        | news
    ${'ACTIVE'}  | ${{ state: 'FROZEN', expiry: E1 }}  | ${'FROZEN'}  | ${['TOKEN_FROZEN']}
    ${'FROZEN'}  | ${{ state: 'ACTIVE', expiry: E1 }}  | ${'ACTIVE'}  | ${['TOKEN_UNFROZEN']}
    ${'ACTIVE'}  | ${{ state: 'ACTIVE', expiry: E2 }}  | ${'ACTIVE'}  | ${['TOKEN_EXPIRY_CHANGED']}
    ${'ACTIVE'}  | ${{ state: 'ACTIVE' }}              | ${'ACTIVE'}  | ${['TOKEN_EXPIRY_CHANGED']}
    ${'ACTIVE'}  | ${{ state: 'FROZEN', expiry: E2 }}  | ${'FROZEN'}  | ${['TOKEN_FROZEN', 'TOKEN_EXPIRY_CHANGED']}
    ${'FROZEN'}  | ${{ state: 'ACTIVE', expiry: E2 }}  | ${'ACTIVE'}  | ${['TOKEN_UNFROZEN', 'TOKEN_EXPIRY_CHANGED']}
    ${'ACTIVE'}  | ${{ state: 'REVOKED', expiry: E1 }} | ${'REVOKED'} | ${['TOKEN_REVOKED']}
    ${'FROZEN'}  | ${{ state: 'REVOKED', expiry: E1 }} | ${'REVOKED'} | ${['TOKEN_REVOKED']}
    ${'ACTIVE'}  | ${{ state: 'NONE' }}                | ${'REVOKED'} | ${['TOKEN_REVOKED']}
    ${'FROZEN'}  | ${{ state: 'NONE' }}                | ${'REVOKED'} | ${['TOKEN_REVOKED']}
    ${'REVOKED'} | ${{ state: 'NONE' }}                | ${'REVOKED'} | ${[]}
    ${'REVOKED'} | ${{ state: 'ACTIVE', expiry: E2 }}  | ${'REVOKED'} | ${['TOKEN_ISSUED']}
    ${'REVOKED'} | ${{ state: 'FROZEN', expiry: E2 }}  | ${'REVOKED'} | ${['TOKEN_ISSUED', 'TOKEN_FROZEN']}
  `(
    'adopts $found without a transaction for a pass that was $was, and adds the events $news',
    ({ was, found, state, news }) => {
      const before = aSettledPass(was);
      const { pass, changed } = adopt(before, found);
      expect(changed).toBe(true);
      expect(pass.onChain).toEqual({ asOf: 201, ...found });
      expect(pass.wanted.state).toBe(state);
      if (state !== 'REVOKED') expect(pass.wanted.expiry).toBe(found.expiry);
      expect(newEventTypes(before, pass)).toEqual(news);
      expect(pass.events.every(({ transaction }, index) => index < before.events.length || !transaction)).toBe(true);
      expect(pass.version).toBe(before.version + 1);
      expect(isSettled(pass)).toBe(true);
    },
  );

  it.each`
    pass                                                                             | what
    ${aPass()}                                                                       | ${'requested and not pinned'}
    ${aPass({ rejected: true })}                                                     | ${'rejected'}
    ${aPass({ rejected: true, wanted: { expiry: E3 } })}                             | ${'rejected with a given expiry'}
    ${aPass({ wanted: { expiry: E3 }, requested: { expiry: E3, isDefault: true } })} | ${'requested with another expiry by default'}
  `('adopts a token that others issued for a pass that is $what', ({ pass: before }) => {
    const { pass } = adopt(before, { state: 'FROZEN', expiry: E2 });
    expect(pass).toMatchObject({ rejected: false, wanted: { state: 'FROZEN', expiry: E2 } });
    expect(newEventTypes(before, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(isSettled(pass)).toBe(true);
  });

  it('adopts the expiry of a token that appears after a failed issuance', () => {
    const issuing = aPass({ wanted: { expiry: E3 }, step: { kind: 'issue', expiry: E3 } });
    const answer = { step: issuing.step?.id ?? '', revision: 1, status: { type: 'failed', reason: 'no' } } as const;
    const { pass } = adopt(recordAnswer(issuing, answer, NOW), { state: 'ACTIVE', expiry: E2 });
    expect(pass.wanted).toMatchObject({ state: 'ACTIVE', expiry: E2 });
    expect(isSettled(pass)).toBe(true);
  });

  it('records that another gatekeeper issued the token without an event', () => {
    const before = aSettledPass('ACTIVE');
    const { pass, changed } = adopt(before, { state: 'ACTIVE', expiry: E1, foreign: true });
    expect(changed).toBe(true);
    expect(pass.onChain.foreign).toBe(true);
    expect(newEventTypes(before, pass)).toEqual([]);
  });
});

describe('applyReading of a pass that others revoked', () => {
  const { pass: revoked } = adopt(aSettledPass('ACTIVE'), { state: 'REVOKED', expiry: E1 });

  it('adopts a token that appears again after others revoked the pass', () => {
    expect(revoked).toMatchObject({ wanted: { state: 'REVOKED' }, revokedBy: 'others' });
    const { pass } = adopt(revoked, { state: 'FROZEN', expiry: E2 }, 300);
    expect(pass.wanted).toMatchObject({ state: 'FROZEN', expiry: E2 });
    expect(pass.revokedBy).toBeUndefined();
    expect(newEventTypes(revoked, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(isSettled(pass)).toBe(true);
  });

  it('revokes a token that appears again if the partner has revoked the pass as well', () => {
    const result = requestUpdate(revoked, anUpdateRequest({ state: 'REVOKED' }), NOW);
    if (result.type === 'refused') throw new Error(result.reason);
    expect([isSettled(result.pass), nextStep(result.pass)]).toEqual([false, { kind: 'revoke' }]);
    const { pass } = adopt(result.pass, { state: 'ACTIVE', expiry: E2 }, 300);
    expect([pass.wanted.state, nextStep(pass)]).toEqual(['REVOKED', { kind: 'revoke' }]);
  });

  it('keeps the pass REVOKED after a step for the partner has found no valid token', () => {
    const result = requestUpdate(revoked, anUpdateRequest({ state: 'REVOKED' }), NOW);
    if (result.type === 'refused') throw new Error(result.reason);
    const pinned = pinNextStep(result.pass, NOW);
    const status = { type: 'found', onChain: { state: 'REVOKED', asOf: 250 } } as const;
    const settled = recordAnswer(pinned?.pass as Pass, { step: pinned?.step.id ?? '', revision: 1, status }, NOW);
    const { pass } = adopt(settled, { state: 'ACTIVE', expiry: E2 }, 300);
    expect([pass.wanted.state, isSettled(pass)]).toEqual(['REVOKED', true]);
  });
});

describe('applyReading without a change', () => {
  const active = aSettledPass('ACTIVE');

  it.each`
    why                                   | pass                                                             | found                              | asOf
    ${'it shows the known state'}         | ${active}                                                        | ${{ state: 'ACTIVE', expiry: E1 }} | ${200}
    ${'the wallet still has no token'}    | ${aPass()}                                                       | ${{ state: 'NONE' }}               | ${200}
    ${'a step is pinned'}                 | ${{ ...active, step: aPass({ step: { kind: 'freeze' } }).step }} | ${{ state: 'FROZEN', expiry: E1 }} | ${200}
    ${'it is older than the known block'} | ${active}                                                        | ${{ state: 'FROZEN', expiry: E1 }} | ${99}
  `('changes nothing when $why', ({ pass, found, asOf }) => {
    expect(adopt(pass, found, asOf)).toEqual({ type: 'applied', pass, changed: false });
  });
});

describe('applyReading of a later token with the same id', () => {
  /** A token that was minted after the burn of the known one in block 150. */
  const later = (found: OnChain): OnChain => ({ ...found, burnedAt: 150 });
  const wanting = (wanted: Partial<Pass['wanted']>, was: WantedState = 'ACTIVE'): Pass => {
    const settled = { ...aSettledPass(was), issuedBy: '0xissuer' };
    return { ...settled, wanted: { ...settled.wanted, ...wanted } };
  };
  const pinned = (kind: StepKind, ...of: Parameters<typeof wanting>): Pass => ({
    ...wanting(...of),
    step: aPass({ step: { kind, ...(kind === 'set-expiry' && { expiry: E3 }) } }).step,
  });
  const answered = (pass: Pass, status: StepStatus) =>
    recordAnswer(pass, { step: pass.step?.id ?? '', revision: 1, status }, NOW);

  it('records the burn and the new token, also if both tokens are in the same state', () => {
    const before = { ...aSettledPass('ACTIVE'), issuedBy: '0xissuer' };
    const { pass, changed } = adopt(before, later({ state: 'ACTIVE', expiry: E1 }));
    expect(changed).toBe(true);
    expect(newEventTypes(before, pass)).toEqual(['TOKEN_REVOKED', 'TOKEN_ISSUED']);
    expect(pass).toMatchObject({ wanted: { state: 'ACTIVE', expiry: E1 }, issuedBy: undefined, revokedBy: undefined });
    expect(pass.onChain).toEqual({ state: 'ACTIVE', expiry: E1, asOf: 201 });
    expect(isSettled(pass)).toBe(true);
    // It is the known one from then on.
    expect(adopt(pass, later({ state: 'ACTIVE', expiry: E1 }), 202)).toEqual({ type: 'applied', pass, changed: false });
  });

  it.each`
    kind            | was         | wanted                             | found                              | then
    ${'unfreeze'}   | ${'FROZEN'} | ${{ state: 'ACTIVE' }}             | ${{ state: 'FROZEN', expiry: E2 }} | ${{ state: 'FROZEN', expiry: E2 }}
    ${'set-expiry'} | ${'ACTIVE'} | ${{ expiry: E3 }}                  | ${{ state: 'ACTIVE', expiry: E2 }} | ${{ state: 'ACTIVE', expiry: E2 }}
    ${'set-expiry'} | ${'ACTIVE'} | ${{ state: 'FROZEN', expiry: E3 }} | ${{ state: 'ACTIVE', expiry: E2 }} | ${{ state: 'FROZEN', expiry: E2 }}
  `('supersedes a pinned $kind, which knows only the burned token', ({ kind, was, wanted, found, then }) => {
    const { pass, changed } = adopt(pinned(kind, wanted, was), later(found));
    expect([changed, pass.wanted, pass.step?.kind]).toEqual([true, then, kind]);
    expect(pinNextStep(pass, NOW)?.step.superseded).toBe(true);
    const ended = answered(pass, { type: 'withdrawn' });
    expect(nextStep(ended)).toEqual(then.state === found.state ? undefined : { kind: 'freeze' });
  });

  it('undoes an expiry that a block set after all', () => {
    const { pass } = adopt(pinned('set-expiry', { expiry: E3 }), later({ state: 'ACTIVE', expiry: E1 }));
    const onChain = { state: 'ACTIVE', expiry: E3, asOf: 202 } as const;
    const confirmed = answered(pass, { type: 'confirmed', transaction: '0xexpiry', onChain });
    expect([confirmed.onChain.expiry, nextStep(confirmed)]).toEqual([E3, { kind: 'set-expiry', expiry: E1 }]);
  });

  it.each`
    kind        | state
    ${'freeze'} | ${'FROZEN'}
    ${'revoke'} | ${'REVOKED'}
  `('keeps a $kind, which takes access away from the later token too', ({ kind, state }) => {
    const found = later({ state: 'ACTIVE', expiry: E2 });
    for (const before of [wanting({ state }), pinned(kind, { state })]) {
      const { pass } = adopt(before, found);
      expect(newEventTypes(before, pass)).toEqual(['TOKEN_REVOKED', 'TOKEN_ISSUED']);
      expect([pass.wanted.state, pass.onChain.expiry, nextStep(pass)]).toEqual([state, E2, { kind }]);
      expect(pinNextStep(pass, NOW)?.step.superseded).toBe(false);
      const done = answered(pinNextStep(pass, NOW)?.pass as Pass, {
        ...{ type: 'confirmed', transaction: '0xdone' },
        onChain: { state, expiry: E2, asOf: 202 },
      });
      expect([done.onChain.state, done.wanted.state, isSettled(done)]).toEqual([state, state, true]);
    }
    // A step that has found it valid has not ended the request.
    const ended = answered(pinned(kind, { state }), { type: 'found', onChain: { ...found, asOf: 201 } });
    expect([ended.wanted.state, nextStep(ended)]).toEqual([state, { kind }]);
  });

  it.each`
    kind        | state        | news
    ${'freeze'} | ${'FROZEN'}  | ${['TOKEN_REVOKED', 'TOKEN_ISSUED', 'TOKEN_FROZEN']}
    ${'revoke'} | ${'REVOKED'} | ${['TOKEN_REVOKED', 'TOKEN_ISSUED', 'TOKEN_REVOKED']}
  `('waits for a pinned $kind if the later token is $state, which may be its effect', ({ kind, state, news }) => {
    const before = pinned(kind, { state });
    const found = { ...later({ state, expiry: E2 }), asOf: 201 };
    expect(adopt(before, found).changed).toBe(false);
    const ended = answered(before, { type: 'found', onChain: found });
    expect([ended.onChain.state, ended.wanted.state, isSettled(ended)]).toEqual([state, state, true]);
    expect(newEventTypes(before, ended)).toEqual(news);
  });

  it('waits while a past step is off the chain', () => {
    const gone = { ...aSettledPass('ACTIVE'), past: [{ vanished: true } as never] };
    expect(adopt(gone, later({ state: 'ACTIVE', expiry: E1 })).changed).toBe(false);
  });

  it('changes nothing if the known state is newer than the burn', () => {
    const pass = anActivePass({
      wanted: { state: 'ACTIVE', expiry: E1 },
      onChain: { state: 'ACTIVE', expiry: E1, asOf: 150 },
    });
    expect(adopt(pass, later({ state: 'ACTIVE', expiry: E1 })).changed).toBe(false);
  });
});

describe('applyReading with an open change of the partner', () => {
  const aPassWithOpenChange = (wanted: Partial<Pass['wanted']>) =>
    anActivePass({ wanted: { state: 'ACTIVE', expiry: E1, ...wanted }, onChain: { state: 'ACTIVE', expiry: E1 } });

  it.each`
    wanted                  | found                              | then                                | kind
    ${{ state: 'FROZEN' }}  | ${{ state: 'ACTIVE', expiry: E2 }} | ${{ state: 'FROZEN', expiry: E2 }}  | ${'freeze'}
    ${{ state: 'FROZEN' }}  | ${{ state: 'FROZEN', expiry: E1 }} | ${{ state: 'FROZEN', expiry: E1 }}  | ${undefined}
    ${{ expiry: E3 }}       | ${{ state: 'FROZEN', expiry: E1 }} | ${{ state: 'FROZEN', expiry: E3 }}  | ${undefined}
    ${{ expiry: E3 }}       | ${{ state: 'ACTIVE', expiry: E2 }} | ${{ state: 'ACTIVE', expiry: E3 }}  | ${'set-expiry'}
    ${{ state: 'REVOKED' }} | ${{ state: 'FROZEN', expiry: E1 }} | ${{ state: 'REVOKED', expiry: E1 }} | ${'revoke'}
    ${{ state: 'FROZEN' }}  | ${{ state: 'REVOKED' }}            | ${{ state: 'REVOKED' }}             | ${undefined}
    ${{ state: 'FROZEN' }}  | ${{ state: 'NONE' }}               | ${{ state: 'REVOKED' }}             | ${undefined}
  `(
    'keeps the open change $wanted when the chain shows $found, unless the token is gone',
    ({ wanted, found, then, kind }) => {
      const { pass } = adopt(aPassWithOpenChange(wanted), found);
      expect(pass.wanted).toMatchObject(then);
      expect(nextStep(pass)?.kind).toBe(kind);
    },
  );

  it('ends an open expiry change as superseded when the token is gone', () => {
    const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 9 } as const;
    const before = aPassWithOpenChange({ expiry: E3 });
    const waiting = { ...before, events: [...before.events, announced] };
    const { pass } = adopt(waiting, { state: 'REVOKED', expiry: E1 });
    expect(newEventTypes(waiting, pass)).toEqual(['TOKEN_REVOKED', 'TOKEN_EXPIRY_CHANGED_FAILED']);
  });
});
