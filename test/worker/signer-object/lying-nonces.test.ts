import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type ChainPort, pairAll } from '../../../src/chain/port.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { NONCES_MAX_AHEAD, releaseFinalNonces, unstickTransactions } from '../../../src/signer-object/recover.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { pauseOf, type Signer } from '../../../src/signer-object/signer.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import { answerOf, sent, trackForLong } from './send-step.ts';
import { sentenceOf, withSigner } from './with-signer.ts';

/** A node that reports too many used nonces of the key, and another user of the key, on the real node. */

makeBlocksByHand();
beforeEach(() => {
  said = undefined;
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const response = await real(url, init);
    if (said === undefined) return response;
    const calls = [JSON.parse(String(init?.body))].flat() as { id: number; method: string }[];
    const counts = calls.filter(({ method }) => method === 'eth_getTransactionCount').map(({ id }) => id);
    const result = `0x${said.toString(16)}`;
    const answers = [await response.json()].flat() as { id: number }[];
    return Response.json(answers.map((answer) => (counts.includes(answer.id) ? { ...answer, result } : answer)));
  });
});
afterEach(() => void vi.restoreAllMocks());

/** The number of used nonces that the node reports; undefined: the true number. */
let said: bigint | undefined;

const LATER_MS = 3_600_000;

/** Tries again as if any pause were over. */
async function sendLater(signer: Signer): Promise<void> {
  signer.waits.retryNow(SIGNER);
  signer.storage.sql.exec('UPDATE step SET not_before = 0');
  await sendWaiting(signer).catch(() => undefined);
}

/** Uses the signer for one confirmed step, and returns the number of used nonces. */
async function settled(signer: Signer): Promise<number> {
  await sent(signer);
  await mine();
  await trackInFlight(signer);
  return minedOfGatekeeper();
}

describe('a node that reports too many nonces', () => {
  it.each`
    what                                 | nonces
    ${'one more than the maximum ahead'} | ${(used: number) => BigInt(used + NONCES_MAX_AHEAD + 1)}
    ${'near the largest safe integer'}   | ${() => BigInt(Number.MAX_SAFE_INTEGER - 2_010)}
    ${'the largest safe integer'}        | ${() => BigInt(Number.MAX_SAFE_INTEGER)}
    ${'above 2^53'}                      | ${() => 2n ** 53n + 1n}
    ${'above 2^64'}                      | ${() => 2n ** 70n}
  `('continues with the right nonce after one false count of nonces: $what', async ({ what, nonces }) => {
    await withSigner(`lied to once: ${what}`, async (signer, { kv }) => {
      const used = await settled(signer);
      const fill = vi.spyOn(signer.chain, 'signGapFillers');
      const step = aStep();
      addSteps(signer, [step]);

      said = nonces(used);
      await sendLater(signer);
      expect(kv.get('nextNonce')).toBe(used);
      expect(answerOf(signer, step.id)?.status).toEqual({ type: 'waiting' });

      said = undefined;
      await sendLater(signer);
      await unstickTransactions(signer, Date.now() + LATER_MS);
      await mine();
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
      expect(await minedOfGatekeeper()).toBe(used + 1);
      expect(fill).not.toHaveBeenCalled();
    });
  });

  it('uses no nonce after a false count of nonces while no step can be signed', async () => {
    await withSigner(
      'uses no nonce after a false count of nonces while no step can be signed',
      async (signer, { kv }) => {
        const used = await settled(signer);
        addSteps(signer, [aStep({ gatekeeperNetwork: 'none' })]);
        said = BigInt(used + NONCES_MAX_AHEAD);
        await sendLater(signer);
        expect(pauseOf(signer, Date.now())).toBeUndefined();
        expect(kv.get('nextNonce')).toBe(used);
      },
    );
  });

  it('leaves only gaps that it later fills when a node repeats a false count of nonces', async () => {
    await withSigner('lied to for long', async (signer) => {
      const used = await settled(signer);
      said = BigInt(used + 1_000_000);
      const steps = Array.from({ length: 4 }, () => aStep());
      for (const step of steps) {
        addSteps(signer, [step]);
        await sendLater(signer);
        await sendLater(signer);
      }
      const nonces = signer.steps.inFlight('sent', 10).map(({ nonce = 0 }) => nonce - used);
      expect(nonces).toEqual([
        NONCES_MAX_AHEAD,
        2 * NONCES_MAX_AHEAD,
        2 * NONCES_MAX_AHEAD + 1,
        2 * NONCES_MAX_AHEAD + 2,
      ]);

      said = undefined;
      for (const hours of [1, 2]) {
        await unstickTransactions(signer, Date.now() + hours * LATER_MS);
        await mine();
        await trackInFlight(signer);
      }
      expect(steps.map(({ id }) => answerOf(signer, id)?.status.type)).toEqual(steps.map(() => 'confirmed'));
      expect(await minedOfGatekeeper()).toBe(used + 2 * NONCES_MAX_AHEAD + 3);
    });
  });

  it('refuses a count of 2^53 nonces at the first start', async () => {
    await withSigner('started beyond numbers', async (signer) => {
      addSteps(signer, [aStep()]);
      said = 2n ** 53n;
      await expect(sendWaiting(signer)).rejects.toThrow('eth_getTransactionCount is too large');
    });
  });

  it.each([
    [NONCES_MAX_AHEAD, Array.from({ length: NONCES_MAX_AHEAD }, (_, index) => 7 + index)],
    [NONCES_MAX_AHEAD + 1, []],
    [2 ** 40, []],
  ])('fills a gap of %i nonces at the first start only if the gap is within the maximum', async (gap, filled) => {
    const filling: number[] = [];
    const lying: Partial<ChainPort> = {
      broadcast: async (all) => pairAll(all, { type: 'accepted' }),
      account: async () => ({ balance: 0n, nonces: { latest: 7, pending: 7 } }),
      signGapFillers: async (nonces) => {
        filling.push(...nonces);
        return [];
      },
    };
    await withSigner(
      `started far ahead: ${gap}`,
      async (signer, { kv }) => {
        kv.put('nextNonce', 7 + gap);
        const real = signer.chain.prepare;
        vi.spyOn(signer.chain, 'prepare').mockImplementation(async (...asked) => {
          const prepared = await real(...asked);
          return { ...prepared, nonces: { latest: 7, pending: 7 } };
        });
        await sent(signer);
        await unstickTransactions(signer, Date.now() + LATER_MS);
        expect(filling).toEqual(filled);
      },
      { chain: lying },
    );
  });
});

it('catches up with many nonces that another user of the key used, and confirms its own step', async () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
  await withSigner('caught up', async (signer, _storage) => {
    const used = await settled(signer);
    await callSepolia('anvil_setNonce', gatekeeper, `0x${(used + 2 * NONCES_MAX_AHEAD + 5).toString(16)}`);
    await mine();
    const step = aStep();
    addSteps(signer, [step]);
    await sendWaiting(signer);
    expect(sentenceOf(pauseOf(signer, Date.now()))).toContain('far more transactions of this key');
    for (let round = 0; round < 3; round += 1) {
      await sendLater(signer);
      await mine(3);
      await trackForLong(signer);
      await releaseFinalNonces(signer, Date.now());
    }
    expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
    expect(await minedOfGatekeeper()).toBe(used + 2 * NONCES_MAX_AHEAD + 6);
  });
});
