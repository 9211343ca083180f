import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { withSigner } from '../signer-object/with-signer.ts';
import { anew } from './anew.ts';
import { commands } from './commands.ts';
import { PaperChain } from './paper-chain.ts';
import { expectUsage } from './published-usage.ts';
import { SandboxChain } from './sandbox-chain.ts';
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

/** The model of both chains, and the simulated chains of a sandbox. */
const CHAINS = {
  paper: (chain: Chain) => new PaperChain(chain),
  sandbox: (chain: Chain, sql: SqlStorage) => new SandboxChain(chain, sql),
} as const;

it.each<{ chain: Chain; on: keyof typeof CHAINS }>([
  { chain: 'ethereum', on: 'paper' },
  { chain: 'solana', on: 'paper' },
  { chain: 'ethereum', on: 'sandbox' },
  { chain: 'solana', on: 'sandbox' },
])('every pass settles eventually on $chain ($on)', { timeout: 3_600_000 }, async ({ chain, on }) => {
  const { runs, seed } = inject('stories');
  const network = NETWORKS.find((row) => row.chain === chain);
  expect(network).toBeDefined();
  await withSigner(`stories of ${chain} on ${on}`, async (signer) => {
    const stories = fc.commands(commands(), { size: 'max', maxCommands: 40 });
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const simulated = CHAINS[on](chain, signer.storage.sql);
        const fresh = anew({ ...signer, network: network ?? signer.network }, simulated);
        const real = new Story(chain, simulated, fresh);
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
