import { describe, expect, it } from 'vitest';
import { adoptReading } from '../../../src/pass/adopt.ts';
import { isSettled, nextStep } from '../../../src/pass/next-step.ts';
import type { OnChain, Pass } from '../../../src/pass/pass.ts';
import { recordAnswer } from '../../../src/pass/record-answer.ts';
import { requestUpdate } from '../../../src/pass/request-update.ts';
import type { WantedState } from '../../../src/pass/vocabulary.ts';
import { anActivePass, aPass, NOW } from './a-pass.ts';

const [E1, E2, E3] = [NOW + 1000, NOW + 2000, NOW + 3000];

function settledAs(state: WantedState): Pass {
  const pass = anActivePass({ wanted: { state, expiry: E1 }, onChain: { state, expiry: E1, asOf: 100 } });
  const { events } = pass;
  return state === 'REVOKED'
    ? { ...pass, revokedBy: 'partner', events: [...events, { eventType: 'TOKEN_REVOKED', timestamp: NOW }] }
    : pass;
}

const readOf = (pass: Pass, found: OnChain, asOf = 201) => adoptReading(pass, { asOf, ...found }, NOW);
const newsOf = (before: Pass, after: Pass) =>
  after.events.slice(before.events.length).map(({ eventType }) => eventType);

describe('what others did', () => {
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
  `('to a pass that was $was, $found, is true and wanted: $news', ({ was, found, state, news }) => {
    const before = settledAs(was);
    const { pass, changed } = readOf(before, found);
    expect(changed).toBe(true);
    expect(pass.onChain).toEqual({ asOf: 201, ...found });
    expect(pass.wanted.state).toBe(state);
    if (state !== 'REVOKED') expect(pass.wanted.expiry).toBe(found.expiry);
    expect(newsOf(before, pass)).toEqual(news);
    expect(pass.events.every(({ transaction }, index) => index < before.events.length || !transaction)).toBe(true);
    expect(pass.version).toBe(before.version + 1);
    expect(isSettled(pass)).toBe(true);
  });

  it.each`
    pass                                                  | why
    ${aPass()}                                            | ${'that was asked for and has not been begun'}
    ${aPass({ rejected: true })}                          | ${'that the chain refused to us'}
    ${aPass({ wanted: { expiry: E3 }, askedExpiry: E3 })} | ${'that was to expire at another time'}
  `('for a wallet whose pass is one $why is adopted', ({ pass: before }) => {
    const { pass } = readOf(before, { state: 'FROZEN', expiry: E2 });
    expect(pass).toMatchObject({ rejected: false, wanted: { state: 'FROZEN', expiry: E2 } });
    expect(newsOf(before, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(isSettled(pass)).toBe(true);
  });

  it('for a wallet whose pass was refused with another expiry than it was asked for causes no transaction', () => {
    const issuing = aPass({ wanted: { expiry: E3 }, step: { kind: 'issue', expiry: E3 } });
    const answer = { step: issuing.step?.id ?? '', revision: 1, status: { type: 'failed', reason: 'no' } } as const;
    const { pass } = readOf(recordAnswer(issuing, answer, NOW), { state: 'ACTIVE', expiry: E2 });
    expect(pass.wanted).toEqual({ state: 'ACTIVE', expiry: E2 });
    expect(isSettled(pass)).toBe(true);
  });

  it('is known even when it only shows who can freeze it', () => {
    const before = settledAs('ACTIVE');
    const { pass, changed } = readOf(before, { state: 'ACTIVE', expiry: E1, foreign: true });
    expect(changed).toBe(true);
    expect(pass.onChain.foreign).toBe(true);
    expect(newsOf(before, pass)).toEqual([]);
  });
});

describe('what others revoked', () => {
  const { pass: revoked } = readOf(settledAs('ACTIVE'), { state: 'REVOKED', expiry: E1 });

  it('is what the chain shows, and follows it: a reorg may bring it back, or somebody else', () => {
    expect(revoked).toMatchObject({ wanted: { state: 'REVOKED' }, revokedBy: 'others' });
    const { pass } = readOf(revoked, { state: 'FROZEN', expiry: E2 }, 300);
    expect(pass.wanted).toEqual({ state: 'FROZEN', expiry: E2 });
    expect(pass.revokedBy).toBeUndefined();
    expect(newsOf(revoked, pass)).toEqual(['TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(isSettled(pass)).toBe(true);
  });

  it('is final as soon as a partner revokes it too', () => {
    const wish = requestUpdate(revoked, { state: 'REVOKED' }, NOW);
    if ('refused' in wish) throw new Error(wish.refused);
    const { pass } = readOf(wish.pass, { state: 'ACTIVE', expiry: E2 }, 300);
    expect(pass.wanted.state).toBe('REVOKED');
    expect(isSettled(pass)).toBe(true);
  });
});

describe('a reading that changes nothing', () => {
  const active = settledAs('ACTIVE');

  it.each`
    why                                 | pass                                                             | found                              | asOf
    ${'it shows what is known'}         | ${active}                                                        | ${{ state: 'ACTIVE', expiry: E1 }} | ${200}
    ${'there is no token, as is known'} | ${aPass()}                                                       | ${{ state: 'NONE' }}               | ${200}
    ${'a step is under way'}            | ${{ ...active, step: aPass({ step: { kind: 'freeze' } }).step }} | ${{ state: 'FROZEN', expiry: E1 }} | ${200}
    ${'it is older than what is known'} | ${active}                                                        | ${{ state: 'FROZEN', expiry: E1 }} | ${99}
  `('$why', ({ pass, found, asOf }) => {
    expect(readOf(pass, found, asOf)).toEqual({ pass, changed: false });
  });
});

describe('a wish that the chain has not been asked for yet', () => {
  const wishing = (wanted: Partial<Pass['wanted']>) =>
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
  `('$wanted stands when $found is found, unless the token is gone', ({ wanted, found, then, kind }) => {
    const { pass } = readOf(wishing(wanted), found);
    expect(pass.wanted).toMatchObject(then);
    expect(nextStep(pass)?.kind).toBe(kind);
  });

  it('ends as superseded when the token is gone', () => {
    const announced = { eventType: 'TOKEN_EXPIRY_CHANGED_INITIATED', timestamp: NOW - 9 } as const;
    const before = wishing({ expiry: E3 });
    const waiting = { ...before, events: [...before.events, announced] };
    const { pass } = readOf(waiting, { state: 'REVOKED', expiry: E1 });
    expect(newsOf(waiting, pass)).toEqual(['TOKEN_REVOKED', 'TOKEN_EXPIRY_CHANGED_FAILED']);
  });
});
