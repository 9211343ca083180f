import { afterAll, beforeAll, expect, it } from 'vitest';
import { withheldCalls } from '../../lies/solana-withheld.ts';
import { DONE, outcomesOf } from './solana-calls.ts';
import { openSolana } from './solana-chain.ts';
import { NEIGHBOR_EXPIRY, useLyingEndpoints } from './use-lying-endpoints.ts';

/** A call of a Solana node that is answered wrongly for good. The full form has every call and every way. */

const CASES = [
  'getSignatureStatuses: processed for good',
  'getSignatureStatuses: null after it was shown',
  'getSignatureStatuses: huge numbers',
  'getRecentPrioritizationFees: a missing method',
];

/** It only ends a test that hangs. */
const TIMEOUT_MS = 300_000;

useLyingEndpoints();

let chain: Awaited<ReturnType<typeof openSolana>>;
beforeAll(async () => {
  chain = await openSolana(NEIGHBOR_EXPIRY);
}, TIMEOUT_MS);
afterAll(() => chain.close());

it.each([[['lying', 'honest']], [['lying']]] as const)(
  'a pass is issued and revoked within the documented time although one call is wrong for good, with the endpoints %j',
  async (endpoints) => {
    const lies = withheldCalls().filter(({ name }) => CASES.includes(name));
    const outcomes = await outcomesOf(chain, endpoints, lies);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(CASES.map((name) => [name, DONE])));
  },
  TIMEOUT_MS,
);
