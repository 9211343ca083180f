import { afterEach, describe, expect, it } from 'vitest';
import type { ChainPort } from '../../src/chain/port.ts';
import * as ledger from '../../src/signer-object/ledger.ts';
import { sendWaiting } from '../../src/signer-object/send.ts';
import { watchFlights } from '../../src/signer-object/watch.ts';
import { aStep, mine, node } from '../chain/ethereum/node.ts';
import { withSigner } from './with-signer.ts';

/** What becomes of transactions in flight, on the real node. */

afterEach(async () => {
  // Nothing may be pending when the next signer starts with an empty store.
  await mine(4);
});

describe('watching', () => {
  it('sends the same bytes again after their block left the chain', async () => {
    await withSigner('reorganized', async (signer, { sql }) => {
      const step = aStep();
      ledger.accept(sql, [step]);
      await sendWaiting(signer);
      const [sent] = ledger.inFlight(sql, signer.network, 'sent', 10);
      await mine();
      await watchFlights(signer);
      await node('anvil_reorg', 1, []);
      await watchFlights(signer);
      expect(ledger.inFlight(sql, signer.network, 'unsent', 10)).toMatchObject([{ signed: sent?.signed }]);
      await sendWaiting(signer);
      await mine();
      await watchFlights(signer);
      expect(ledger.inFlight(sql, signer.network, 'confirmed', 10)).toHaveLength(1);
      await mine(2);
      await watchFlights(signer);
      expect(ledger.inFlight(sql, signer.network, 'confirmed', 10)).toEqual([]);
      expect(ledger.answerTo(sql, step.id)?.standing).toMatchObject({ at: 'confirmed' });
    });
  });

  it('looks anew after a transaction without effect, and gives up after the third', async () => {
    const identifier = `0x${'1'.repeat(64)}`;
    const useless: Partial<ChainPort> = {
      broadcast: async (signed) => signed.map(() => ({ is: 'accepted' })),
      track: async (flights) => flights.map(() => ({ is: 'without-effect', identifier })),
    };
    await withSigner(
      'useless',
      async (signer, { sql }) => {
        const step = aStep();
        ledger.accept(sql, [step]);
        for (let misfire = 1; misfire <= 3; misfire += 1) {
          expect(await sendWaiting(signer)).toHaveLength(1);
          await watchFlights(signer);
          expect(ledger.answerTo(sql, step.id)?.standing.at).toBe('waiting');
        }
        // The chain is read once more before it is believed.
        expect(await sendWaiting(signer)).toEqual([]);
        expect(ledger.answerTo(sql, step.id)?.standing).toEqual({
          at: 'failed',
          reason: 'its transactions were mined without effect',
        });
      },
      { chain: useless },
    );
  });
});
