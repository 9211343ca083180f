import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { ethereum } from '../../src/chain/ethereum/adapter.ts';
import { type ChainPort, RpcFault } from '../../src/chain/port.ts';
import { signerName } from '../../src/config/enabled.ts';
import { slotOf } from '../../src/network/slot.ts';
import type { Answer } from '../../src/pass/step.ts';
import { nextDue } from '../../src/signer-object/agenda.ts';
import * as ledger from '../../src/signer-object/ledger.ts';
import { currentPause } from '../../src/signer-object/pause.ts';
import { sendWaiting } from '../../src/signer-object/send.ts';
import type { Signer } from '../../src/signer-object/signer.ts';
import { watchFlights } from '../../src/signer-object/watch.ts';
import { aStep, mine, minedOfGatekeeper, node, sepolia } from '../chain/ethereum/node.ts';

/** Signer objects on the real node. All use the one gatekeeper key, so one test ends before the next begins. */

const { SIGNERS } = env as Env;
const theSigner = () => SIGNERS.getByName(signerName(sepolia()));
const at = (answers: readonly Answer[]) => answers.map(({ standing }) => standing.at);

/** The transactions of the answers that have one. */
const transactions = (answers: readonly Answer[]) =>
  answers.flatMap(({ standing }) => ('transaction' in standing && standing.transaction ? [standing.transaction] : []));

async function nonceOf(hash: string): Promise<number> {
  return Number((await node<{ nonce: string }>('eth_getTransactionByHash', hash)).nonce);
}

/** Runs its part in the storage of an object of its own, with the real chain or one that is changed a little. */
function withSigner<T>(
  name: string,
  part: (signer: Signer, storage: DurableObjectStorage) => Promise<T>,
  { chain, ...network }: { chain?: Partial<ChainPort>; unmined?: number } = {},
): Promise<T> {
  const enabled = { ...sepolia(), network: { ...sepolia().network, ...network } };
  return runInDurableObject(SIGNERS.getByName(name), (_, { storage }) =>
    part({ name, storage, network: enabled.network, chain: { ...ethereum(enabled, slotOf), ...chain } }, storage),
  );
}

afterEach(async () => {
  vi.restoreAllMocks();
  // Nothing may be pending when the next signer starts with an empty store.
  await mine(4);
});

describe('submit', () => {
  it('sends many steps with one look and one broadcast, on nonces without a gap', async () => {
    const requests = vi.spyOn(globalThis, 'fetch');
    const steps = Array.from({ length: 60 }, () => aStep());
    const answers = await theSigner().submit(steps);
    expect(new Set(at(answers))).toEqual(new Set(['sent']));
    const toNode = requests.mock.calls.filter(([url]) => url === inject('world').rpc.sepolia);
    // The look, the trial, the gas of one, the broadcast.
    expect(toNode).toHaveLength(4);
    const nonces = await Promise.all(transactions(answers).map(nonceOf));
    expect(nonces.toSorted((a, b) => a - b)).toEqual(nonces.map((_, index) => Math.min(...nonces) + index));
  });

  it('does a step once, however often it is asked, and however the times overlap', async () => {
    const steps = [aStep(), aStep()];
    const [first, second, third] = await Promise.all([
      theSigner().submit(steps),
      theSigner().submit(steps),
      theSigner().submit(steps.toReversed()),
    ]);
    const later = await theSigner().submit(steps);
    await mine();
    expect(transactions(later)).toEqual(transactions(first));
    // Who comes while the steps are under way may hear that they wait, but never of other transactions.
    const others = [...transactions(second), ...transactions(third)];
    expect(others.filter((each) => !transactions(first).includes(each))).toEqual([]);
    expect(new Set(transactions(later)).size).toBe(2);
  });

  it('does not issue for a wallet while another issuance for it is unfinished', async () => {
    const step = aStep();
    const twin = { ...step, id: `${crypto.randomUUID()}:1` };
    const before = await minedOfGatekeeper();
    expect(at(await theSigner().submit([step, twin]))).toEqual(['sent', 'waiting']);
    await mine();
    expect(await minedOfGatekeeper()).toBe(before + 1);
  });

  it('answers waiting for a network that is no longer configured', async () => {
    const closed = SIGNERS.getByName('ethereum/sepolia/0x0000000000000000000000000000000000000001');
    expect(at(await closed.submit([aStep()]))).toEqual(['waiting']);
  });
});

describe('the alarm', () => {
  it('brings a step to its end, announces it until it is acknowledged, and forgets it a day later', async () => {
    const step = aStep();
    await theSigner().submit([step]);
    await mine();
    await runDurableObjectAlarm(theSigner());
    const [answer] = await theSigner().submit([step]);
    expect(answer?.standing).toMatchObject({ at: 'confirmed', onChain: { state: 'ACTIVE' } });
    const unheard = () =>
      runInDurableObject(theSigner(), (_, { storage }) =>
        ledger.unheard(storage.sql, sepolia().network, 100).filter((each) => each.step.id === step.id),
      );
    expect(await unheard()).toHaveLength(1);
    await theSigner().acknowledge([{ id: step.id, revision: (answer?.revision ?? 0) - 1 }]);
    expect(await unheard()).toHaveLength(1);
    await theSigner().acknowledge([{ id: step.id, revision: answer?.revision ?? 0 }]);
    expect(await unheard()).toHaveLength(0);
    await mine(3);
    await runDurableObjectAlarm(theSigner());
    await runInDurableObject(theSigner(), (_, { storage }) => {
      const day = 24 * 3_600_000;
      ledger.forget(storage.sql, Date.now() + day - 60_000);
      expect(ledger.answerTo(storage.sql, step.id)?.standing.at).toBe('confirmed');
      ledger.forget(storage.sql, Date.now() + day + 60_000);
      expect(ledger.answerTo(storage.sql, step.id)).toBeUndefined();
    });
  });
});

describe('sending', () => {
  it('stops at the bound of unmined transactions, serving the gatekeeper networks in turn', async () => {
    const [acme, globex] = inject('world').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);
    const crowd = Array.from({ length: 20 }, () => aStep({ gatekeeperNetwork: acme as string }));
    const few = Array.from({ length: 2 }, () => aStep({ gatekeeperNetwork: globex as string }));
    await withSigner(
      'bounded',
      async (signer, { sql }) => {
        expect(ledger.accept(sql, [...crowd, ...few])).toHaveLength(22);
        const sent = await sendWaiting(signer, {});
        expect(sent).toHaveLength(6);
        // Both of the few are among the first, though the crowd was there before them.
        expect(sent.filter(({ key }) => key.gatekeeperNetwork === globex)).toHaveLength(2);
        expect(await sendWaiting(signer, {})).toEqual([]);
        await mine();
        await watchFlights(signer);
        expect((await sendWaiting(signer, {})).map(({ id }) => id)).toEqual(crowd.slice(4, 10).map(({ id }) => id));
      },
      { unmined: 6 },
    );
  });

  it('does not start while transactions are pending that it did not send', async () => {
    const { gatekeeper } = inject('world');
    await node('evm_setIntervalMining', 0);
    try {
      await node('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
      await withSigner('empty', async (signer, storage) => {
        ledger.accept(storage.sql, [aStep()]);
        expect(await sendWaiting(signer, {})).toEqual([]);
        expect(currentPause(storage, Date.now())?.why).toContain('did not send');
        await mine();
        expect(currentPause(storage, Date.now() + 5_000)).toBeUndefined();
        storage.kv.delete('pause');
        expect(await sendWaiting(signer, {})).toHaveLength(1);
      });
    } finally {
      await node('evm_setIntervalMining', 1);
    }
  });

  it('hands out the same bytes again when the answer of the node was lost', async () => {
    const step = aStep();
    const lost: Partial<ChainPort> = { broadcast: () => Promise.reject(new RpcFault('lost')) };
    const first = await withSigner(
      'crashing',
      async (signer, { sql }) => {
        ledger.accept(sql, [step]);
        await expect(sendWaiting(signer, {})).rejects.toThrow('lost');
        const [entry] = ledger.inFlight(sql, signer.network, 'unsent', 10);
        expect(ledger.answerTo(sql, step.id)?.standing).toEqual({ at: 'waiting' });
        return entry?.signed;
      },
      { chain: lost },
    );
    await withSigner('crashing', async (signer, { sql }) => {
      expect(await sendWaiting(signer, {})).toMatchObject([{ id: step.id }]);
      expect(ledger.answerTo(sql, step.id)?.standing).toEqual({ at: 'sent', transaction: first?.[0]?.identifier });
      await mine();
      await watchFlights(signer);
      expect(ledger.answerTo(sql, step.id)?.standing).toMatchObject({ at: 'confirmed' });
    });
  });

  it('stores nothing and uses no nonce when the node fails at the look', async () => {
    const down: Partial<ChainPort> = { look: () => Promise.reject(new RpcFault('down')) };
    await withSigner(
      'blind',
      async (signer, storage) => {
        const step = aStep();
        ledger.accept(storage.sql, [step]);
        await expect(sendWaiting(signer, {})).rejects.toThrow('down');
        expect(storage.kv.get('nextNonce')).toBeUndefined();
        expect(ledger.answerTo(storage.sql, step.id)?.standing).toEqual({ at: 'waiting' });
      },
      { chain: down },
    );
  });

  it('lets one gatekeeper network wait without keeping the others', async () => {
    const unknown = 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6';
    await withSigner('lanes', async (signer, { sql }) => {
      const stuck = aStep({ gatekeeperNetwork: unknown });
      const others = Array.from({ length: 9 }, () => aStep({ gatekeeperNetwork: unknown }));
      const free = aStep();
      ledger.accept(sql, [stuck, ...others, free]);
      // Nothing has been tried yet, and everything is due: in the future all the same.
      expect(nextDue(signer, Date.now())).toBeGreaterThan(Date.now());
      expect(await sendWaiting(signer, {})).toMatchObject([{ id: free.id }]);
      expect(ledger.answerTo(sql, stuck.id)?.standing).toEqual({ at: 'waiting' });
      const lanes = sql
        .exec('SELECT gatekeeper_network AS lane, why, pauses FROM lane WHERE paused_until > 0')
        .toArray();
      expect(lanes).toEqual([
        { lane: unknown, why: 'the gatekeeper is not authorized on the gatekeeper network', pauses: 1 },
      ]);
      expect(nextDue(signer, Date.now())).toBeGreaterThan(Date.now());
    });
  });

  it('ends a step that the contract refuses, and the others of the batch go on', async () => {
    await withSigner('refused', async (signer, { sql }) => {
      const never = aStep({ wallet: `0x${'0'.repeat(40)}` });
      const fine = aStep();
      ledger.accept(sql, [never, fine]);
      expect(await sendWaiting(signer, {})).toMatchObject([{ id: fine.id }]);
      expect(ledger.answerTo(sql, never.id)?.standing).toMatchObject({ at: 'failed' });
    });
  });

  it('adopts the token of a wallet that has one', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    await withSigner('issuing', async (signer, { sql }) => {
      ledger.accept(sql, [step]);
      await sendWaiting(signer, {});
    });
    await mine();
    const before = await minedOfGatekeeper();
    await withSigner('adopting', async (signer, { sql }) => {
      const again = aStep({ wallet: step.key.wallet });
      ledger.accept(sql, [again]);
      expect(await sendWaiting(signer, {})).toEqual([]);
      expect(ledger.answerTo(sql, again.id)?.standing).toEqual({
        at: 'found',
        onChain: { state: 'ACTIVE', expiry: 2_000_000_000 },
      });
    });
    await mine();
    expect(await minedOfGatekeeper()).toBe(before);
  });
});

describe('watching', () => {
  it('sends the same bytes again after their block left the chain', async () => {
    await withSigner('reorganized', async (signer, { sql }) => {
      const step = aStep();
      ledger.accept(sql, [step]);
      await sendWaiting(signer, {});
      const [sent] = ledger.inFlight(sql, signer.network, 'sent', 10);
      await mine();
      await watchFlights(signer);
      await node('anvil_reorg', 1, []);
      await watchFlights(signer);
      expect(ledger.inFlight(sql, signer.network, 'unsent', 10)).toMatchObject([{ signed: sent?.signed }]);
      await sendWaiting(signer, {});
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
          expect(await sendWaiting(signer, {})).toHaveLength(1);
          await watchFlights(signer);
          expect(ledger.answerTo(sql, step.id)?.standing.at).toBe(misfire < 3 ? 'waiting' : 'failed');
        }
        expect(ledger.answerTo(sql, step.id)?.standing).toMatchObject({ transaction: identifier });
      },
      { chain: useless },
    );
  });
});
