import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { parseTransaction } from 'viem/utils';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openChain } from '../../../src/chain/open-chain.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { stuckAfterMs } from '../../../src/network/network.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { fillNonceGaps, unstickTransactions } from '../../../src/signer-object/recover.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { aStep, mine, sepolia } from '../chain/ethereum/node.ts';
import { gatekeeperIn, readCalls, resetCalls, setFaults } from '../chain/signing/kms.ts';
import * as solana from '../chain/solana/node.ts';
import { signedFor } from './send-step.ts';
import { objectOf, withSigner } from './with-signer.ts';

/** A signer whose key is in the KMS of the localnet: it loses no nonce, whatever the KMS does. */

const onEthereum = () => ({ ...sepolia(), gatekeeper: gatekeeperIn('aws', 'ethereum') });
const onSolana = () => ({ ...solana.devnet(), gatekeeper: gatekeeperIn('gcp', 'solana') });

const reasonsOf = ({ waits }: Signer) => waits.of(SIGNER).map(({ code }) => code);
const waitsOf = ({ waits }: Signer) => waits.of(SIGNER).map(({ code, tries }) => [code, tries]);
const nonceOf = (signer: Signer, id: string) => {
  const bytes = signedFor(signer, id)[0]?.bytes;
  return bytes === undefined ? undefined : parseTransaction(bytes as '0x').nonce;
};
/** Lets the time of all pauses pass. */
const retry = (signer: Signer) => signer.waits.retryNow(SIGNER);

beforeEach(async () => {
  await setFaults();
  await resetCalls();
});
afterEach(() => setFaults());

describe('on a chain with nonces', () => {
  it.each([0, 1, 3])(
    'stores only the %i steps before a call that fails, and the others get the next nonces',
    async (after) => {
      await withSigner(
        `kms fails after ${after}`,
        async (signer) => {
          const steps = [aStep(), aStep(), aStep(), aStep(), aStep()];
          addSteps(signer, steps);
          await setFaults({ kind: 'throttle', operation: 'sign', after, times: 1 });
          const sent = await sendWaiting(signer);
          const order = steps.map(({ id }) => nonceOf(signer, id));
          const stored = order.filter((nonce) => nonce !== undefined);
          // The calls arrive in any order, so the failing one may be another than the one after `after`.
          expect(sent.map(({ id }) => id)).toEqual(steps.slice(0, stored.length).map(({ id }) => id));
          expect(stored.length).toBeLessThan(5);
          expect(reasonsOf(signer)).toEqual(['kms-throttled']);
          const calls = await readCalls();
          expect(await sendWaiting(signer)).toEqual([]);
          expect(await readCalls()).toEqual(calls);
          retry(signer);
          await sendWaiting(signer);
          const all = steps.map(({ id }) => nonceOf(signer, id) ?? Number.NaN);
          expect(all.map((nonce) => nonce - (all[0] ?? 0))).toEqual([0, 1, 2, 3, 4]);
          expect(steps.map(({ id }) => signedFor(signer, id).length)).toEqual([1, 1, 1, 1, 1]);
          expect(reasonsOf(signer)).toEqual([]);
          await mine();
        },
        { on: onEthereum() },
      );
    },
  );

  it('keeps its place and its nonce for a step that the KMS refuses, and stores nothing', async () => {
    await withSigner(
      'kms denies',
      async (signer, { kv }) => {
        const step = aStep();
        addSteps(signer, [step]);
        await setFaults({ kind: 'deny', operation: 'sign' });
        expect(await sendWaiting(signer)).toEqual([]);
        expect(reasonsOf(signer)).toEqual(['kms-denied']);
        expect(kv.get('nextNonce')).toBeUndefined();
        expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'waiting' });
        await setFaults();
        retry(signer);
        expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
        await mine();
      },
      { on: onEthereum() },
    );
  });

  it('gives no nonce to a step that the signing policy forbids, and asks the KMS only for the others', async () => {
    const real = openChain(onEthereum(), configOf(env));
    const [forbidden, ...fine] = [aStep(), aStep(), aStep()];
    const prepare: ChainPort['prepare'] = async (requests, unmined) => {
      const { results, ...rest } = await real.prepare(requests, unmined);
      return {
        ...rest,
        results: results.map(([request, result]) => [
          request,
          result.type === 'ready' && request.step.id === forbidden?.id
            ? { ...result, findViolation: () => 'a test forbids it' }
            : result,
        ]),
      };
    };
    await withSigner(
      'kms and policy',
      async (signer) => {
        addSteps(
          signer,
          [forbidden, ...fine].filter((step) => step !== undefined),
        );
        expect(await sendWaiting(signer)).toMatchObject(fine.map(({ id }) => ({ id })));
        expect(await readCalls()).toMatchObject({ sign: 2 });
        const [first = 0, second] = fine.map(({ id }) => nonceOf(signer, id));
        expect(second).toBe(first + 1);
        await mine();
      },
      { on: onEthereum(), chain: { prepare } },
    );
  });

  it('stays below its ceiling if fillers spend the rest of it while the KMS signs', async () => {
    const real = openChain(onEthereum(), configOf(env));
    let whileSigning = async () => {};
    const prepare: ChainPort['prepare'] = async (requests, unmined) => {
      const { results, ...rest } = await real.prepare(requests, unmined);
      const cheap = results.map(([request, result]) => {
        if (result.type !== 'ready') return [request, result] as const;
        const sign: typeof result.sign = async (nonce) => {
          const signed = await result.sign(nonce);
          await whileSigning();
          return { ...signed, maxCost: 10 };
        };
        return [request, { ...result, maxCost: 10, sign }] as const;
      });
      return { ...rest, results: cheap };
    };
    const signGapFillers: ChainPort['signGapFillers'] = async (nonces) =>
      (await real.signGapFillers(nonces)).map(([nonce, filler]) => [nonce, { ...filler, maxCost: 10 }]);
    const broadcast: ChainPort['broadcast'] = async (all) => all.map((each) => [each, { type: 'accepted' }]);
    await withSigner(
      'kms and a ceiling',
      async (signer) => {
        const steps = [aStep(), aStep()];
        addSteps(signer, steps);
        whileSigning = async () => {
          whileSigning = async () => {};
          await fillNonceGaps(signer, [900], Date.now());
        };
        expect(await sendWaiting(signer)).toMatchObject([{ id: steps[0]?.id }]);
        expect(signer.spending.budgetOf(SIGNER, Date.now()).spent).toBe(20);
        expect(steps.map(({ id }) => signedFor(signer, id).length)).toEqual([1, 0]);
        expect(reasonsOf(signer)).toEqual(['signer-ceiling']);
      },
      {
        on: onEthereum(),
        chain: { prepare, signGapFillers, broadcast },
        ceilings: { dailyCeiling: 20, dailyLaneCeiling: 20 },
      },
    );
  });

  it('sends stored bytes while it waits for the KMS, and asks the KMS for no replacement', async () => {
    const real = openChain(onEthereum(), configOf(env));
    let isAway = true;
    const broadcast: ChainPort['broadcast'] = async (transactions) => {
      if (isAway) throw new Error('the nodes are away');
      return real.broadcast(transactions);
    };
    await withSigner(
      'kms and stored bytes',
      async (signer) => {
        const [stored, waiting] = [aStep(), aStep()];
        addSteps(signer, [stored]);
        await expect(sendWaiting(signer)).rejects.toThrow('away');
        isAway = false;
        addSteps(signer, [waiting]);
        await setFaults({ kind: 'unavailable', operation: 'sign' });
        expect(await sendWaiting(signer)).toMatchObject([{ id: stored.id }]);
        expect(reasonsOf(signer)).toEqual(['kms-unanswered']);
        const { sign } = await readCalls();
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_500 });
        const replace = vi.spyOn(signer.chain, 'replaceTransactions');
        await unstickTransactions(signer, Date.now() - 1_500);
        expect(replace).not.toHaveBeenCalled();
        expect((await readCalls()).sign).toBe(sign);
        vi.useRealTimers();
        await setFaults();
        retry(signer);
        expect(await sendWaiting(signer)).toMatchObject([{ id: waiting.id }]);
        await mine();
      },
      { on: onEthereum(), chain: { broadcast } },
    );
  });

  it('sends a filler again, and one that costs less in place of a stuck one, and counts the dearer one', async () => {
    const sent: string[][] = [];
    const broadcast: ChainPort['broadcast'] = async (all) => {
      sent.push(all.map(({ signed }) => signed.bytes));
      return all.map((each) => [each, { type: 'accepted' }]);
    };
    const costs = [10, 7];
    const signGapFillers: ChainPort['signGapFillers'] = async (nonces) =>
      nonces.map((nonce) => [nonce, { identifier: '0x', bytes: `0x${costs.length}`, maxCost: costs.shift() ?? 0 }]);
    await withSigner(
      'cheaper fillers',
      async (signer) => {
        const now = Date.now();
        const after = stuckAfterMs(signer.network);
        for (const at of [now, now + after - 1, now + after]) await fillNonceGaps(signer, [900], at);
        expect(sent).toEqual([['0x2'], ['0x2'], ['0x1']]);
        expect(signer.spending.budgetOf(SIGNER, now).spent).toBe(10);
      },
      { on: onEthereum(), chain: { signGapFillers, broadcast } },
    );
  });

  it('pauses if the KMS does not sign a filler of a gap, and sends the fillers that it did sign', async () => {
    const sent: number[] = [];
    const broadcast: ChainPort['broadcast'] = async (transactions) => {
      sent.push(...transactions.map(({ signed }) => parseTransaction(signed.bytes as '0x').nonce ?? 0));
      return transactions.map((transaction) => [transaction, { type: 'accepted' }]);
    };
    await withSigner(
      'kms and gaps',
      async (signer) => {
        await setFaults({ kind: 'throttle', operation: 'sign', times: 1 });
        await fillNonceGaps(signer, [900, 901, 902], Date.now());
        expect(sent).toHaveLength(2);
        expect(reasonsOf(signer)).toEqual(['kms-throttled']);
      },
      { on: onEthereum(), chain: { broadcast } },
    );
  });
});

describe('on a chain without nonces', () => {
  it('stores every step that the KMS signed, also behind one that failed', async () => {
    await withSigner(
      'kms on solana',
      async (signer) => {
        const steps = [solana.aStep(), solana.aStep(), solana.aStep(), solana.aStep()];
        addSteps(signer, steps);
        await setFaults({ kind: 'other-key', operation: 'sign', times: 1 });
        const sent = await sendWaiting(signer);
        expect(sent).toHaveLength(3);
        expect(reasonsOf(signer)).toEqual(['kms-wrong-answer']);
        await setFaults();
        retry(signer);
        expect(await sendWaiting(signer)).toHaveLength(1);
        expect(steps.map(({ id }) => signedFor(signer, id).length)).toEqual([1, 1, 1, 1]);
      },
      { on: onSolana() },
    );
  });

  it('pauses no longer than the first time while the KMS signs most steps', async () => {
    await withSigner(
      'kms fails for some on solana',
      async (signer) => {
        for (const _ of [1, 2]) {
          addSteps(signer, [solana.aStep(), solana.aStep(), solana.aStep(), solana.aStep()]);
          await setFaults({ kind: 'throttle', operation: 'sign', times: 1 });
          expect((await sendWaiting(signer)).length).toBeGreaterThan(0);
          expect(waitsOf(signer)).toEqual([['kms-throttled', 1]]);
          retry(signer);
        }
      },
      { on: onSolana() },
    );
  });

  it('also keeps the pause that the chain asks for while the KMS signs most steps', async () => {
    const real = openChain(onSolana(), configOf(env));
    const poor = solana.aStep();
    const prepare: ChainPort['prepare'] = async (requests, unmined) => {
      const { results, ...rest } = await real.prepare(requests, unmined);
      const seen = results.map(([request, result]) =>
        request.step.id === poor.id ? ([request, notNow('no-funds')] as const) : ([request, result] as const),
      );
      return { ...rest, results: seen };
    };
    await withSigner(
      'kms and no funds',
      async (signer) => {
        addSteps(signer, [solana.aStep(), solana.aStep(), solana.aStep(), poor]);
        await setFaults({ kind: 'throttle', operation: 'sign', times: 1 });
        expect(await sendWaiting(signer)).toHaveLength(2);
        expect(reasonsOf(signer).toSorted()).toEqual(['kms-throttled', 'no-funds']);
      },
      { on: onSolana(), chain: { prepare } },
    );
  });
});

it('an object that ends while the KMS signs has stored no bytes and used no nonce', async () => {
  const name = 'kms and an eviction';
  const [one, two] = [aStep(), aStep()];
  let broadcasts = 0;
  const broadcast: ChainPort['broadcast'] = async () => {
    broadcasts += 1;
    return [];
  };
  await withSigner(
    name,
    async (signer) => {
      addSteps(signer, [one, two]);
      await setFaults({ kind: 'hang', operation: 'sign' });
      // It never ends.
      void sendWaiting(signer);
      while ((await readCalls()).sign < 2) await scheduler.wait(20);
    },
    { on: onEthereum(), chain: { broadcast } },
  );
  await runInDurableObject(objectOf(name), (_, state) => state.abort('a test ends it')).catch(() => {});
  await setFaults();
  await withSigner(
    name,
    async (signer, { kv }) => {
      expect(broadcasts).toBe(0);
      expect(kv.get('nextNonce')).toBeUndefined();
      expect([one, two].map(({ id }) => signedFor(signer, id))).toEqual([[], []]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: one.id }, { id: two.id }]);
      await mine();
    },
    { on: onEthereum() },
  );
});
