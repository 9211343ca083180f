import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { nanoCoinsOfWei } from '../../../src/chain/units.ts';
import type { Step } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { unstickTransactions } from '../../../src/signer-object/recover.ts';
import type { StepEntry, StoredTransaction } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import { nextMidnight } from '../../../src/signer-object/spending.ts';
import { statusOf } from '../../../src/signer-object/status.ts';
import {
  aStep,
  callSepolia,
  makeBlocksByHand,
  mine,
  minedOfGatekeeper,
  setNextBlockTime,
} from '../chain/ethereum/node.ts';
import { answerOf, reasonOf, sent, signedFor } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Bounds of a signer's spending, on the real node. The test makes the blocks. */

makeBlocksByHand();
afterEach(() => void vi.useRealTimers());

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
        await setNextBlockTime(Date.now());
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
    await setNextBlockTime(Date.now());
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
