import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ChainPort, pairAll } from '../../../src/chain/port.ts';
import { secret } from '../../../src/lib/secret.ts';
import { passIdOf } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { observePasses } from '../../../src/signer-object/read-passes.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { aStep, callSepolia, freshWallet, mine, sepolia } from '../chain/ethereum/node.ts';
import { answerOf, sent, trackForLong } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Tracking of transactions in flight on the real node. */

// The test makes the blocks: another block between two steps would move a reorg.
beforeAll(() => callSepolia('evm_setIntervalMining', 0));
afterEach(async () => {
  // No transaction may be pending when the next signer starts with an empty store.
  await mine(4);
});
afterAll(() => callSepolia('evm_setIntervalMining', 1));

describe('tracking transactions in flight', () => {
  it('broadcasts the same bytes again after their block left the chain', async () => {
    await withSigner('reorganized', async (signer) => {
      const { step, first } = await sent(signer);
      await mine();
      await trackInFlight(signer);
      await callSepolia('anvil_reorg', 1, []);
      await trackInFlight(signer);
      expect(signer.steps.inFlight('unsent', 10)).toMatchObject([{ signed: [{ bytes: first.bytes }] }]);
      await sendWaiting(signer);
      await mine();
      await trackInFlight(signer);
      expect(signer.steps.inFlight('confirmed', 10)).toHaveLength(1);
      await mine(2);
      await trackInFlight(signer);
      expect(signer.steps.inFlight('confirmed', 10)).toEqual([]);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'confirmed' });
    });
  });

  it('counts a transaction as open until its outcome is acknowledged', async () => {
    await withSigner('open outcome', async (signer) => {
      const { step } = await sent(signer);
      const pass = passIdOf(step.id);
      const openSince = async () => {
        const [observation] = await observePasses(
          signer,
          [{ ...step, pass, known: { state: 'NONE' } }],
          async () => {},
        );
        return observation?.openSince;
      };
      const signedAt = await openSince();
      expect(signedAt).toBeGreaterThan(Date.now() - 60_000);
      await mine();
      await trackInFlight(signer);
      const [outcome] = signer.steps.outcomesOf(pass);
      expect([outcome?.status.type, await openSince()]).toEqual(['confirmed', signedAt]);
      signer.steps.acknowledge([{ id: step.id, revision: outcome?.revision ?? 0 }], Date.now());
      expect(await openSince()).toBeUndefined();
    });
  });

  it('reports a reorg until it is acknowledged, and then the next confirmation', async () => {
    await withSigner('told of', async (signer) => {
      const { step } = await sent(signer);
      const outcome = () => signer.steps.outcomesOf(passIdOf(step.id)).map(({ status }) => status.type);
      await mine();
      await trackInFlight(signer);
      expect(outcome()).toEqual(['confirmed']);
      await callSepolia('anvil_reorg', 1, []);
      await trackInFlight(signer);
      expect(outcome()).toEqual(['vanished']);
      const { revision = 0 } = answerOf(signer, step.id) ?? {};
      signer.steps.acknowledge([{ id: step.id, revision }], Date.now());
      expect(outcome()).toEqual([]);
      await sendWaiting(signer);
      expect(answerOf(signer, step.id)).toMatchObject({ revision, status: { type: 'vanished' } });
      await mine();
      await trackInFlight(signer);
      expect(outcome()).toEqual(['confirmed']);
    });
  });

  it('gives up a transaction that left the chain and whose nonce another user of the key used, and withdraws its step', async () => {
    await withSigner('never back', async (signer, { sql }) => {
      const { step } = await sent(signer);
      await mine();
      await trackInFlight(signer);
      await callSepolia('anvil_reorg', 1, []);
      await callSepolia('eth_sendTransaction', { from: sepolia().gatekeeper.address, to: freshWallet(), value: '0x0' });
      await mine(4);
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status.type).toBe('vanished');
      await trackForLong(signer);
      expect(answerOf(signer, step.id)?.status).toEqual({ type: 'withdrawn' });
      expect(queries.outcomesOf(sql, passIdOf(step.id))).toHaveLength(1);
      expect(await sendWaiting(signer)).toEqual([]);
    });
  });

  it('prepares a step again after a transaction without effect, and fails the step after the third', async () => {
    const identifier = `0x${'1'.repeat(64)}`;
    const useless: Partial<ChainPort> = {
      broadcast: async (all) => pairAll(all, { type: 'accepted' }),
      track: async (all) => pairAll(all, { type: 'without-effect', identifier }),
    };
    await withSigner(
      'useless',
      async (signer) => {
        const step = aStep();
        addSteps(signer, [step]);
        for (let misfire = 1; misfire <= 3; misfire += 1) {
          expect(await sendWaiting(signer)).toHaveLength(1);
          await trackInFlight(signer);
          expect(signer.steps.answerFor(step.id)?.status.type).toBe('waiting');
        }
        // The signer reads the chain once more before it relies on the result.
        expect(await sendWaiting(signer)).toEqual([]);
        expect(signer.steps.answerFor(step.id)?.status).toEqual({
          type: 'failed',
          reason: 'its transactions were mined without effect',
        });
      },
      { chain: useless },
    );
  });
});

describe('many confirmed transactions while finality stalls', () => {
  const CONFIRMED = 5_000;
  const NEWEST = 16;
  const { network, endpoints, ...enabled } = sepolia();
  // An address of its own, because objects of other files ask the same node.
  const endpoint = `${endpoints[0]?.()}/?asked-by=track-in-flight`;
  const stalled = { ...enabled, endpoints: [secret(endpoint)], network: { ...network, final: { depth: 1_000_000 } } };

  /** Adds confirmed steps whose transactions are in a block that stays on chain. */
  async function addConfirmed(signer: Signer, count: number): Promise<void> {
    const { sql } = signer.storage;
    const { number, hash } = await callSepolia<{ number: string; hash: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    const steps = Array.from({ length: count }, () => aStep());
    expect(addSteps(signer, steps)).toHaveLength(count);
    const status = { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } } as const;
    for (const step of steps) {
      const entry = queries.findStep(sql, signer.network, step.id) as StepEntry;
      signer.steps.setConfirmed(entry, status, { block: Number(number), hash });
    }
    sql.exec(`UPDATE step SET is_open = 1, signed = '[{"identifier":"0x1","bytes":"0x2"}]' WHERE signed IS NULL`);
    signer.steps.reload();
  }

  it('records a reorg of the newest of 5,000 confirmed transactions within two status checks', async () => {
    await callSepolia('evm_setIntervalMining', 0);
    // Spy before the signer opens its chain.
    const requests = vi.spyOn(globalThis, 'fetch');
    await withSigner(
      'of many that are not final',
      async (signer) => {
        // Some steps are older and some newer than the newest transactions, because the age of a step does not
        // determine its block.
        await addConfirmed(signer, (CONFIRMED - NEWEST) / 2);
        const steps = Array.from({ length: NEWEST }, () => aStep());
        addSteps(signer, steps);
        expect(await sendWaiting(signer)).toHaveLength(NEWEST);
        await addConfirmed(signer, (CONFIRMED - NEWEST) / 2);
        await mine();
        await trackInFlight(signer);
        const statuses = () => new Set(steps.map(({ id }) => answerOf(signer, id)?.status.type));
        expect(statuses()).toEqual(new Set(['confirmed']));

        requests.mockClear();
        await trackInFlight(signer);
        const own = requests.mock.calls.filter(([url]) => String(url) === endpoint);
        const batches = own.map(([, init]) => JSON.parse(String(init?.body)).length);
        expect(batches).toEqual([5]);

        await callSepolia('anvil_reorg', 1, []);
        await trackInFlight(signer);
        await trackInFlight(signer);
        expect(statuses()).toEqual(new Set(['vanished']));
      },
      { on: stalled },
    );
    requests.mockRestore();
    await callSepolia('evm_setIntervalMining', 1);
  });
});
