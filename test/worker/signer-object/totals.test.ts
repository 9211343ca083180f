import { afterEach, describe, expect, it } from 'vitest';
import { pairAll } from '../../../src/chain/port.ts';
import { refused } from '../../../src/chain/reasons.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { addToTotals, noGrowth, readTotals } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { signerMemory } from '../../../src/signer-object/signer.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { sent } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** The totals that the metrics show as counters and as a histogram. */

// The test makes the blocks: another block between two steps would move a reorg.
makeBlocksByHand();
// No transaction may be pending when the next signer starts with an empty store.
afterEach(() => mine(4));

describe('the totals of a signer', () => {
  it('count a step once, although its block left the chain, and count the reorg', async () => {
    await withSigner('counts a reorg', async (signer, storage) => {
      await sent(signer);
      await mine();
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 1, reorged: 0, confirmations: { count: 1 } });
      await callSepolia('anvil_reorg', 1, []);
      await trackInFlight(signer);
      await sendWaiting(signer);
      await mine();
      await trackInFlight(signer);
      await mine(3);
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 1, reorged: 1, failed: 0, confirmations: { count: 1 } });
    });
  });

  it('count a reorg whose new block includes the transaction again', async () => {
    await withSigner('counts a moved transaction', async (signer, storage) => {
      const { first } = await sent(signer);
      await mine();
      await trackInFlight(signer);
      // The next block includes it instead. A new block at the same height could have the same hash.
      await mine();
      await callSepolia('anvil_reorg', 2, [[first.bytes, 1]]);
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 1, reorged: 1, confirmations: { count: 1 } });
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 1, reorged: 1, confirmations: { count: 1 } });
    });
  });

  it('write one row for all steps of a commit', async () => {
    const puts: string[] = [];
    await withSigner('writes one row', async (signer, storage) => {
      addSteps(
        signer,
        Array.from({ length: 20 }, () => aStep()),
      );
      await sendWaiting(signer);
      await mine();
      const put = storage.kv.put.bind(storage.kv);
      storage.kv.put = (key, value) => {
        puts.push(key);
        put(key, value);
      };
      await trackInFlight(signer);
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 20, confirmations: { count: 20 } });
    });
    expect(puts.filter((key) => key === 'totals')).toEqual(['totals']);
  });

  it('stay as they were if the commit that confirms rolls back', async () => {
    await withSigner('rolls back', async (signer, storage) => {
      await sent(signer);
      await mine();
      const exec = storage.sql.exec.bind(storage.sql);
      const failing = ((query: string, ...bindings: unknown[]) => {
        if (query.includes("status = 'confirmed'") && query.startsWith('UPDATE')) throw new Error('the disk is full');
        return exec(query, ...bindings);
      }) as SqlStorage['exec'];
      const broken = new Proxy(storage, {
        get: (target, name) => {
          if (name === 'sql') return { exec: failing };
          const value = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const memory = signerMemory(broken, signer.name, signer.network, async () => []);
      await expect(trackInFlight({ ...signer, storage: broken, ...memory })).rejects.toThrow('the disk is full');
      expect(readTotals(storage)).toMatchObject({ issued: 0, confirmations: { count: 0 } });
      await trackInFlight(signer);
      expect(readTotals(storage)).toMatchObject({ issued: 1, confirmations: { count: 1 } });
    });
  });

  it('count the steps that the chain refuses', async () => {
    const refuses = { prepare: async <R>(all: readonly R[]) => ({ results: pairAll(all, REFUSED) }) };
    await withSigner(
      'counts a refusal',
      async (signer, storage) => {
        addSteps(signer, [aStep(), aStep()]);
        await sendWaiting(signer);
        expect(readTotals(storage)).toMatchObject({ issued: 0, failed: 2 });
      },
      { chain: refuses as never },
    );
  });

  it('put each time into the bucket with the next higher bound, and into no bucket beyond the last one', async () => {
    await withSigner('fills buckets', async (_, storage) => {
      addToTotals(storage, { ...noGrowth(), confirmedAfter: [0.4, 1, 1.01, 1_800, 1_800.5] });
      addToTotals(storage, noGrowth());
      addToTotals(storage, { ...noGrowth(), confirmedAfter: [0.1] });
      const { count, seconds, buckets } = readTotals(storage).confirmations;
      expect(buckets).toEqual({ 1: 3, 2: 1, 1800: 1 });
      expect([count, Math.round(seconds)]).toEqual([6, 3_603]);
    });
  });
});

const REFUSED = refused('contract-refuses', 'the wallet may not hold a token');
