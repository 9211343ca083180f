import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcomesOf } from './solana-calls.ts';
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
  it.each([[['lying', 'honest']], [['honest', 'lying']]] as const)(
    'a pass is issued and revoked within the documented time with the endpoints %j',
    async (endpoints) => {
      const failed = [...(await outcomesOf(chain, endpoints))].filter(
        ([, { shown, isSettled }]) => shown.join() !== 'ACTIVE,REVOKED' || !isSettled,
      );
      expect(Object.fromEntries(failed)).toEqual({});
    },
    TIMEOUT_MS,
  );
});

describe('the only endpoint answers one of its calls wrongly for good', () => {
  it(
    'a pass is issued and revoked, or waits with a reason that names the call',
    async () => {
      const outcomes = await outcomesOf(chain, ['lying']);
      const failed = [...outcomes].filter(([title, { shown, isSettled, why = '' }]) => {
        const [method = ''] = title.split(':');
        const isDone = isSettled && shown.join() === 'ACTIVE,REVOKED';
        return !(isDone || (shown.length === 2 && why.includes(method)));
      });
      expect(Object.fromEntries(failed)).toEqual({});
      const done = [...outcomes.values()].filter(({ isSettled }) => isSettled).length;
      expect(done).toBeGreaterThan(outcomes.size / 2);
    },
    TIMEOUT_MS,
  );
});
