import { describe, expect, inject, it, vi } from 'vitest';
import { stuckAfterMs, urgentRoomOf } from '../../../src/network/network.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { retryNow, stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import {
  NONCES_MAX_AHEAD,
  rebroadcast,
  releaseFinalNonces,
  unstickTransactions,
} from '../../../src/signer-object/recover.ts';
import { FINALITY_TRACK_MS, nextAlarm } from '../../../src/signer-object/schedule.ts';
import { expectEarlierStore } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { pauseOf, resumeSigner, type Signer } from '../../../src/signer-object/signer.ts';
import { tokensOf } from '../chain/ethereum/issuing.ts';
import {
  A_MINUTE,
  aStep,
  callSepolia,
  makeBlocksByHand,
  mine,
  minedOfGatekeeper,
  sepolia,
} from '../chain/ethereum/node.ts';
import { rehearse } from '../runbook/rehearse.ts';
import { answerOf, sent, signedFor, trackForLong } from './send-step.ts';
import { sentenceOf, withSigner } from './with-signer.ts';

/** Transactions with nonces and gas prices. The test makes the blocks. */

makeBlocksByHand();

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

describe('a nonce that another user of the key used', () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;

  it('prepares and signs a step again only when the other use of its nonce is final', async () => {
    await withSigner('shared', async (signer, { sql }) => {
      const { step, first } = await sent(signer);
      await callSepolia('anvil_dropTransaction', first.identifier);
      await callSepolia('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
      await mine();
      await trackForLong(signer);
      expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'sent' });
      expect(await sendWaiting(signer)).toEqual([]);

      await mine(2);
      await trackForLong(signer);
      expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
      await releaseFinalNonces(signer, Date.now());
      sql.exec('UPDATE step SET not_before = 0');
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      expect(signedFor(signer, step.id).map(({ identifier }) => identifier)).not.toContain(first.identifier);
      await mine();
      await trackInFlight(signer);
      expect(answerOf(signer, step.id)?.status).toMatchObject({ type: 'confirmed' });
      expect(await tokensOf(step)).toHaveLength(1);
    });
  });

  it('keeps the signed bytes when a reorg frees a nonce that another user of the key used', async () => {
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

it('pauses the signer while the price is above maxFeePerGas, and sends the step when the price allows it', async () => {
  const step = aStep();
  const dear = { ...sepolia(), network: { ...sepolia().network, maxFeePerGas: 1 } };
  await withSigner(
    'dear',
    async (signer, _storage) => {
      addSteps(signer, [step]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(sentenceOf(pauseOf(signer, Date.now()))).toBe('the network charges more than maxFeePerGas');
      resumeSigner(signer);
    },
    { on: dear },
  );
  await withSigner('dear', async (signer) => {
    expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
  });
});

it('pauses the signer of a gatekeeper without funds, and sends the same bytes when it has funds', async () => {
  const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
  const rich = await callSepolia<string>('eth_getBalance', gatekeeper, 'latest');
  await withSigner('broke', async (signer, _storage) => {
    await callSepolia('anvil_setBalance', gatekeeper, '0x0');
    try {
      const { step, first } = await sent(signer);
      expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
      expect(sentenceOf(pauseOf(signer, Date.now()))).toBe('the gatekeeper has no funds');
      // Without funds, the signer does not replace the transaction either.
      await unstickTransactions(signer, Date.now() + 3_600_000);
      expect(signedFor(signer, step.id)).toEqual([first]);
      await callSepolia('anvil_setBalance', gatekeeper, rich);
      resumeSigner(signer);
      signer.steps.retryNow([step.id]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      const status = { type: 'sent', transaction: first.identifier };
      expect(answerOf(signer, step.id)?.status).toEqual(status);
    } finally {
      await callSepolia('anvil_setBalance', gatekeeper, rich);
    }
  });
});

describe('a signer that has lost its store', () => {
  const UNMINED = 4;
  const A_WHILE_AGO = Date.now() - 60_000;

  /** Runs the signer, and makes three blocks in each round. */
  async function goOn(signer: Signer, rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await sendWaiting(signer);
      await mine(3);
      await trackForLong(signer);
      await releaseFinalNonces(signer, Date.now());
    }
  }

  /** Makes the fillers old enough for another try. */
  function forgetFilling(kv: DurableObjectStorage['kv']): void {
    kv.put('earlierStore', {
      ...kv.get<object>('earlierStore'),
      filledAt: Date.now() - stuckAfterMs(sepolia().network),
    });
  }

  it('issues a token only once when a transaction of the lost store, which no node knew, is mined after all', async () => {
    const [old, fresh] = [aStep(), aStep()];
    const lost = await withSigner('before the loss', async (signer) => (await sent(signer, old)).first);
    await callSepolia('anvil_dropTransaction', lost.identifier);
    await withSigner(
      'after the loss',
      async (signer, { sql, kv }) => {
        expectEarlierStore(kv, A_WHILE_AGO);
        // The new store gives the nonce of the lost transaction to another step.
        const { first } = await sent(signer, fresh);
        addSteps(signer, [{ ...old, revision: 2 }]);
        await sendWaiting(signer);
        await callSepolia('anvil_dropTransaction', first.identifier);
        await callSepolia('eth_sendRawTransaction', lost.bytes);
        await goOn(signer, 1);
        forgetFilling(kv);
        await goOn(signer, 2 + A_MINUTE / 3);
        sql.exec('UPDATE step SET not_before = 0');
        await goOn(signer, 2);
        expect(await tokensOf(old)).toHaveLength(1);
        expect(answerOf(signer, old.id)?.status).toMatchObject({ type: 'found', onChain: { state: 'ACTIVE' } });
        expect(answerOf(signer, fresh.id)?.status).toMatchObject({ type: 'confirmed' });
        expect(await tokensOf(fresh)).toHaveLength(1);
      },
      { unmined: UNMINED },
    );
  });

  rehearse('A signer loses its store', 'it issues the token when all nonces of that store are final', async (page) => {
    const logged = vi.spyOn(console, 'log');
    const before = await minedOfGatekeeper();
    const old = { ...aStep(), revision: 1 };
    const stuck = { id: old.id, gatekeeperNetwork: old.key.gatekeeperNetwork, rank: old.rank };
    await withSigner(
      'after another loss',
      async (signer, { kv }) => {
        // A final block from before the loss does not show every nonce that the lost store had used.
        expectEarlierStore(kv, Date.now() + 3_600_000);
        addSteps(signer, [old]);
        await goOn(signer, 2);
        expect(await minedOfGatekeeper()).toBe(before);
        const { text } = stuckReasonFor(signer, { ...stuck, kind: 'issue' }, Date.now());
        expect(page.text.replaceAll(/\s+/g, ' ')).toContain(`\`/admin/stuck\` says "${text}"`);
        expect(nextAlarm(signer, Date.now())).toBeLessThanOrEqual(Date.now() + FINALITY_TRACK_MS);

        expectEarlierStore(kv, A_WHILE_AGO);
        // A redrive does not skip this wait.
        retryNow(signer, [stuck]);
        expect(await sendWaiting(signer)).toEqual([]);
        await goOn(signer, 3);
        expect(answerOf(signer, old.id)?.status).toMatchObject({ type: 'confirmed' });
        expect(await minedOfGatekeeper()).toBe(
          before + UNMINED + urgentRoomOf({ unmined: UNMINED }) + 2 * NONCES_MAX_AHEAD + 1,
        );
        expect(page.text).toContain(`at most \`unmined\` and a quarter of it + ${2 * NONCES_MAX_AHEAD} of them`);
        expect(kv.get('earlierStore')).toBeUndefined();
        for (const event of ['signer.nonces_filled', 'signer.earlier_store_final']) {
          expect(page.text).toContain(`\`${event}\``);
          expect(logged.mock.calls.flat().join('\n')).toContain(`"${event}"`);
        }
      },
      { unmined: UNMINED },
    );
  });

  it('fills the nonces again when the nodes drop the transactions that fill them', async () => {
    const old = { ...aStep(), revision: 1 };
    await withSigner(
      'after a third loss',
      async (signer, { kv }) => {
        expectEarlierStore(kv, A_WHILE_AGO);
        addSteps(signer, [old]);
        await sendWaiting(signer);
        await callSepolia('anvil_dropAllTransactions');
        await goOn(signer, 3);
        expect(answerOf(signer, old.id)?.status.type).toBe('waiting');
        forgetFilling(kv);
        await goOn(signer, 4);
        expect(answerOf(signer, old.id)?.status).toMatchObject({ type: 'confirmed' });
      },
      { unmined: UNMINED },
    );
  });

  it('signs a step at once if no earlier store can have signed it, and does not withdraw a step that one may have signed', async () => {
    await withSigner('after a fourth loss', async (signer, { kv }) => {
      const [fresh, later, old] = [aStep(), aStep(), aStep()];
      const now = Date.now();
      expectEarlierStore(kv, now);
      const steps = [fresh, { ...later, pinnedAt: now + 60_000 }, { ...old, pinnedAt: now - 60_000 }];
      addSteps(signer, steps);
      expect((await sendWaiting(signer)).map(({ id }) => id)).toEqual([fresh.id, later.id]);
      signer.steps.withdraw(old.id);
      expect(answerOf(signer, old.id)?.status.type).toBe('waiting');
    });
  });
});
