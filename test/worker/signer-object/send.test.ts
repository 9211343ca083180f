import { afterEach, describe, expect, inject, it } from 'vitest';
import { mintData } from '../../../src/chain/ethereum/gateway.ts';
import { signCall } from '../../../src/chain/ethereum/transaction.ts';
import { type ChainPort, type ReadyCall, RpcFault } from '../../../src/chain/port.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { retryNow, stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { pauseOf, resumeSigner } from '../../../src/signer-object/signer.ts';
import { errorText, MISSING_ROLE, whileMintReverts } from '../chain/ethereum/altered-mint.ts';
import { open } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, contextOver, mine, minedOfGatekeeper } from '../chain/ethereum/node.ts';
import { sentenceOf, withSigner } from './with-signer.ts';

/** Preparing, signing, storing and sending on the real node, with a separate store for each test. */

afterEach(async () => {
  // No transaction may be pending when the next signer starts with an empty store.
  await mine(4);
});

describe('sending the steps that wait', () => {
  it('stops at the maximum of unmined transactions, and serves the gatekeeper networks in turn', async () => {
    const [acme, globex] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);
    const crowd = Array.from({ length: 20 }, () => aStep({ gatekeeperNetwork: acme as string }));
    const few = Array.from({ length: 2 }, () => aStep({ gatekeeperNetwork: globex as string }));
    await withSigner(
      'bounded',
      async (signer) => {
        expect(addSteps(signer, [...crowd, ...few])).toHaveLength(22);
        const sent = await sendWaiting(signer);
        expect(sent).toHaveLength(6);
        // Both steps of the small lane are among the first, although the large lane was added earlier.
        expect(sent.filter(({ key }) => key.gatekeeperNetwork === globex)).toHaveLength(2);
        expect(await sendWaiting(signer)).toEqual([]);
        await mine();
        await trackInFlight(signer);
        expect((await sendWaiting(signer)).map(({ id }) => id)).toEqual(crowd.slice(4, 10).map(({ id }) => id));
      },
      { unmined: 6 },
    );
  });

  it('does not start while transactions that it did not send are pending', async () => {
    const { ethereum: gatekeeper } = inject('localnet').gatekeeper;
    await callSepolia('evm_setIntervalMining', 0);
    try {
      await withSigner('empty', async (signer, _storage) => {
        await callSepolia('eth_sendTransaction', { from: gatekeeper, to: gatekeeper, value: '0x0' });
        addSteps(signer, [aStep()]);
        expect(await sendWaiting(signer)).toEqual([]);
        expect(sentenceOf(pauseOf(signer, Date.now()))).toContain('did not send');
        await mine();
        expect(pauseOf(signer, Date.now() + 5_000)).toBeUndefined();
        resumeSigner(signer);
        expect(await sendWaiting(signer)).toHaveLength(1);
      });
    } finally {
      await callSepolia('evm_setIntervalMining', 1);
    }
  });

  it('broadcasts the same bytes again when the answer of the node was lost', async () => {
    const step = aStep();
    const lost: Partial<ChainPort> = { broadcast: () => Promise.reject(new RpcFault('lost')) };
    const first = await withSigner(
      'crashing',
      async (signer) => {
        addSteps(signer, [step]);
        await expect(sendWaiting(signer)).rejects.toThrow('lost');
        const [entry] = signer.steps.inFlight('unsent', 10);
        expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'waiting' });
        return entry?.signed;
      },
      { chain: lost },
    );
    await withSigner('crashing', async (signer) => {
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'sent', transaction: first?.[0]?.identifier });
      await mine();
      await trackInFlight(signer);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'confirmed' });
    });
  });

  it('stores nothing and uses no nonce when the node fails during the preparation', async () => {
    const down: Partial<ChainPort> = { prepare: () => Promise.reject(new RpcFault('down')) };
    await withSigner(
      'blind',
      async (signer, storage) => {
        const step = aStep();
        addSteps(signer, [step]);
        await expect(sendWaiting(signer)).rejects.toThrow('down');
        expect(storage.kv.get('nextNonce')).toBeUndefined();
        expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'waiting' });
      },
      { chain: down },
    );
  });

  it('pauses one gatekeeper network, and sends the steps of the others', async () => {
    const unknown = 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6';
    await withSigner('lanes', async (signer) => {
      const stuck = aStep({ gatekeeperNetwork: unknown });
      const others = Array.from({ length: 9 }, () => aStep({ gatekeeperNetwork: unknown }));
      const free = aStep();
      addSteps(signer, [stuck, ...others, free]);
      // Every step is due for its first try, but the alarm is still in the future.
      expect(nextAlarm(signer, Date.now())).toBeGreaterThan(Date.now());
      expect(await sendWaiting(signer)).toMatchObject([{ id: free.id }]);
      expect(signer.steps.answerFor(stuck.id)?.status).toEqual({ type: 'waiting' });
      expect(signer.waits.lanes()).toEqual([unknown]);
      expect(signer.waits.of(unknown as GatekeeperNetwork)).toMatchObject([{ code: 'not-authorized', tries: 1 }]);
      expect(nextAlarm(signer, Date.now())).toBeGreaterThan(Date.now());
    });
  });

  it('returns a sent step as it was submitted, without further fields', async () => {
    await withSigner('telling', async (signer) => {
      const step = aStep({ expiry: 2_000_000_000, known: { state: 'NONE', asOf: 1 } });
      addSteps(signer, [step]);
      expect(await sendWaiting(signer)).toEqual([step]);
    });
  });

  it('ends no pass while the contract lacks a role, and sends the issuance after the role is granted', async () => {
    await withSigner('roleless', async (signer) => {
      const step = aStep();
      addSteps(signer, [step]);
      const why = `the contract answers an error that the service does not know: 0x08c379a0 ${MISSING_ROLE}`;
      await whileMintReverts(errorText(MISSING_ROLE), async () => {
        expect(await sendWaiting(signer)).toEqual([]);
        expect(signer.steps.answerFor(step.id)?.status).toEqual({ type: 'waiting' });
        const lane = signer.waits.active(step.key.gatekeeperNetwork, Date.now());
        expect(lane.map(sentenceOf)).toEqual([why]);
      });
      retryNow(signer, [{ id: step.id, gatekeeperNetwork: step.key.gatekeeperNetwork }]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
    });
  });

  it('postpones only the steps that revert while another call of their gatekeeper network succeeds', async () => {
    await withSigner('half-roleless', async (signer) => {
      const held = aStep();
      addSteps(signer, [held]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: held.id }]);
      await mine(4);
      // The first run finds the step confirmed, the second finds it final. Only then does the signer prepare the
      // revocation.
      await trackInFlight(signer);
      await trackInFlight(signer);
      const [mint, revoke] = [aStep(), { ...held, id: `${held.id}1`, kind: 'revoke' as const }];
      addSteps(signer, [mint, revoke]);
      await whileMintReverts(errorText(MISSING_ROLE), async () => {
        expect(await sendWaiting(signer)).toMatchObject([{ id: revoke.id }]);
        expect(signer.waits.lanes()).toEqual([]);
        expect(signer.steps.answerFor(mint.id)?.status).toEqual({ type: 'waiting' });
      });
    });
  });

  it('ends a step that the contract refuses, and sends the other steps of the batch', async () => {
    await withSigner('refused', async (signer) => {
      const never = aStep({ wallet: `0x${'0'.repeat(40)}` });
      const fine = aStep();
      addSteps(signer, [never, fine]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: fine.id }]);
      expect(signer.steps.answerFor(never.id)?.status).toMatchObject({ type: 'failed' });
    });
  });

  it('sends the steps of other gatekeeper networks while the contract of one does not exist', async () => {
    await withSigner('no contract', async (signer) => {
      const gatekeeperNetwork = inject('localnet').partners[1]?.gatekeeperNetwork as string;
      const lost = aStep({ gatekeeperNetwork, contract: '0x000000000000000000000000000000000000dEaD' });
      const fine = aStep();
      addSteps(signer, [lost, fine]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: fine.id }]);
      expect(signer.steps.answerFor(lost.id)?.status).toMatchObject({ type: 'waiting' });
    });
  });

  it('postpones a step that must not be signed, and sends the others with consecutive nonces', async () => {
    const real = open();
    const [huge, fine, another] = [aStep(), aStep(), aStep()];
    const call = { data: mintData(huge.key.wallet, 1n, undefined), gas: 10n ** 9n };
    const swollen: Pick<ReadyCall, 'sign'> = {
      sign: (nonce) =>
        signCall(
          contextOver(() => Promise.resolve([])),
          huge,
          call,
          { fee: 1n, tip: 1n },
          nonce,
        ),
    };
    const prepare: ChainPort['prepare'] = async (requests, unmined) => {
      const { results, ...rest } = await real.prepare(requests, unmined);
      return {
        ...rest,
        results: results.map(([request, result]) => [
          request,
          result.type === 'ready' && request.step.id === huge.id ? { ...result, ...swollen } : result,
        ]),
      };
    };
    await withSigner(
      'forbidden',
      async (signer) => {
        addSteps(signer, [huge, fine, another]);
        expect(await sendWaiting(signer)).toMatchObject([{ id: fine.id }, { id: another.id }]);
        expect(signer.steps.answerFor(huge.id)?.status).toEqual({ type: 'waiting' });
        const { id, kind, rank, key } = huge;
        const why = stuckReasonFor(signer, { id, kind, rank, gatekeeperNetwork: key.gatekeeperNetwork }, Date.now());
        expect(why).toEqual({
          code: 'signing-forbidden',
          text: 'the signing policy refuses the transaction: its gas limit is above maxGas: 1000000000 (eth_estimateGas)',
          partner: { code: 'paused', detail: 'The service has paused the change, and the operator can see why.' },
        });
        expect(nextAlarm(signer, Date.now())).toBeGreaterThan(Date.now());
        const nonces = signer.steps.inFlight('sent', 10).map(({ nonce = 0 }) => nonce);
        expect(nonces).toEqual([nonces[0], (nonces[0] ?? 0) + 1]);
      },
      { chain: { prepare } },
    );
  });

  it('adopts the token of a wallet that already has one, without a transaction', async () => {
    const step = aStep({ expiry: 2_000_000_000 });
    await withSigner('issuing', async (signer) => {
      addSteps(signer, [step]);
      await sendWaiting(signer);
    });
    await mine(4);
    const before = await minedOfGatekeeper();
    await withSigner('adopting', async (signer) => {
      const again = aStep({ wallet: step.key.wallet });
      addSteps(signer, [again]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(signer.steps.answerFor(again.id)?.status).toEqual({
        type: 'found',
        onChain: { state: 'ACTIVE', expiry: 2_000_000_000, asOf: expect.any(Number) },
      });
    });
    await mine();
    expect(await minedOfGatekeeper()).toBe(before);
  });
});
