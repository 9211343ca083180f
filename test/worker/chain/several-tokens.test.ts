import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { planStep, type Token } from '../../../src/chain/plan-step.ts';
import { representativeToken } from '../../../src/pass/adopt.ts';
import type { OnChain } from '../../../src/pass/pass.ts';
import { isSatisfied, type Step } from '../../../src/pass/step.ts';
import { aStepOf, aToken, EARLIER, EXPIRY, FOREIGN, LATER, NOT_FINAL, NOW, owned } from './a-token.ts';

/** Changes of a wallet with several tokens. */

const ACTIVE = aToken({ id: 'active', expiry: EARLIER });
const LONGER = aToken({ id: 'longer', expiry: LATER });
const FROZEN = aToken({ id: 'frozen', state: 'FROZEN', expiry: EARLIER });
const COLDER = aToken({ id: 'colder', state: 'FROZEN', expiry: LATER });
const REVOKED = aToken({ id: 'revoked', state: 'REVOKED' });
const THEIRS = aToken({ id: 'theirs', foreign: true, expiry: LATER });
const THEIRS_FROZEN = aToken({ id: 'theirs frozen', state: 'FROZEN', foreign: true });

const intentNow = (step: Step, tokens: readonly Token[]) => planStep(step, owned(tokens), owned(tokens));

describe('the token of a wallet that changes first', () => {
  it.each`
    kind            | tokens                     | change    | leaves
    ${'freeze'}     | ${[ACTIVE, LONGER]}        | ${LONGER} | ${{ state: 'ACTIVE', expiry: EARLIER }}
    ${'freeze'}     | ${[COLDER, ACTIVE]}        | ${ACTIVE} | ${{ state: 'FROZEN', expiry: LATER }}
    ${'freeze'}     | ${[REVOKED, ACTIVE]}       | ${ACTIVE} | ${{ state: 'FROZEN', expiry: EARLIER }}
    ${'freeze'}     | ${[THEIRS_FROZEN, ACTIVE]} | ${ACTIVE} | ${{ state: 'FROZEN', expiry: EARLIER }}
    ${'unfreeze'}   | ${[FROZEN, COLDER]}        | ${COLDER} | ${{ state: 'ACTIVE', expiry: LATER }}
    ${'unfreeze'}   | ${[REVOKED, FROZEN]}       | ${FROZEN} | ${{ state: 'ACTIVE', expiry: EARLIER }}
    ${'unfreeze'}   | ${[THEIRS_FROZEN, FROZEN]} | ${FROZEN} | ${{ state: 'ACTIVE', expiry: EARLIER }}
    ${'revoke'}     | ${[COLDER, ACTIVE]}        | ${ACTIVE} | ${{ state: 'FROZEN', expiry: LATER }}
    ${'revoke'}     | ${[ACTIVE, LONGER]}        | ${LONGER} | ${{ state: 'ACTIVE', expiry: EARLIER }}
    ${'revoke'}     | ${[ACTIVE, THEIRS]}        | ${THEIRS} | ${{ state: 'ACTIVE', expiry: EARLIER }}
    ${'revoke'}     | ${[REVOKED, FROZEN]}       | ${FROZEN} | ${{ state: 'REVOKED' }}
    ${'revoke'}     | ${[FROZEN, THEIRS_FROZEN]} | ${FROZEN} | ${{ state: 'FROZEN', foreign: true }}
    ${'set-expiry'} | ${[COLDER, ACTIVE]}        | ${ACTIVE} | ${{ state: 'ACTIVE', expiry: EXPIRY }}
    ${'set-expiry'} | ${[ACTIVE, LONGER]}        | ${LONGER} | ${{ state: 'ACTIVE', expiry: EXPIRY }}
    ${'set-expiry'} | ${[ACTIVE, THEIRS]}        | ${THEIRS} | ${{ state: 'ACTIVE', expiry: EXPIRY, foreign: true }}
  `('$kind of $tokens changes $change.id first, which leaves $leaves', ({ kind, tokens, change, leaves }) => {
    expect(intentNow(aStepOf(kind), tokens)).toEqual({ change, expectedOnChain: leaves });
  });

  it.each`
    kind          | tokens              | state       | change    | leaves
    ${'freeze'}   | ${[COLDER, ACTIVE]} | ${'ACTIVE'} | ${ACTIVE} | ${{ state: 'FROZEN', expiry: EARLIER }}
    ${'unfreeze'} | ${[FROZEN, COLDER]} | ${'FROZEN'} | ${FROZEN} | ${{ state: 'ACTIVE', expiry: EARLIER }}
  `('$kind changes the token that the pass knows, $change.id', ({ kind, tokens, state, change, leaves }) => {
    const step = { ...aStepOf(kind), known: { state, expiry: EARLIER } };
    expect(intentNow(step, tokens)).toEqual({ change, expectedOnChain: leaves });
    expect(intentNow(step, tokens.toReversed())).toEqual({ change, expectedOnChain: leaves });
  });

  it('set-expiry to an earlier time changes the token with the latest expiry first', () => {
    const tokens = [aToken({ id: 'one', expiry: LATER }), aToken({ id: 'other', expiry: LATER + 1 })];
    expect(intentNow(aStepOf('set-expiry'), tokens)).toEqual({
      change: tokens[1],
      expectedOnChain: { state: 'ACTIVE', expiry: LATER },
    });
  });

  it('changes no token while the token that comes first is not final', () => {
    const [now, final] = [owned([ACTIVE, LONGER]), owned([ACTIVE])];
    const step = aStepOf('freeze', { chain: 'ethereum' });
    expect(planStep(step, now, final)).toEqual(NOT_FINAL);
    expect(planStep(step, now, owned([LONGER]))).toMatchObject({ change: LONGER });
  });
});

describe('a change that needs no transaction', () => {
  it.each`
    kind            | tokens                                     | intent                                              | why
    ${'freeze'}     | ${[ACTIVE, THEIRS]}                        | ${FOREIGN}                                          | ${'theirs would stay active'}
    ${'freeze'}     | ${[FROZEN, THEIRS]}                        | ${FOREIGN}                                          | ${'theirs would stay active'}
    ${'unfreeze'}   | ${[REVOKED, THEIRS_FROZEN]}                | ${FOREIGN}                                          | ${'only theirs is frozen'}
    ${'freeze'}     | ${[FROZEN, THEIRS_FROZEN]}                 | ${{ type: 'found', onChain: { state: 'FROZEN' } }}  | ${'none is active'}
    ${'unfreeze'}   | ${[FROZEN, ACTIVE]}                        | ${{ type: 'found', onChain: { state: 'ACTIVE' } }}  | ${'one is active'}
    ${'unfreeze'}   | ${[FROZEN, THEIRS]}                        | ${{ type: 'found', onChain: { foreign: true } }}    | ${'one is active'}
    ${'revoke'}     | ${[REVOKED, REVOKED]}                      | ${{ type: 'found', onChain: { state: 'REVOKED' } }} | ${'all are revoked'}
    ${'set-expiry'} | ${[{ ...ACTIVE, expiry: EXPIRY }, COLDER]} | ${{ type: 'found', onChain: { expiry: EXPIRY } }}   | ${'the token that represents all expires then'}
  `('$kind of $tokens changes nothing when $why', ({ kind, tokens, intent }) => {
    expect(intentNow(aStepOf(kind), tokens)).toMatchObject(intent);
  });
});

it('does not refuse a step because of another gatekeeper’s token that a reorg may take away', () => {
  const step = aStepOf('freeze');
  for (const final of [[ACTIVE], [ACTIVE, { ...THEIRS, state: 'FROZEN' as const }]]) {
    expect(planStep(step, owned([ACTIVE, THEIRS]), owned(final))).toMatchObject({ type: 'not-now', blocks: 'step' });
  }
});

describe('changing random tokens step by step', () => {
  const someTokens = fc
    .array(
      fc.record({
        state: fc.constantFrom('ACTIVE' as const, 'FROZEN' as const, 'REVOKED' as const),
        expiry: fc.constantFrom(undefined, EARLIER, EXPIRY, LATER),
        foreign: fc.constantFrom(undefined, true as const),
      }),
      { maxLength: 5 },
    )
    .map((all) => all.map((token, index): Token => ({ id: String(index), ...token })));
  const someStep = fc
    .record({
      kind: fc.constantFrom('freeze' as const, 'unfreeze' as const, 'set-expiry' as const, 'revoke' as const),
      chain: fc.constantFrom('ethereum' as const, 'solana' as const),
    })
    .map(({ kind, chain }) => aStepOf(kind, { chain }));

  /** A token on chain. */
  function changed({ kind, expiry }: Step, token: Token): Token {
    if (kind === 'set-expiry') return { ...token, expiry };
    return { ...token, state: kind === 'freeze' ? 'FROZEN' : kind === 'unfreeze' ? 'ACTIVE' : 'REVOKED' };
  }

  const ofStanding = (tokens: readonly Token[]): OnChain => {
    const { state, expiry, foreign } = representativeToken(tokens) ?? { state: 'NONE' };
    return { state, expiry, foreign };
  };

  it('each plan predicts its result, no token changes twice, and in the end the step is satisfied or impossible', () => {
    fc.assert(
      fc.property(someStep, someTokens, (step, before) => {
        let tokens = before;
        const taken = new Set<Token['id']>();
        let intent = intentNow(step, tokens);
        for (; typeof intent === 'object' && 'change' in intent; intent = intentNow(step, tokens)) {
          const { change, expectedOnChain } = intent;
          expect(taken).not.toContain(change.id);
          taken.add(change.id);
          tokens = tokens.map((token) => (token === change ? changed(step, token) : token));
          expect(expectedOnChain).toEqual(ofStanding(tokens));
        }
        const end = ofStanding(tokens);
        if (typeof intent === 'object' && 'type' in intent && intent.type === 'found') {
          expect(intent.onChain).toEqual({ ...end, asOf: NOW });
          const unreachable = step.key.chain === 'ethereum' && step.kind === 'set-expiry' && end.state === 'FROZEN';
          expect(isSatisfied(step, end) || end.state === 'NONE' || end.state === 'REVOKED' || unreachable).toBe(true);
        } else {
          expect(intent).toEqual(FOREIGN);
          expect(['freeze', 'unfreeze']).toContain(step.kind);
          expect(taken.size).toBe(0);
          expect(tokens.some(({ foreign }) => foreign)).toBe(true);
        }
      }),
      { numRuns: inject('form') === 'long' ? 20_000 : 2_000 },
    );
  });
});
