import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { signerMemory } from '../../../src/signer-object/signer.ts';
import { withSigner } from '../signer-object/with-signer.ts';
import { commands } from './commands.ts';
import type { PaperChain } from './paper-chain.ts';
import { expectUsage } from './published-usage.ts';
import { Story } from './story.ts';

/** Random stories: after any events in any order, record, chain and expectation agree. */

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Empties the store and starts another chain. */
function anew({ storage, ...signer }: Signer, chain: PaperChain): Signer {
  storage.transactionSync(() => {
    storage.sql.exec('DELETE FROM step');
    storage.sql.exec('DELETE FROM wait');
    storage.sql.exec('DELETE FROM gap_filler');
    storage.kv.delete('nextNonce');
  });
  return { ...signer, storage, chain, ...signerMemory(storage, signer.name, signer.network, async () => []) };
}

it.each<Chain>(['ethereum', 'solana'])('every pass settles eventually on %s', { timeout: 3_600_000 }, async (chain) => {
  const { runs, seed } = inject('stories');
  const network = NETWORKS.find((row) => row.chain === chain);
  expect(network).toBeDefined();
  await withSigner(`stories of ${chain}`, async (signer) => {
    const stories = fc.commands(commands(), { size: 'max', maxCommands: 40 });
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const real = new Story(chain, (paper) => anew({ ...signer, network: network ?? signer.network }, paper));
        await fc.asyncModelRun(() => ({ model: {}, real }), story);
        await real.rest();
        real.expectAgreement();
        await expectUsage(real.scene);
        // Yield, because the runner needs a sign of life.
        await scheduler.wait(0);
      }),
      { numRuns: runs, seed },
    );
  });
});
