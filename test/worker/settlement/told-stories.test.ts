import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NETWORKS } from '../../../src/network/networks.ts';
import { withSigner } from '../signer-object/with-signer.ts';
import { anew } from './anew.ts';
import { PaperChain } from './paper-chain.ts';
import { Story } from './story.ts';

/** Stories that the random ones found, told on purpose. */

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(['the watcher', 'the partner'] as const)('after a reorg that put a freeze before its issuance', (who) => {
  it(`freezes the pass again, although ${who} reads the wallet before the pass hears of it`, async () => {
    const network = NETWORKS.find(({ chain }) => chain === 'solana');
    await withSigner(`freeze before its issuance, read by ${who}`, async (signer) => {
      const chain = new PaperChain('solana');
      const story = new Story('solana', chain, anew({ ...signer, network: network ?? signer.network }, chain));
      const { scene } = story;
      story.issue(undefined, {});
      await story.progress(1);
      story.update({ state: 'FROZEN' }, {});
      await story.progress(1);
      expect(scene.pass?.onChain.state).toBe('FROZEN');
      chain.reorganize(2, false);
      story.mine(chain.uncertain + 1);
      expect(chain.representative?.state).toBe('ACTIVE');

      const changed = who === 'the watcher' ? await scene.observe() : await scene.sync();

      expect(changed).toBe(false);
      expect(scene.pass?.wanted.state).toBe('FROZEN');
      await story.rest();
      expect(chain.representative?.state).toBe('FROZEN');
      story.expectAgreement();
    });
  });
});
