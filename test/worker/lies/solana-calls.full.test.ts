import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withheldCalls } from '../../lies/solana-withheld.ts';
import { halfOf } from './half-of.ts';
import { DONE, type Outcome, outcomesOf } from './solana-calls.ts';
import { openSolana } from './solana-chain.ts';
import { NEIGHBOR_EXPIRY, useLyingEndpoints } from './use-lying-endpoints.ts';

/** Every call of a Solana node, answered wrongly for good in every way. */

/** It only ends a test that hangs. */
const TIMEOUT_MS = 1_200_000;

useLyingEndpoints();

let chain: Awaited<ReturnType<typeof openSolana>>;
beforeAll(async () => {
  chain = await openSolana(NEIGHBOR_EXPIRY);
}, TIMEOUT_MS);
afterAll(() => chain.close());

describe('one of two endpoints answers one of its calls wrongly for good', () => {
  it.each([
    [['lying', 'honest'], 0],
    [['honest', 'lying'], 1],
  ] as const)(
    'a pass is issued and revoked within the documented time with the endpoints %j',
    async (endpoints, half) => {
      const outcomes = await outcomesOf(chain, endpoints, halfOf(withheldCalls(), half));
      expect(Object.fromEntries(outcomes)).toEqual(
        Object.fromEntries([...outcomes.keys()].map((title) => [title, DONE])),
      );
    },
    TIMEOUT_MS,
  );
});

/** The revocation of a pass that waits for its issuance withdraws it: nothing of it is on chain. */
function isAllowed(title: string, { shown: [issued, revoked], reasons, faults }: Outcome): boolean {
  const [method = ''] = title.split(':');
  const [waitsForIssuance, waitsForRevocation] = reasons.map((reason) => reason !== undefined);
  return (
    faults.length === 0 &&
    (issued === 'ACTIVE' || waitsForIssuance === true) &&
    (revoked === 'REVOKED' || waitsForRevocation === true || issued === undefined) &&
    reasons.every((reason) => reason === undefined || reason.includes(method))
  );
}

describe('the only endpoint answers one of its calls wrongly for good', () => {
  it(
    'a pass is issued and revoked, or waits with a reason that names the call',
    async () => {
      const outcomes = await outcomesOf(chain, ['lying'], withheldCalls());
      const failed = [...outcomes].filter(([title, outcome]) => !isAllowed(title, outcome));
      expect(Object.fromEntries(failed)).toEqual({});
      const done = [...outcomes.values()].filter(({ shown }) => shown.join() === DONE.shown.join());
      expect(done.length).toBeGreaterThan(outcomes.size / 2);
    },
    TIMEOUT_MS,
  );
});
