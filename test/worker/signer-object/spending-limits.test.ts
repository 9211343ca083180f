import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { type ChainPort, pairAll, RpcFault } from '../../../src/chain/port.ts';
import { notNow } from '../../../src/chain/reasons.ts';
import { nanoCoinsOfWei } from '../../../src/chain/units.ts';
import { passIdOf, type Step } from '../../../src/pass/step.ts';
import { STEP_MAX_NONCES } from '../../../src/pass/wait-reasons.ts';
import { addSteps } from '../../../src/signer-object/add-steps.ts';
import { nextAlarm } from '../../../src/signer-object/next-alarm.ts';
import { endWaitingSteps, retryNow, stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { signerMemory } from '../../../src/signer-object/signer.ts';
import { statusOf } from '../../../src/signer-object/status.ts';
import { nextMidnight } from '../../../src/signer-object/step-cost.ts';
import type { StepEntry, StoredTransaction } from '../../../src/signer-object/step-row.ts';
import { trackInFlight } from '../../../src/signer-object/track-in-flight.ts';
import { releaseFinalNonces, unstickTransactions } from '../../../src/signer-object/unstick-transactions.ts';
import { SIGNER } from '../../../src/signer-object/waits.ts';
import {
  aStep,
  callSepolia,
  dropTransactionsAfterEach,
  makeBlocksByHand,
  mine,
  minedOfGatekeeper,
} from '../chain/ethereum/node.ts';
import { answerOf, sent, signedFor } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Bounds of a signer's spending, on the real node. The test makes the blocks. */

makeBlocksByHand();
dropTransactionsAfterEach();
afterEach(() => void vi.useRealTimers());

const reasonOf = (signer: Signer, { id, kind, rank, key: { gatekeeperNetwork } }: Step) =>
  stuckReasonFor(signer, { id, gatekeeperNetwork, kind, rank }, Date.now()).text;

describe('a step whose transactions have expired', () => {
  /** Endpoints that agree with each other and hide the result of every transaction. */
  const hiding: Partial<ChainPort> = {
    track: async (all) => pairAll(all, { type: 'expired', asOf: 1 }),
    finalNonce: async () => ({ nonce: Number.MAX_SAFE_INTEGER, time: 0 }),
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
    const unsettled: Partial<ChainPort> = { ...hiding, finalNonce: async () => ({ nonce: final, time: 0 }) };
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
    const unsettled: Partial<ChainPort> = { ...hiding, finalNonce: async () => ({ nonce: 0, time: 0 }) };
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

describe('a daily ceiling', () => {
  /** Returns the maximum cost of a mint on this node. */
  async function mintCost(): Promise<number> {
    return withSigner('the cost of a mint', async (signer) => {
      const { results } = await signer.chain.prepare([{ step: aStep() }], 0);
      const [[, result] = []] = results;
      return result?.type === 'ready' ? result.maxCost : 0;
    });
  }
  const spentBy = async (signer: Signer) => Number((await statusOf(signer, Date.now())).spending.spent) / 1e9;

  it('makes further issuances wait until midnight, while revocations use the reserve', async () => {
    const snapshot = await callSepolia<string>('evm_snapshot');
    const cost = await mintCost();
    const ceilings = { dailyCeiling: Math.floor(cost * 2.5), dailyLaneCeiling: cost * 100 };
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await withSigner(
      'ceiling',
      async (signer) => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
        const mints = Array.from({ length: 4 }, () => aStep());
        addSteps(signer, mints);
        expect(await sendWaiting(signer)).toHaveLength(2);
        expect(await sendWaiting(signer)).toEqual([]);
        const waiting = mints.filter(({ id }) => answerOf(signer, id)?.status.type === 'waiting');
        expect(reasonOf(signer, waiting[0] as Step)).toContain('the daily ceiling of the signer is reached');
        expect((await statusOf(signer, Date.now())).paused?.until).toBe(nextMidnight(Date.now()) / 1000);
        const lines = logged.mock.calls.flat().filter((line) => line.includes('signer.ceiling_reached'));
        expect(lines.map((line) => JSON.parse(line))).toMatchObject([
          { ceiling_nano_coins: ceilings.dailyCeiling, reserve_nano_coins: Math.floor(ceilings.dailyCeiling / 10) },
        ]);
        // The signer prepares a revocation although the ceiling is reached. This wallet has no token, so nothing is
        // sent.
        const prepared = vi.spyOn(signer.chain, 'prepare');
        addSteps(signer, [{ ...aStep(), kind: 'revoke', rank: 0 }]);
        await sendWaiting(signer);
        expect(prepared.mock.calls.flatMap(([asked]) => asked.map(({ step }) => step.kind))).toEqual(['revoke']);

        vi.setSystemTime(nextMidnight(Date.now()) + 1_000);
        signer.storage.sql.exec('UPDATE step SET not_before = 0');
        await callSepolia('evm_setNextBlockTimestamp', Math.floor(Date.now() / 1000));
        await mine();
        expect(await sendWaiting(signer)).toHaveLength(2);
      },
      { ceilings },
    );
    logged.mockRestore();
    // Later tests on this chain need the current time.
    vi.useRealTimers();
    await callSepolia('anvil_dropAllTransactions');
    await callSepolia('evm_revert', snapshot);
    await callSepolia('evm_setNextBlockTimestamp', Math.floor(Date.now() / 1000) + 1);
    await mine();
  });

  it('refuses an impossible cost', async () => {
    await withSigner('negative', async ({ spending }) => {
      const batch = spending.openBatch(Date.now());
      for (const cost of [-1, Number.NaN]) expect(batch.take(SIGNER, true, cost)).toBe(false);
      expect(batch.take(SIGNER, true, 0)).toBe(true);
    });
  });

  it('counts a replacement of the next day by its row, whatever was counted before', async () => {
    await withSigner('next-day', async (signer) => {
      const { step } = await sent(signer);
      const [entry] = signer.steps.inFlight('sent', 1) as [StepEntry];
      const tomorrow = nextMidnight(Date.now()) + 1_000;
      const [signed] = entry.signed as [StoredTransaction];
      const cheaper = { ...signed, maxCost: Math.floor((signed.maxCost ?? 0) / 2) };
      signer.steps.storeReplacement(entry, cheaper, tomorrow);
      const [replaced] = signer.steps.inFlight('sent', 1) as [StepEntry];
      signer.steps.setFinal(replaced, tomorrow, 0);
      expect(answerOf(signer, step.id)?.status.type).toBe('sent');
      expect(signer.spending.budgetOf(SIGNER, tomorrow).spent).toBe(Math.ceil(cheaper.maxCost / 4));
    });
  });

  it('lets a replacement use the reserve while a revocation waits behind it', async () => {
    const cost = await mintCost();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await withSigner(
      'reserve',
      async (signer) => {
        const { step } = await sent(signer);
        await unstickTransactions(signer, Date.now() + 3_600_000);
        expect(signedFor(signer, step.id)).toHaveLength(1);
        addSteps(signer, [{ ...aStep(), kind: 'revoke', rank: 0 }]);
        await unstickTransactions(signer, Date.now() + 3_600_000);
        expect(signedFor(signer, step.id)).toHaveLength(2);
      },
      // The reserve is a tenth of the ceiling, and a replacement costs at least an eighth more than the original.
      { ceilings: { dailyCeiling: Math.floor(cost * 1.06), dailyLaneCeiling: cost * 100 } },
    );
    logged.mockRestore();
  });

  it('delays only the gatekeeper network whose ceiling is reached, and applies a raised ceiling at once', async () => {
    const cost = await mintCost();
    const ceilings = { dailyCeiling: cost * 100, dailyLaneCeiling: Math.floor(cost * 1.5) };
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await withSigner(
      'lane-ceiling',
      async (signer, storage) => {
        const other = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';
        const steps = [aStep(), aStep(), aStep({ gatekeeperNetwork: other })];
        addSteps(signer, steps);
        expect(await sendWaiting(signer)).toHaveLength(2);
        const left = steps.find(({ id }) => answerOf(signer, id)?.status.type === 'waiting') as Step;
        expect(reasonOf(signer, left)).toContain('the daily ceiling of the gatekeeper network is reached');
        const raised = { ...signer.network, dailyLaneCeiling: cost * 10 };
        const restarted = { ...signer, network: raised, ...signerMemory(storage, signer.name, raised, async () => []) };
        expect((await sendWaiting(restarted)).map(({ id }) => id)).toContain(left.id);
      },
      { ceilings },
    );
    logged.mockRestore();
  });

  it('counts the maximum cost of a transaction, of a replacement and of a gap filler, and later the actual cost', async () => {
    const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
    // The counts belong to a day, and the test looks an hour ahead. The clock may be behind the chain, but not far ahead of it.
    const latest = nextMidnight(Date.now()) - 2 * 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: Math.min(Date.now(), latest) });
    await withSigner('counted', async (signer, storage) => {
      const funds = async () => BigInt(await callSepolia<string>('eth_getBalance', gatekeeper, 'latest'));
      const before = await funds();
      const { step, first } = await sent(signer);
      expect(await spentBy(signer)).toBe(first.maxCost);
      await unstickTransactions(signer, Date.now() + 3_600_000);
      const [, raised] = signedFor(signer, step.id);
      expect(raised?.maxCost).toBeGreaterThan(first.maxCost ?? 0);
      expect(await spentBy(signer)).toBe(raised?.maxCost);
      // After a restart, the rows give the same sum.
      const restart = () => ({ ...signer, ...signerMemory(storage, signer.name, signer.network, async () => []) });
      expect(await spentBy(restart())).toBe(raised?.maxCost);
      await mine(4);
      await trackInFlight(signer);
      // The restarted signer counts for the first time when it applies the correction.
      const restarted = restart();
      await trackInFlight(restarted);
      expect(signer.steps.inFlight('confirmed', 1)).toEqual([]);
      const paid = nanoCoinsOfWei(before - (await funds()));
      expect([await spentBy(restarted), await spentBy(restart())]).toEqual([paid, paid]);
      signer.steps.reload();

      storage.kv.put('nextNonce', (await minedOfGatekeeper()) + 2);
      const { first: behindGap } = await sent(signer);
      await unstickTransactions(signer, Date.now() + 2_000);
      const whenSent = await spentBy(signer);
      await unstickTransactions(signer, Date.now() + 3_600_000);
      const withFillers = await spentBy(signer);
      expect(withFillers).toBeGreaterThan(whenSent);
      // The same nonces are filled once more.
      await unstickTransactions(signer, Date.now() + 3_600_000);
      expect(await spentBy(signer)).toBeLessThanOrEqual(withFillers * 1.01);
      expect(behindGap.maxCost).toBeGreaterThan(0);
    });
  });
});
