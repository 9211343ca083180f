import { describe, expect, inject, it } from 'vitest';
import { type ChainPort, pairAll, RpcFault } from '../../../src/chain/port.ts';
import { stuckAfterMs } from '../../../src/network/network.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { releaseFinalNonces, unstickTransactions } from '../../../src/signer-object/recover.ts';
import type { StoredTransaction } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { chain, tokensOf } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, minedOfGatekeeper, sepolia } from '../chain/ethereum/node.ts';
import { answerOf, sent, signedFor, trackForLong } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Transactions that no block includes, on the real node. The test makes the blocks. */

makeBlocksByHand();

const STUCK_MS = stuckAfterMs(sepolia().network);
/** Just before a transaction counts as stuck. */
const soonAfter = ({ signedAtMs }: StoredTransaction) => signedAtMs + STUCK_MS - 1;
const later = () => Date.now() + STUCK_MS;

/** The real chain, except that from this broadcast on it accepts transactions without propagating them. */
function swallowing(from: number): Partial<ChainPort> {
  let sends = 0;
  return {
    async broadcast(signed) {
      sends += 1;
      return sends < from ? chain.broadcast(signed) : pairAll(signed, { type: 'accepted' });
    },
  };
}

describe('a transaction that stays pending', () => {
  it('replaces a transaction that stays pending too long, keeps every hash, and confirms the replacement', async () => {
    await withSigner('replacing', async (signer) => {
      const { step, first } = await sent(signer);
      await unstickTransactions(signer, soonAfter(first));
      expect(signedFor(signer, step.id)).toHaveLength(1);
      const before = answerOf(signer, step.id);

      await unstickTransactions(signer, later());
      const [kept, second, ...others] = signedFor(signer, step.id);
      expect(kept).toEqual(first);
      expect(others).toEqual([]);
      expect(answerOf(signer, step.id)).toMatchObject({
        revision: (before?.revision ?? 0) + 1,
        status: { type: 'sent', transaction: second?.identifier },
      });

      await mine();
      await trackInFlight(signer);
      const status = { type: 'confirmed', transaction: second?.identifier, onChain: { state: 'ACTIVE' } };
      expect(answerOf(signer, step.id)?.status).toMatchObject(status);
      expect(await tokensOf(step)).toHaveLength(1);
    });
  });

  it('confirms a replaced transaction by its old hash when a block includes the old transaction after all', async () => {
    await withSigner(
      'outrun',
      async (signer) => {
        const { step, first } = await sent(signer);
        await unstickTransactions(signer, later());
        expect(signedFor(signer, step.id)).toHaveLength(2);
        await mine();
        await trackInFlight(signer);
        const status = { type: 'confirmed', transaction: first.identifier };
        expect(answerOf(signer, step.id)?.status).toMatchObject(status);
      },
      { chain: swallowing(2) },
    );
  });

  it('replaces a transaction again only after it has waited twice as long as before', async () => {
    await withSigner('patient', async (signer) => {
      const { step } = await sent(signer);
      const start = later();
      const lengths: number[] = [];
      for (const times of [0, 1, 1.9, 2, 5.9, 6]) {
        await unstickTransactions(signer, start + times * STUCK_MS);
        lengths.push(signedFor(signer, step.id).length);
      }
      expect(lengths).toEqual([2, 2, 2, 3, 3, 4]);
    });
  });

  it('replaces nothing on a chain that is slower than usual until eight of its blocks could have included it', async () => {
    const blockMs = 4 * STUCK_MS;
    await withSigner(
      'slow chain',
      async (signer) => {
        const { step, first } = await sent(signer);
        await unstickTransactions(signer, first.signedAtMs + 8 * blockMs - 1);
        expect(signedFor(signer, step.id)).toHaveLength(1);
        await unstickTransactions(signer, first.signedAtMs + 8 * blockMs);
        expect(signedFor(signer, step.id)).toHaveLength(2);
      },
      { chain: { readBlockMs: async () => blockMs } },
    );
  });

  it('stores a replacement before it broadcasts it, so that a crash in between does not lose it', async () => {
    const step = aStep();
    let sends = 0;
    const dying: Partial<ChainPort> = {
      async broadcast(signed) {
        sends += 1;
        if (sends > 1) throw new RpcFault('lost');
        return chain.broadcast(signed);
      },
    };
    await withSigner(
      'dying',
      async (signer) => {
        await sent(signer, step);
        await expect(unstickTransactions(signer, later())).rejects.toThrow('lost');
      },
      { chain: dying },
    );
    await withSigner('dying', async (signer) => {
      const [, second] = signedFor(signer, step.id);
      // The signer sends it again, because it does not know what the node has.
      await sendWaiting(signer);
      await mine();
      await trackInFlight(signer);
      const status = { type: 'confirmed', transaction: second?.identifier };
      expect(answerOf(signer, step.id)?.status).toMatchObject(status);
    });
  });

  it('does not replace a transaction when the higher fee would exceed maxFeePerGas', async () => {
    const price = Number(await callSepolia<string>('eth_gasPrice'));
    const capped = { ...sepolia(), network: { ...sepolia().network, maxFeePerGas: Math.ceil(price * 1.05) } };
    await withSigner(
      'capped',
      async (signer) => {
        const { step, first } = await sent(signer);
        await unstickTransactions(signer, later());
        expect(signedFor(signer, step.id)).toEqual([first]);
        await mine();
        await trackInFlight(signer);
        expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
      },
      { on: capped },
    );
  });

  it('does not store a replacement for a transaction that was confirmed in the meantime', async () => {
    const step = aStep();
    let working: Signer | undefined;
    const minesFirst: Partial<ChainPort> = {
      async replaceTransactions(signed) {
        const raised = await chain.replaceTransactions(signed);
        await mine();
        if (working) await trackInFlight(working);
        return raised;
      },
    };
    await withSigner(
      'late',
      async (signer) => {
        working = signer;
        await sent(signer, step);
        await unstickTransactions(signer, later());
        expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
        const [confirmed] = signer.steps.inFlight('confirmed', 1);
        expect(confirmed?.signed).toHaveLength(1);
      },
      { chain: minesFirst },
    );
  });
});

describe('a transaction that is no longer pending', () => {
  it('does not replace a transaction in a block that the signer has not tracked yet', async () => {
    await withSigner('unseen', async (signer) => {
      const { step, first } = await sent(signer);
      await mine();
      await unstickTransactions(signer, later());
      expect(signedFor(signer, step.id)).toEqual([first]);
    });
  });

  it('does not replace a transaction when its step was signed again in the meantime', async () => {
    const step = aStep();
    const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
    let working: Signer | undefined;
    const overtaken: Partial<ChainPort> = {
      async replaceTransactions(signed) {
        await callSepolia('anvil_dropAllTransactions');
        await callSepolia('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
        await mine(3);
        if (working === undefined) throw new Error('the signer has not begun');
        await trackForLong(working);
        await releaseFinalNonces(working, Date.now());
        working.storage.sql.exec('UPDATE step SET not_before = 0');
        await sendWaiting(working);
        return chain.replaceTransactions(signed);
      },
    };
    await withSigner(
      'anew',
      async (signer) => {
        working = signer;
        const { first } = await sent(signer, step);
        await unstickTransactions(signer, later());
        const [anew, ...others] = signedFor(signer, step.id);
        expect(anew?.identifier).not.toBe(first.identifier);
        expect(others).toEqual([]);
      },
      { chain: overtaken },
    );
    await mine();
    expect(await tokensOf(step)).toHaveLength(1);
  });
});

describe('a gap in the nonces', () => {
  it('fills a gap in the nonces that stays too long, and confirms the transaction behind it', async () => {
    await withSigner('gap', async (signer, { kv }) => {
      const before = await minedOfGatekeeper();
      kv.put('nextNonce', before + 2);
      const { step, first } = await sent(signer);
      await mine();
      await trackInFlight(signer);
      await unstickTransactions(signer, soonAfter(first));
      await mine();
      expect(await minedOfGatekeeper()).toBe(before);

      await unstickTransactions(signer, later());
      await mine();
      await trackInFlight(signer);
      const status = { type: 'confirmed', transaction: first.identifier };
      expect(answerOf(signer, step.id)?.status).toMatchObject(status);
      expect(await minedOfGatekeeper()).toBe(before + 3);
    });
  });

  it('broadcasts its own missing transaction again instead of filling the nonce', async () => {
    await withSigner('no-gap', async (signer) => {
      const { step, first } = await sent(signer);
      const { step: next } = await sent(signer);
      await callSepolia('anvil_dropTransaction', first.identifier);
      await unstickTransactions(signer, later());
      await mine();
      await trackInFlight(signer);
      expect([step, next].map(({ id }) => signer.steps.answerFor(id)?.status.type)).toEqual(['confirmed', 'confirmed']);
      expect(await Promise.all([step, next].map(tokensOf))).toEqual([[expect.anything()], [expect.anything()]]);
    });
  });
});
