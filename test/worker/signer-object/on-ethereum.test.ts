import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { rebroadcast } from '../../../src/signer-object/broadcast.ts';
import { currentPause } from '../../../src/signer-object/pause.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import * as ledger from '../../../src/signer-object/step-table.ts';
import { trackInFlight } from '../../../src/signer-object/track-in-flight.ts';
import { unstickTransactions } from '../../../src/signer-object/unstick-transactions.ts';
import { tokensOf } from '../chain/ethereum/issuing.ts';
import { A_MINUTE, aStep, callSepolia, mine, sepolia } from '../chain/ethereum/node.ts';
import { answerOf, sent, signedFor } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** What may happen to transactions that have nonces, and pay for gas. Blocks are made by hand. */

beforeAll(() => callSepolia('evm_setIntervalMining', 0));
afterEach(async () => {
  // Nothing may be pending when the next signer starts with an empty store.
  await callSepolia('anvil_dropAllTransactions');
  await mine(4);
});
afterAll(() => callSepolia('evm_setIntervalMining', 1));

it('broadcasts a dropped transaction again', async () => {
  await withSigner('dropped', async (signer) => {
    const { step, first } = await sent(signer);
    await callSepolia('anvil_dropTransaction', first.identifier);
    await mine();
    await trackInFlight(signer);
    expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'sent' });
    await rebroadcast(signer);
    await mine();
    await trackInFlight(signer);
    const status = { type: 'confirmed', transaction: first.identifier };
    expect(answerOf(signer, step.id)?.status).toMatchObject(status);
  });
});

describe('a nonce used by somebody else with the same key', () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;

  it('prepares and signs a step again only when somebody else’s use of its nonce is final for a minute', async () => {
    await withSigner('shared', async (signer, { sql }) => {
      const { step, first } = await sent(signer);
      await callSepolia('anvil_dropTransaction', first.identifier);
      await callSepolia('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
      await mine();
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'sent' });
      expect(await sendWaiting(signer)).toEqual([]);

      await mine(2 + A_MINUTE);
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
      sql.exec('UPDATE step SET not_before = 0');
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      expect(signedFor(signer, step.id).map(({ identifier }) => identifier)).not.toContain(first.identifier);
      await mine();
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
      expect(await tokensOf(step)).toHaveLength(1);
    });
  });

  it('keeps the signed bytes when a reorg gives back a nonce that somebody else used', async () => {
    await withSigner('given-back', async (signer) => {
      const { step, first } = await sent(signer);
      await callSepolia('anvil_dropTransaction', first.identifier);
      await callSepolia('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
      await mine();
      await trackInFlight(signer);
      await callSepolia('anvil_reorg', 1, []);
      await callSepolia('anvil_dropAllTransactions');
      await rebroadcast(signer);
      await mine();
      await trackInFlight(signer);
      const status = { type: 'confirmed', transaction: first.identifier };
      expect(answerOf(signer, step.id)?.status).toMatchObject(status);
    });
  });
});

it('a price above maxFeePerGas pauses the signer, and the step is sent when the price allows it', async () => {
  const step = aStep();
  const dear = { ...sepolia(), network: { ...sepolia().network, maxFeePerGas: 1 } };
  await withSigner(
    'dear',
    async (signer, storage) => {
      ledger.addSteps(signer, [step]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(currentPause(storage, Date.now())?.why).toBe('the network asks more than maxFeePerGas');
      storage.kv.delete('pause');
    },
    { on: dear },
  );
  await withSigner('dear', async (signer) => {
    expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
  });
});

it('a gatekeeper without funds pauses the signer, and the same bytes go out when it has funds', async () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
  const rich = await callSepolia<string>('eth_getBalance', gatekeeper, 'latest');
  await withSigner('broke', async (signer, storage) => {
    await callSepolia('anvil_setBalance', gatekeeper, '0x0');
    try {
      const { step, first } = await sent(signer);
      expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
      expect(currentPause(storage, Date.now())?.why).toBe('the gatekeeper has no funds');
      // Without funds, its price does not rise either.
      await unstickTransactions(signer, Date.now() + 3_600_000);
      expect(signedFor(signer, step.id)).toEqual([first]);
      await callSepolia('anvil_setBalance', gatekeeper, rich);
      storage.kv.delete('pause');
      storage.sql.exec('UPDATE step SET not_before = 0');
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      const status = { type: 'sent', transaction: first.identifier };
      expect(answerOf(signer, step.id)?.status).toEqual(status);
    } finally {
      await callSepolia('anvil_setBalance', gatekeeper, rich);
    }
  });
});
