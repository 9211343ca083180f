import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ChainPort, pairAll, RpcFault } from '../../../src/chain/port.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import { passIdOf, type Step } from '../../../src/pass/step.ts';
import { STEP_MAX_NONCES } from '../../../src/pass/wait-reasons.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { endWaitingSteps, retryNow } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { releaseFinalNonces, unstickTransactions } from '../../../src/signer-object/recover.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import { statusOf } from '../../../src/signer-object/status.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import { answerOf, reasonOf, sent } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Steps whose transactions have expired, as the endpoints show it, on the real node. The test makes the blocks. */

makeBlocksByHand();
afterEach(() => void vi.useRealTimers());

describe('a step whose transactions have expired', () => {
  /** Endpoints that agree with each other and hide the result of every transaction. */
  const hiding: Partial<ChainPort> = {
    track: async (all) => pairAll(all, { type: 'expired', asOf: 1 }),
    finalNonce: async () => ({ nonce: Number.MAX_SAFE_INTEGER, time: 0, asOf: 0 }),
  };

  /** Expires the transactions in flight, and signs the steps again that may be signed. Returns their number. */
  async function expireAndSend(signer: Signer): Promise<number> {
    await trackInFlight(signer);
    await releaseFinalNonces(signer, Date.now());
    signer.storage.sql.exec("UPDATE step SET not_before = 0 WHERE wait IS NOT 'held'");
    return (await sendWaiting(signer)).length;
  }

  it('signs a step at no more than three nonces, then holds and logs it, and signs it once more on a redrive', async () => {
    const faults = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await withSigner(
      'held',
      async (signer, storage) => {
        const before = await minedOfGatekeeper();
        const { step } = await sent(signer);
        for (let round = 0; round < 10; round += 1) await expireAndSend(signer);
        expect(storage.kv.get('nextNonce')).toBe(before + STEP_MAX_NONCES);
        expect(answerOf(signer, step.id)?.status).toEqual({ type: 'waiting' });
        expect(reasonOf(signer, step)).toContain(`${STEP_MAX_NONCES} nonces were signed for it`);
        expect(faults.mock.calls.flat().filter((line) => line.includes('signer.step_held'))).toHaveLength(1);
        expect(signer.steps.unminedCount).toBe(0);

        retryNow(signer, [{ id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork }]);
        expect(await sendWaiting(signer)).toHaveLength(1);
        for (let round = 0; round < 3; round += 1) expect(await expireAndSend(signer)).toBe(0);
        expect(storage.kv.get('nextNonce')).toBe(before + STEP_MAX_NONCES + 1);
      },
      { chain: hiding },
    );
    faults.mockRestore();
  });

  describe('that the signer holds', () => {
    const DISAGREE = notNow('endpoints-disagree');
    const later = (minutes: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });

    /** Runs the test with a held step. \`observed\` replaces what the endpoints show from then on. */
    async function withHeldStep(
      name: string,
      test: (signer: Signer, step: Step, observed: { prepare?: ChainPort['prepare'] }) => Promise<void>,
    ): Promise<void> {
      vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const observed: { prepare?: ChainPort['prepare'] } = {};
      await withSigner(
        name,
        async (signer) => {
          const { step } = await sent(signer);
          for (let round = 0; round < 4; round += 1) await expireAndSend(signer);
          expect(reasonOf(signer, step)).toContain('no endpoint shows its effect');
          const { prepare } = signer.chain;
          const chain = {
            ...signer.chain,
            prepare: ((...args) => (observed.prepare ?? prepare)(...args)) as typeof prepare,
          };
          await test({ ...signer, chain }, step, observed);
        },
        { chain: hiding },
      );
    }
    afterEach(() => void vi.restoreAllMocks());

    it('ends by itself once the chain shows its effect', async () => {
      await withHeldStep('held-found', async (signer, step) => {
        await mine(80);
        later(2);
        expect(await sendWaiting(signer)).toEqual([]);
        expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'found', onChain: { state: 'ACTIVE' } });
      });
    });

    it('is looked at with a growing pause while nothing shows its effect, and is never signed', async () => {
      await withHeldStep('held-still', async (signer, step, observed) => {
        const sign = vi.fn(() => Promise.reject(new Error('a held step must not be signed')));
        observed.prepare = async (requests) => ({
          results: pairAll(requests, {
            type: 'ready',
            call: '0x',
            expectedOnChain: { state: 'ACTIVE' },
            maxCost: 1,
            findViolation: () => undefined,
            sign,
          }),
          nonces: { latest: 0, pending: 0 },
        });
        const reason = reasonOf(signer, step);
        const begun = Date.now();
        const looks = [begun];
        while (looks.length < 40 && (looks.at(-1) ?? 0) < begun + 86_400_000) {
          const at = nextAlarm(signer, Date.now()) ?? 0;
          vi.useFakeTimers({ toFake: ['Date'], now: at });
          expect(await sendWaiting(signer)).toEqual([]);
          looks.push(at);
        }
        const pauses = looks.slice(1).map((at, index) => Math.round((at - (looks[index] ?? 0)) / 60_000));
        expect(pauses.slice(0, 9)).toEqual([1, 1, 2, 4, 8, 16, 32, 60, 60]);
        expect(looks.length).toBe(31);
        expect(sign).not.toHaveBeenCalled();
        expect(reasonOf(signer, step)).toBe(reason);
      });
    });

    it('is signed at once if the operator redrives it while the signer looks at it', async () => {
      await withHeldStep('held-redriven', async (signer, step, observed) => {
        await callSepolia('anvil_dropAllTransactions');
        observed.prepare = async (requests, unmined) => {
          delete observed.prepare;
          retryNow(signer, [{ id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork }]);
          return signer.chain.prepare(requests, unmined);
        };
        later(2);
        expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      });
    });

    it('gives the reason that is seen now, and pauses nothing else', async () => {
      await withHeldStep('held-disputed', async (signer, step, observed) => {
        observed.prepare = async (requests) => ({
          results: pairAll(requests, DISAGREE),
        });
        later(2);
        expect(await sendWaiting(signer)).toEqual([]);
        expect(reasonOf(signer, step)).toContain(`${STEP_MAX_NONCES} nonces were signed for it`);
        expect(reasonOf(signer, step)).toContain(DISAGREE.why);
        expect(reasonOf(signer, step)).not.toContain('no endpoint shows its effect');
        expect((await statusOf(signer, Date.now())).paused).toBeNull();
      });
    });

    it('stays held while its client is suspended and resumed', async () => {
      await withHeldStep('held-suspended', async (signer, step) => {
        await callSepolia('anvil_dropAllTransactions');
        signer.storage.sql.exec("UPDATE step SET client = 'a client' WHERE id = ?", step.id);
        const before = signer.storage.kv.get('nextNonce');
        for (const clients of [['a client'], []]) {
          vi.spyOn(signer.suspended, 'allows').mockReturnValue(clients.length === 0);
          later(2);
          expect(await sendWaiting(signer)).toEqual([]);
          signer.steps.endSuspensions(clients, Date.now());
          expect(await sendWaiting(signer)).toEqual([]);
        }
        expect(signer.storage.kv.get('nextNonce')).toBe(before);
      });
    });
  });

  it('counts the step as unmined, and neither signs nor withdraws it until its nonce is final', async () => {
    let final = 0;
    const unsettled: Partial<ChainPort> = { ...hiding, finalNonce: async () => ({ nonce: final, time: 0, asOf: 0 }) };
    await withSigner(
      'unsettled',
      async (signer) => {
        const { step } = await sent(signer);
        const [{ nonce = 0 } = {}] = signer.steps.inFlight('sent', 1);
        expect(await expireAndSend(signer)).toBe(0);
        expect(signer.steps.unminedCount).toBe(1);
        expect(reasonOf(signer, step)).toBe('the nonce of its last transaction is not final');
        signer.withdrawals.set(step.id, { type: 'withdrawn' });
        expect(await sendWaiting(signer)).toEqual([]);
        const ended = await endWaitingSteps(signer, { kinds: ['issue'] }, 10, () => sendWaiting(signer));
        expect(ended).toEqual({ ended: [], waiting: 0, signed: 1 });
        expect(answerOf(signer, step.id)?.status).toEqual({ type: 'waiting' });
        final = nonce + 1;
        expect(await expireAndSend(signer)).toBe(1);
      },
      { chain: unsettled },
    );
  });

  it('fills the nonce of the step if no transaction used it, so that no step waits for it forever', async () => {
    const unsettled: Partial<ChainPort> = { ...hiding, finalNonce: async () => ({ nonce: 0, time: 0, asOf: 0 }) };
    await withSigner(
      'filled',
      async (signer) => {
        const before = await minedOfGatekeeper();
        await sent(signer);
        await callSepolia('anvil_dropAllTransactions');
        await expireAndSend(signer);
        await unstickTransactions(signer, Date.now());
        await mine();
        expect(await minedOfGatekeeper()).toBe(before + 1);
        await unstickTransactions(signer, Date.now());
        await mine();
        expect(await minedOfGatekeeper()).toBe(before + 1);
      },
      { chain: unsettled },
    );
  });

  it('signs other steps while the nodes do not return the final nonce', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const silent: Partial<ChainPort> = { ...hiding, finalNonce: async () => Promise.reject(new RpcFault('no state')) };
    await withSigner(
      'silent',
      async (signer) => {
        await sent(signer);
        expect(await expireAndSend(signer)).toBe(0);
        const other = aStep();
        addSteps(signer, [other]);
        expect(await sendWaiting(signer)).toMatchObject([{ id: other.id }]);
      },
      { chain: silent },
    );
    expect(logged.mock.calls.flat().join()).toContain('signer.nonces_unread');
    logged.mockRestore();
  });

  it('gives the next step of a pass no further nonces after it withdrew the step', async () => {
    const faults = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await withSigner(
      'carried-over',
      async (signer, storage) => {
        const before = await minedOfGatekeeper();
        const { step } = await sent(signer);
        for (let round = 0; round < STEP_MAX_NONCES; round += 1) await expireAndSend(signer);
        signer.withdrawals.set(step.id, { type: 'withdrawn' });
        await sendWaiting(signer);
        expect(answerOf(signer, step.id)?.status).toEqual({ type: 'withdrawn' });
        addSteps(signer, [{ ...step, id: `${passIdOf(step.id)}:9` }]);
        expect(await sendWaiting(signer)).toHaveLength(1);
        for (let round = 0; round < 3; round += 1) expect(await expireAndSend(signer)).toBe(0);
        expect(storage.kv.get('nextNonce')).toBe(before + STEP_MAX_NONCES + 1);
      },
      { chain: hiding },
    );
    faults.mockRestore();
  });

  it('counts a quarter of the maximum cost of an expired transaction', async () => {
    await withSigner(
      'expired',
      async (signer, storage) => {
        const { first } = await sent(signer);
        await trackInFlight(signer);
        const quarter = Math.ceil((first.maxCost ?? 0) / 4);
        expect(signer.spending.budgetOf(SIGNER, Date.now()).spent).toBe(quarter);
        const restarted = signerMemory(storage, signer.name, signer.network, async () => []);
        expect(restarted.spending.budgetOf(SIGNER, Date.now()).spent).toBe(quarter);
      },
      { chain: hiding },
    );
  });
});
