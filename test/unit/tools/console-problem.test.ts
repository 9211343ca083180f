import { expect, it } from 'vitest';
import { describeProblem } from '../../../pages/console/api/problem.ts';
import { growthOf, LINEAR } from '../../growth.ts';

const errors = [{ pointer: '/items/3/walletAddress', detail: 'must be base58 of 32 bytes' }];

it.each`
  detail                                                                             | text
  ${'The wallet address is malformed. Send it in the form that "errors" describes.'} | ${'The wallet address is malformed. The wallet must be base58 of 32 bytes.'}
  ${'Correct the fields that "errors" lists.'}                                       | ${'The wallet must be base58 of 32 bytes.'}
  ${'At most 0.5 seconds.'}                                                          | ${'At most 0.5 seconds. The wallet must be base58 of 32 bytes.'}
`('the console shows $detail without the sentence for programs', ({ detail, text }) => {
  expect(describeProblem({ detail, errors })).toBe(text);
});

it.each(['a', ' ', '"errors"', '.', '"errors" '])('the time for a detail of %j grows with its length', (part) => {
  expect(growthOf((size) => describeProblem({ detail: part.repeat(size) }), 5_000)).toBeLessThan(LINEAR);
});

it('the console names the passes that count for a rule', () => {
  const passes = [{ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: '0x1' }] as const;
  const detail = 'A rule allows no further pass of the subject. Revoke one of its passes first.';
  expect(describeProblem({ code: 'subject_limit_reached', detail, rule: { passes } })).toBe(
    `${detail} These count: 0x1 on sepolia.`,
  );
});
