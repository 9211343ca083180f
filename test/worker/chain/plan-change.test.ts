import { describe, expect, it } from 'vitest';
import { planStep, type Token } from '../../../src/chain/plan-step.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import type { OnChainState } from '../../../src/pass/vocabulary.ts';
import { aStepOf, aToken, BEHIND, EARLIER, EXPIRY, FOREIGN, NOT_FINAL, NOW, owned } from './a-token.ts';

/** Changes of a wallet's only token. */

const KINDS = ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;
const CHAINS = ['ethereum', 'solana'] as const;

const tokensIn = (state: OnChainState, overrides: Partial<Token> = {}): Token[] =>
  state === 'NONE' ? [] : [aToken({ state, expiry: EARLIER, ...overrides })];

/** A state that allows the change. */
const STATE_FOR: Readonly<Record<(typeof KINDS)[number], OnChainState>> = {
  freeze: 'ACTIVE',
  unfreeze: 'FROZEN',
  'set-expiry': 'ACTIVE',
  revoke: 'ACTIVE',
};

const rows = (...all: [kind: StepKind, state: OnChainState, ethereum: string, solana?: string][]) =>
  all.flatMap(([kind, state, ethereum, solana = ethereum]) => [
    { chain: 'ethereum' as Chain, kind, state, intent: ethereum },
    { chain: 'solana' as Chain, kind, state, intent: solana },
  ]);

describe('planning a change of the only token', () => {
  it.each(
    rows(
      ['freeze', 'NONE', 'found'],
      ['freeze', 'ACTIVE', 'to FROZEN'],
      ['freeze', 'FROZEN', 'found'],
      ['freeze', 'REVOKED', 'found'],
      ['unfreeze', 'NONE', 'found'],
      ['unfreeze', 'ACTIVE', 'found'],
      ['unfreeze', 'FROZEN', 'to ACTIVE'],
      ['unfreeze', 'REVOKED', 'found'],
      ['set-expiry', 'NONE', 'found'],
      ['set-expiry', 'ACTIVE', 'to ACTIVE'],
      ['set-expiry', 'FROZEN', 'found', 'to FROZEN'],
      ['set-expiry', 'REVOKED', 'found'],
      ['revoke', 'NONE', 'found'],
      ['revoke', 'ACTIVE', 'to REVOKED'],
      ['revoke', 'FROZEN', 'to REVOKED'],
      ['revoke', 'REVOKED', 'found'],
    ),
  )('on $chain, $kind of a $state token is planned as: $intent', ({ chain, kind, state, intent }) => {
    const tokens = tokensIn(state);
    const expiry = kind === 'set-expiry' ? EXPIRY : EARLIER;
    const held = state === 'NONE' ? { state } : { state, expiry: EARLIER };
    expect(planStep(aStepOf(kind, { chain }), owned(tokens), owned(tokens, 90))).toEqual(
      intent === 'found'
        ? { type: 'found', onChain: { ...held, asOf: 90 } }
        : { change: tokens[0], expectedOnChain: { state: intent.slice(3), expiry } },
    );
  });

  it.each(CHAINS)('on %s, set-expiry finds an expiry that is set already', (chain) => {
    for (const state of ['ACTIVE', 'FROZEN'] as const) {
      const tokens = owned(tokensIn(state, { expiry: EXPIRY }));
      const onChain = { state, expiry: EXPIRY, asOf: NOW };
      expect(planStep(aStepOf('set-expiry', { chain }), tokens, tokens)).toEqual({ type: 'found', onChain });
    }
  });

  it('set-expiry without an expiry removes the expiry', () => {
    const step = aStepOf('set-expiry', { chain: 'ethereum', expiry: undefined });
    const tokens = tokensIn('ACTIVE');
    expect(planStep(step, owned(tokens), owned(tokens))).toEqual({
      change: tokens[0],
      expectedOnChain: { state: 'ACTIVE' },
    });
  });
});

describe('planning a change of another gatekeeper’s token', () => {
  it.each`
    kind            | state        | intent
    ${'freeze'}     | ${'ACTIVE'}  | ${FOREIGN}
    ${'unfreeze'}   | ${'FROZEN'}  | ${FOREIGN}
    ${'freeze'}     | ${'FROZEN'}  | ${{ type: 'found', onChain: { state: 'FROZEN', foreign: true } }}
    ${'unfreeze'}   | ${'ACTIVE'}  | ${{ type: 'found', onChain: { state: 'ACTIVE', foreign: true } }}
    ${'freeze'}     | ${'REVOKED'} | ${{ type: 'found', onChain: { state: 'REVOKED', foreign: true } }}
    ${'revoke'}     | ${'ACTIVE'}  | ${{ expectedOnChain: { state: 'REVOKED', expiry: EARLIER, foreign: true } }}
    ${'revoke'}     | ${'FROZEN'}  | ${{ expectedOnChain: { state: 'REVOKED', expiry: EARLIER, foreign: true } }}
    ${'set-expiry'} | ${'ACTIVE'}  | ${{ expectedOnChain: { state: 'ACTIVE', expiry: EXPIRY, foreign: true } }}
    ${'set-expiry'} | ${'FROZEN'}  | ${{ expectedOnChain: { state: 'FROZEN', expiry: EXPIRY, foreign: true } }}
  `('$kind of another gatekeeper’s $state token is planned as $intent', ({ kind, state, intent }) => {
    const tokens = owned(tokensIn(state, { foreign: true }));
    expect(planStep(aStepOf(kind), tokens, tokens)).toMatchObject(intent);
  });
});

describe.each(KINDS)('planning %s before the token is final', (kind) => {
  const step = aStepOf(kind, { chain: 'ethereum' });
  const tokens = tokensIn(STATE_FOR[kind]);
  const now = owned(tokens);

  it.each`
    final                           | why
    ${owned([])}                    | ${'its making is not final'}
    ${owned([aToken({ id: 'b' })])} | ${'another one is final'}
    ${notNow('account-unreadable')} | ${'the final state cannot be read'}
    ${undefined}                    | ${'the final state was not read'}
  `('on Ethereum, changes no token when $why', ({ final }) => {
    expect(planStep(step, now, final)).toEqual(NOT_FINAL);
  });

  it.each(['ACTIVE', 'FROZEN', 'REVOKED'] as const)(
    'on Ethereum, changes a token whose mint is final, whatever its final state was: %s',
    (was) => {
      expect(planStep(step, now, owned(tokensIn(was)))).toMatchObject({ change: tokens[0] });
    },
  );

  it('on Solana, changes a token before it is final, because its address derives from the wallet', () => {
    expect(planStep(aStepOf(kind, { chain: 'solana' }), now, owned([]))).toMatchObject({ change: tokens[0] });
  });

  it('on Ethereum, believes that a token is gone only when that is final', () => {
    expect(planStep(step, owned([]), owned(tokens))).toEqual(NOT_FINAL);
  });
});

describe.each(KINDS)('planning %s for a pass that knows a newer block than the node', (kind) => {
  const tokens = tokensIn(STATE_FOR[kind]);

  it('a change waits for a block that is as new as the block that the pass knows', () => {
    const step = aStepOf(kind, { asOf: NOW });
    expect(planStep(step, owned(tokens, NOW - 1), owned(tokens, NOW))).toEqual(BEHIND);
    // The final state may be older. Only the mint of the token must be final.
    expect(planStep(step, owned(tokens, NOW), owned(tokens, 1))).toMatchObject({ change: tokens[0] });
  });

  it('a wanted state is found only in a final block that is as new as the block that the pass knows', () => {
    const step = aStepOf(kind, { asOf: NOW });
    const gone = tokensIn('REVOKED');
    expect(planStep(step, owned(gone, NOW - 1), owned(gone, NOW - 1))).toEqual(BEHIND);
    expect(planStep(step, owned(gone, NOW), owned(gone, NOW - 1))).toEqual(NOT_FINAL);
    expect(planStep(step, owned(gone, NOW), owned(gone, NOW))).toMatchObject({ type: 'found', onChain: { asOf: NOW } });
  });
});

describe('planning a change of a token that was burned and minted again', () => {
  const [later, known] = [aToken({ burnedAt: 80 }), aToken()];

  it.each(['unfreeze', 'set-expiry'] as const)('%s finds it once the burn is final, and changes nothing', (kind) => {
    const token = { ...later, state: STATE_FOR[kind] };
    const step = aStepOf(kind, { chain: 'ethereum' });
    const onChain = { state: token.state, asOf: 90, burnedAt: 80 };
    expect(planStep(step, owned([token]), owned([token], 90), false)).toEqual({ type: 'found', onChain });
    expect(planStep(step, owned([token]), owned([{ ...known, state: token.state }], 79), false)).toEqual(NOT_FINAL);
    expect(planStep(step, owned([token]), owned([], 81), false)).toEqual(NOT_FINAL);
  });

  it.each(['freeze', 'revoke'] as const)('%s takes access from it at once', (kind) => {
    const step = aStepOf(kind, { chain: 'ethereum' });
    const plan = { change: later, expectedOnChain: { state: kind === 'freeze' ? 'FROZEN' : 'REVOKED' } };
    for (const final of [owned([later], 90), owned([known], 79), owned([], 81)])
      expect(planStep(step, owned([later]), final, false)).toEqual(plan);
  });

  it.each(KINDS)('%s reads a token without a burn as one whose burns are unread', (kind) => {
    const token = aToken({ state: STATE_FOR[kind], burnedAt: 0 });
    const step = aStepOf(kind, { chain: 'ethereum' });
    expect(planStep(step, owned([token]), owned([token], 90), false)).toMatchObject({ change: token });
    const gone = { ...token, state: 'REVOKED' } as const;
    const final = owned([{ ...gone, burnedAt: undefined }], 90);
    expect(planStep(step, owned([gone]), final, false)).toMatchObject({ type: 'found' });
  });
});

it.each(KINDS)('%s waits for a final id only where ids move', (kind) => {
  const tokens = owned([aToken({ state: STATE_FOR[kind] })]);
  const step = aStepOf(kind, { chain: 'ethereum' });
  expect(planStep(step, tokens, owned([], 90), true)).toEqual(NOT_FINAL);
  expect(planStep(step, tokens, owned([], 90))).toEqual(NOT_FINAL);
  expect(planStep(step, tokens, owned([], 90), false)).toMatchObject({ change: { id: 'a' } });
});
