import { createMessageBatch } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import worker from '../../../src/worker.ts';
import { aStep, sepolia } from '../chain/ethereum/node.ts';
import { bindings, processPass } from './deliver.ts';

/**
 * The isolate counts the batches that it continues in the background. This file creates no pass, because a batch that the queue
 * itself delivers would count too.
 */

describe('batches that continue beside the queue', () => {
  it('makes room for others a minute after the platform ended eight batches without a word', async () => {
    const { key } = aStep();
    const never = Promise.withResolvers<[]>();
    const submit = vi.fn(() => never.promise);
    const ended = { ...bindings, SIGNERS: { getByName: () => ({ submit }) } as never };
    /** Resolves to true when the queue may deliver the next batch, or to false if that takes longer. */
    const isSetAside = (withinMs = 60_000) => {
      const body = { ...processPass(key), news: { signer: signerNameOf(sepolia()), id: 'any pass' } };
      const messages = [{ id: 'm', timestamp: new Date(), attempts: 1, body }];
      const handled = worker.queue(createMessageBatch('gatepass-passes', messages), ended).then(() => true);
      return Promise.race([handled, scheduler.wait(withinMs).then(() => false)]);
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (let batch = 1; batch <= 8; batch += 1) expect(await isSetAside()).toBe(true);
      expect(await isSetAside(1_000)).toBe(false);
      vi.setSystemTime(Date.now() + 61_000);
      expect(await isSetAside()).toBe(true);
      expect(submit).toHaveBeenCalledTimes(10);
    } finally {
      vi.useRealTimers();
      never.resolve([]);
    }
  });
});
