import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WaitCode } from '../../../src/pass/wait-reasons.ts';
import { ETHEREUM_LIES } from '../../lies/ethereum-lies.ts';
import type { Lie } from '../../lies/lie.ts';
import { SOLANA_LIES } from '../../lies/solana-lies.ts';
import { openEthereum } from './ethereum-chain.ts';
import { halfOf } from './half-of.ts';
import { beginLife, isSettled, type Life, type LifeRow, passTime, request, stuckReasonOf } from './life.ts';
import { openSolana } from './solana-chain.ts';
import { EXPIRY, NEIGHBOR_EXPIRY, useLyingEndpoints } from './use-lying-endpoints.ts';

/**
 * An endpoint that lies all the time beside honest ones. With a third endpoint it stops nothing. With two endpoints, a step waits
 * only if the two disagree about what the chain holds or about what the call would do: the service cannot know which of them lies.
 */

const LIFETIME_SECONDS = 300 * 86_400;
/** Enough to sign, to confirm and to finalize, and to ask each endpoint about it. */
const TURNS = 8;
/** It only ends a test that hangs. */
const TIMEOUT_MS = 600_000;

/** The lies that a signer cannot decide with two endpoints, and the reason for which the step waits. */
const UNDECIDED_ON_ETHEREUM: Readonly<Record<string, WaitCode>> = {
  "tokens: another wallet's": 'endpoints-disagree',
  "tokens: one more, another wallet's": 'endpoints-disagree',
  'simulations: the token has another state': 'token-changed',
  'simulations: never possible': 'endpoints-disagree',
};
const UNDECIDED_ON_SOLANA: Readonly<Record<string, WaitCode>> = {
  'tokens: the first address is occupied': 'endpoints-disagree',
  "tokens: another wallet's": 'endpoints-disagree',
  'lifetime: without end': 'endpoints-disagree',
  'simulations: the token has another state': 'simulation-failed',
  'simulations: never possible': 'endpoints-disagree',
};
/** A signer that never signed cannot know whether a lost store sent these transactions. It looks again after every pause. */
const AT_THE_FIRST_START: Readonly<Record<string, WaitCode>> = { 'pending nonce: too high': 'foreign-transactions' };

useLyingEndpoints();

describe.each([
  { chain: 'Ethereum', open: openEthereum, lies: ETHEREUM_LIES, undecided: UNDECIDED_ON_ETHEREUM },
  { chain: 'Solana', open: openSolana, lies: SOLANA_LIES, undecided: UNDECIDED_ON_SOLANA },
] as const)('on $chain', ({ open, lies, undecided }) => {
  let chain: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    chain = await open(NEIGHBOR_EXPIRY, EXPIRY);
  }, TIMEOUT_MS);
  afterAll(() => chain.close());

  /** Issues a pass for each lie. Returns the reasons of those that have no token, or whose pass does not know it, by lie. */
  async function findWaiting(
    endpoints: LifeRow['endpoints'],
    told = lies as readonly Lie<never>[],
    also: readonly Lie<never>[] = [],
  ): Promise<Record<string, string | undefined>> {
    const lives: Life[] = [];
    for (const lie of told) {
      const life = await beginLife(chain, { title: lie.name, lies: [[lie, ...also]], endpoints });
      life.lies = [lie, ...also];
      lives.push(life);
    }
    await Promise.all(lives.map((life) => request(life, 'issue', LIFETIME_SECONDS)));
    for (let turn = 0; turn < TURNS; turn++) await passTime(chain, lives, turn);
    const waiting = await Promise.all(
      lives.map(async (life) => {
        const tokens = await chain.tokensOf(life.key);
        expect(life.faults).toEqual([]);
        if (tokens.length > 0) expect(tokens, life.row.title).toMatchObject([{ state: 'ACTIVE' }]);
        if (tokens.length === 0) return [[life.row.title, (await stuckReasonOf(life))?.code]];
        return (await isSettled(life)) ? [] : [[life.row.title, 'not settled']];
      }),
    );
    return Object.fromEntries(waiting.flat());
  }

  it(
    'a second endpoint that lies stops only the steps about whose state or effect the two disagree',
    async () => {
      const expected = { ...undecided, ...(lies === ETHEREUM_LIES && AT_THE_FIRST_START) };
      expect(await findWaiting(['honest', 'lying'])).toEqual(expected);
    },
    TIMEOUT_MS,
  );

  it(
    'a third endpoint decides, whether the first or the second one lies',
    async () => {
      expect(await findWaiting(['honest', 'lying', 'honest'], halfOf<Lie<never>>(lies, 0))).toEqual({});
      expect(await findWaiting(['lying', 'honest', 'honest'], halfOf<Lie<never>>(lies, 1))).toEqual({});
    },
    TIMEOUT_MS,
  );

  it.runIf(lies === SOLANA_LIES)(
    'one of two endpoints with a block hash that no chain has stops nothing, at whatever price',
    async () => {
      const hashes = SOLANA_LIES.filter(({ name }) => name.startsWith('blockhash'));
      const price = SOLANA_LIES.filter(({ name }) => name === 'fees: too high');
      expect([hashes.length, price.length]).toEqual([3, 1]);
      for (const endpoints of [
        ['lying', 'honest'],
        ['honest', 'lying'],
      ] as const) {
        expect(await findWaiting(endpoints, hashes)).toEqual({});
        expect(await findWaiting(endpoints, hashes, price)).toEqual({});
      }
    },
    TIMEOUT_MS,
  );

  it(
    'a first endpoint that swallows or refuses what the signer sends stops nothing',
    async () => {
      const sends = (lies as readonly Lie<never>[]).filter(({ swallowsSends }) => swallowsSends);
      expect(sends.map(({ name }) => name)).toEqual(['sends: swallowed', 'sends: refused']);
      expect(await findWaiting(['lying', 'honest'], sends)).toEqual({});
      expect(await findWaiting(['lying', 'honest', 'honest'], sends)).toEqual({});
    },
    TIMEOUT_MS,
  );
});
