import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lie } from '../../lies/lie.ts';
import { ETHEREUM_CALLS, nodeFaults } from '../../lies/node-faults.ts';
import { openEthereum } from './ethereum-chain.ts';
import { halfOf } from './half-of.ts';
import { beginLife, isSettled, type Life, type LifeRow, passTime, request, stuckReasonOf } from './life.ts';
import { EXPIRY, NEIGHBOR_EXPIRY, useLyingEndpoints } from './use-lying-endpoints.ts';

/**
 * Every call of an Ethereum node with every way in which one method of a real node fails, for good. Beside an honest endpoint, it stops
 * nothing: a revocation is on chain in time. With the only endpoint, the pass settles, or waits with a reason that names the call.
 */

const LIFETIME_SECONDS = 300 * 86_400;
/** Turns within which a change is on chain and recorded. A turn makes blocks of 36 or 192 seconds, and every second one is final. */
const TURNS = 8;
const TIMEOUT_MS = 1_800_000;

const FAULTS = nodeFaults(ETHEREUM_CALLS);

useLyingEndpoints();

let chain: Awaited<ReturnType<typeof openEthereum>>;
beforeAll(async () => {
  chain = await openEthereum(NEIGHBOR_EXPIRY, EXPIRY);
}, TIMEOUT_MS);
afterAll(() => chain.close());

/** Issues a pass for each fault and then revokes it. Returns those that did not settle, with the reason of the step, by fault. */
async function liveWith(
  endpoints: LifeRow['endpoints'],
  faults: readonly Lie<object>[] = FAULTS,
): Promise<Record<string, string>> {
  const lives: Life[] = [];
  for (const fault of faults) {
    const life = await beginLife(chain, { title: fault.name, lies: [[fault]], endpoints });
    life.lies = [fault];
    lives.push(life);
  }
  const waiting: Record<string, string> = {};
  for (const change of ['issue', { state: 'REVOKED' }] as const) {
    const open = lives.filter(({ row: { title } }) => !(title in waiting));
    await Promise.all(open.map((life) => request(life, change, LIFETIME_SECONDS)));
    for (let turn = 0; turn < TURNS; turn++) await passTime(chain, open, turn);
    for (const life of open) {
      expect(life.faults, life.row.title).toEqual([]);
      const [token, ...others] = await chain.tokensOf(life.key);
      expect(others, life.row.title).toEqual([]);
      const isDone = token?.state === (change === 'issue' ? 'ACTIVE' : 'REVOKED') && (await isSettled(life));
      if (!isDone) waiting[life.row.title] = (await stuckReasonOf(life))?.text ?? 'no reason';
    }
  }
  return waiting;
}

describe('a call that fails for good', () => {
  it.each([
    [['lying', 'honest'], 0],
    [['honest', 'lying'], 1],
  ] as const)(
    'stops nothing if the endpoints are %s',
    async (endpoints, half) => {
      expect(await liveWith(endpoints, halfOf(FAULTS, half))).toEqual({});
    },
    TIMEOUT_MS,
  );

  it(
    'stops a pass of the only endpoint with a reason that names it, or not at all',
    async () => {
      const waiting = await liveWith(['lying']);
      const unnamed = Object.entries(waiting).filter(
        ([name, reason]) => !reason.includes(name.split(/[ :]/)[0] as string),
      );
      expect(unnamed).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
