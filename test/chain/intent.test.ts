import { describe, expect, it } from 'vitest';
import { believed, intentOf, mustBeFinal, type Owned, type Token } from '../../src/chain/intent.ts';
import type { Finding } from '../../src/chain/port.ts';
import type { Step, StepKind } from '../../src/pass/step.ts';

const step = (kind: StepKind, expiry?: number): Step => ({
  id: 'pass:1',
  kind,
  expiry,
  key: { gatekeeperNetwork: 'network', chain: 'solana', network: 'devnet', wallet: 'wallet' },
});
const token = (overrides: Partial<Token> = {}): Token => ({
  id: 'a',
  state: 'ACTIVE',
  expiry: undefined,
  ...overrides,
});
const tokens = (...all: Token[]): Owned<Token> => ({ tokens: all });
const UNREADABLE: Finding = { is: 'not-now', why: 'it cannot be read', keeps: 'step' };

const found = (onChain: unknown) => ({ is: 'found', onChain });
const LATER = { is: 'not-now', keeps: 'step' };
const A = token();
const AGES = token({ expiry: 2_000_000_000 });
const FROZEN = token({ state: 'FROZEN' });
const REVOKED = token({ state: 'REVOKED' });

describe('an issuance', () => {
  it.each`
    now                   | final                         | intent                                               | why
    ${tokens()}           | ${undefined}                  | ${'issue'}                                           | ${'there is no token'}
    ${tokens(A)}          | ${tokens(A)}                  | ${found({ state: 'ACTIVE', expiry: undefined })}     | ${'a final one is there'}
    ${tokens(AGES)}       | ${tokens(AGES)}               | ${found({ state: 'ACTIVE', expiry: 2_000_000_000 })} | ${'it is taken with its expiry'}
    ${tokens(FROZEN)}     | ${tokens(FROZEN)}             | ${found({ state: 'FROZEN', expiry: undefined })}     | ${'it is taken as it is'}
    ${tokens(REVOKED, A)} | ${tokens(REVOKED, A)}         | ${found({ state: 'ACTIVE', expiry: undefined })}     | ${'an active one stands for all'}
    ${tokens(A)}          | ${tokens()}                   | ${LATER}                                             | ${'it is not final'}
    ${tokens(A)}          | ${tokens(FROZEN)}             | ${LATER}                                             | ${'its state is not final'}
    ${tokens(A)}          | ${tokens(AGES)}               | ${LATER}                                             | ${'its expiry is not final'}
    ${tokens(A)}          | ${tokens(token({ id: 'b' }))} | ${LATER}                                             | ${'another one is final'}
    ${tokens(A)}          | ${UNREADABLE}                 | ${LATER}                                             | ${'what is final cannot be read'}
    ${UNREADABLE}         | ${undefined}                  | ${UNREADABLE}                                        | ${'what is there cannot be read'}
    ${undefined}          | ${undefined}                  | ${LATER}                                             | ${'nothing was read'}
  `('comes to $intent when $why', ({ now, final, intent }) => {
    const outcome = intentOf(step('issue'), now, final);
    if (intent === 'issue') expect(outcome).toBe('issue');
    else expect(outcome).toMatchObject(intent);
  });
});

describe('a new expiry', () => {
  const renewal = step('set-expiry', 2_000_000_000);

  it.each`
    now               | final             | intent                                               | why
    ${tokens(A)}      | ${tokens(A)}      | ${{ change: A }}                                     | ${'a final token has another'}
    ${tokens(AGES)}   | ${tokens(AGES)}   | ${found({ state: 'ACTIVE', expiry: 2_000_000_000 })} | ${'it holds already'}
    ${tokens(FROZEN)} | ${tokens(FROZEN)} | ${found({ state: 'FROZEN', expiry: undefined })}     | ${'somebody froze it'}
    ${tokens()}       | ${tokens()}       | ${found({ state: 'NONE' })}                          | ${'the token is gone'}
    ${tokens()}       | ${tokens(A)}      | ${LATER}                                             | ${'that it is gone is not final'}
    ${tokens(A)}      | ${tokens()}       | ${LATER}                                             | ${'it is not final'}
    ${tokens(A)}      | ${undefined}      | ${LATER}                                             | ${'what is final was not read'}
  `('comes to $intent when $why', ({ now, final, intent }) => {
    expect(intentOf(renewal, now, final)).toMatchObject(intent);
  });

  it('always asks for what is final, an issuance only where there are tokens', () => {
    expect(mustBeFinal(renewal, tokens())).toBe(true);
    expect(mustBeFinal(step('issue'), tokens(A))).toBe(true);
    expect(mustBeFinal(step('issue'), tokens())).toBe(false);
    expect(mustBeFinal(step('issue'), UNREADABLE)).toBe(false);
    expect(mustBeFinal(step('issue'), undefined)).toBe(false);
  });
});

it('is not believed of a node that may be behind, when it says that something holds', () => {
  const holds: Finding = { is: 'found', onChain: { state: 'NONE' } };
  expect(believed(holds, true)).toMatchObject(LATER);
  expect(believed(holds, false)).toBe(holds);
  expect(believed(UNREADABLE, true)).toBe(UNREADABLE);
});
