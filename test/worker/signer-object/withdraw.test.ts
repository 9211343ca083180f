import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import { openChain } from '../../../src/chain/open-chain.ts';
import { type ChainPort, type Prepared, pairAll, RpcFault, SigningRefused } from '../../../src/chain/port.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { type EnabledNetwork, signerNameOf, signersOn } from '../../../src/config/signers.ts';
import { type Answer, isOutcome, type Step, type SubmittedStep } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { unstickTransactions } from '../../../src/signer-object/recover.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { expectEarlierStore } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { eventually } from '../../eventually.ts';
import { asking } from '../chain/a-step.ts';
import { aStep, makeBlocksByHand, mine, minedOfGatekeeper, sepolia } from '../chain/ethereum/node.ts';
import { closed, withSigner } from './with-signer.ts';

/**
 * Steps that are superseded before they are signed, on the real node. The test makes the blocks: another block would confirm a step
 * between two answers.
 */

makeBlocksByHand();

const { SIGNERS } = env as Env;
const theSigner = () => SIGNERS.getByName(signerNameOf(sepolia()));
const superseded = (step: Step): SubmittedStep => ({ ...step, superseded: true });
/** Returns a step that cannot be signed, because the chain does not know its gatekeeper network. */
const aStuckStep = () => aStep({ gatekeeperNetwork: 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' });
const WITHDRAWN = { type: 'withdrawn' };

async function submitted(...steps: SubmittedStep[]): Promise<Answer> {
  const [answer] = await theSigner().submit(asking(...steps));
  if (answer === undefined) throw new Error('no answer');
  return answer;
}

afterEach(async () => {
  // No transaction may be pending when the next signer starts with an empty store.
  await mine(4);
});

describe('a superseded step that waits', () => {
  it('withdraws a superseded step for good', async () => {
    const step = aStuckStep();
    const waiting = await submitted(step);
    expect(waiting.status).toEqual({ type: 'waiting' });
    const answer = await submitted(superseded(step));
    expect(answer).toEqual({ step: step.id, revision: waiting.revision + 1, status: WITHDRAWN });
    expect(isOutcome(answer)).toBe(true);
    // Later calls change nothing: the step of an id is done only once.
    expect(await submitted(superseded(step))).toEqual(answer);
    expect(await submitted(step)).toEqual(answer);
  });

  it('withdraws a superseded step that it has never seen, and signs nothing for it', async () => {
    const before = await minedOfGatekeeper();
    const [step, other] = [aStep(), aStep()];
    const answers = await theSigner().submit(asking(superseded(step), other));
    expect(answers.map(({ status }) => status.type)).toEqual(['withdrawn', 'sent']);
    await mine();
    expect(await minedOfGatekeeper()).toBe(before + 1);
  });

  it('withdraws superseded steps while the signer is paused', async () => {
    const waits = async (query: string, ...bindings: unknown[]) => {
      await runInDurableObject(theSigner(), (_, { storage }) => void storage.sql.exec(query, ...bindings));
      await evictDurableObject(theSigner());
    };
    await waits("INSERT INTO wait (scope, reason, until, tries) VALUES ('', 'no-funds', ?, 1)", Date.now() + 3_600_000);
    try {
      const [known, fresh, wanted] = [aStep(), aStep(), aStep()];
      expect((await submitted(known)).status).toEqual({ type: 'waiting' });
      const answers = await theSigner().submit(asking(superseded(known), superseded(fresh), wanted));
      expect(answers.map(({ status }) => status.type)).toEqual(['withdrawn', 'withdrawn', 'waiting']);
      expect((await submitted(superseded(wanted))).status).toEqual(WITHDRAWN);
    } finally {
      await waits('DELETE FROM wait');
    }
  });

  it('withdraws a superseded step after its transaction was without effect', async () => {
    const useless: Partial<ChainPort> = {
      broadcast: async (all) => pairAll(all, { type: 'accepted' }),
      track: async (all) => pairAll(all, { type: 'without-effect', identifier: '0x1' }),
    };
    await withSigner(
      'withdrawing-useless',
      async (signer) => {
        const step = aStep();
        addSteps(signer, [step]);
        await sendWaiting(signer);
        await trackInFlight(signer);
        signer.withdrawals.set(step.id, { type: 'withdrawn' });
        expect(await sendWaiting(signer)).toEqual([]);
        expect(signer.steps.answerFor(step.id)?.status).toEqual(WITHDRAWN);
      },
      { chain: useless },
    );
  });

  it('mints once for two issuances of a wallet, in one batch and in two, and the second one finds the token', async () => {
    await withSigner('twice', async (signer) => {
      const step = aStep();
      const [second, third] = [2, 3].map((n) => ({ ...step, id: `${crypto.randomUUID()}:${n}` })) as [Step, Step];
      addSteps(signer, [step, second]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      addSteps(signer, [third]);
      for (const { id } of [second, third]) signer.steps.retryNow([id]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(stuckReasonFor(signer, { ...third, gatekeeperNetwork: third.key.gatekeeperNetwork }, Date.now())).toEqual({
        code: 'issuance-in-flight',
        text: 'another issuance for the wallet is in no block yet',
        partner: { code: 'not_final', detail: 'An earlier transaction for the wallet is not final yet.' },
      });
      await mine(4);
      await trackInFlight(signer);
      await trackInFlight(signer);
      for (const { id } of [second, third]) signer.steps.retryNow([id]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect([second, third].map(({ id }) => signer.steps.answerFor(id)?.status.type)).toEqual(['found', 'found']);
    });
  });
});

describe('a superseded step that is signed', () => {
  it('does not withdraw a step that is sent or confirmed', async () => {
    const step = aStep();
    const sent = await submitted(step);
    expect(sent.status).toMatchObject({ type: 'sent' });
    expect(await submitted(superseded(step))).toEqual(sent);
    await mine();
    await eventually(async () => {
      await runDurableObjectAlarm(theSigner());
      expect((await submitted(superseded(step))).status).toMatchObject({ type: 'confirmed' });
    });
  });

  it('does not withdraw a step that is superseded during its preparation', async () => {
    const step = aStep();
    await withSigner('withdrawing-late', async (signer) => {
      const prepare: ChainPort['prepare'] = (steps, unmined) => {
        signer.withdrawals.set(step.id, { type: 'withdrawn' });
        return signer.chain.prepare(steps, unmined);
      };
      addSteps(signer, [step]);
      expect(await sendWaiting({ ...signer, chain: { ...signer.chain, prepare } })).toMatchObject([{ id: step.id }]);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'sent' });
    });
  });

  it('does not withdraw a step whose bytes are stored, even if no node is known to have them', async () => {
    const step = aStep();
    const lost: Partial<ChainPort> = { broadcast: () => Promise.reject(new RpcFault('lost')) };
    await withSigner(
      'withdrawing-lost',
      async (signer) => {
        addSteps(signer, [step]);
        await expect(sendWaiting(signer)).rejects.toThrow('lost');
        expect(signer.steps.find(step.id)?.stage).toBe('unsent');
      },
      { chain: lost },
    );
    await withSigner('withdrawing-lost', async (signer) => {
      signer.withdrawals.set(step.id, { type: 'withdrawn' });
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      expect(signer.withdrawals.size).toBe(0);
      expect(signer.steps.answerFor(step.id)?.status).toMatchObject({ type: 'sent' });
    });
  });
});

it('reports a withdrawn step until it is acknowledged, and forgets it a day later', async () => {
  const step = aStuckStep();
  await submitted(step);
  const { revision } = await submitted(superseded(step));
  const told = () =>
    runInDurableObject(theSigner(), (_, { storage }) =>
      queries.unacknowledgedSteps(storage.sql, sepolia().network, 0).some(({ id }) => id === step.id),
    );
  expect(await told()).toBe(true);
  await theSigner().acknowledge([{ id: step.id, revision: revision - 1 }]);
  expect(await told()).toBe(true);
  await theSigner().acknowledge([{ id: step.id, revision }]);
  expect(await told()).toBe(false);
  await runInDurableObject(theSigner(), (_, { storage }) => {
    const day = 24 * 3_600_000;
    // The newest step stays.
    addSteps(closed(storage), [aStuckStep()]);
    closed(storage).steps.forget(Date.now() + day - 60_000);
    expect(queries.storedAnswer(storage.sql, step.id)?.status).toEqual(WITHDRAWN);
    closed(storage).steps.forget(Date.now() + day + 60_000);
    expect(queries.storedAnswer(storage.sql, step.id)).toBeUndefined();
  });
});

describe('a signer that has lost its store', () => {
  /** Advances the chain until every nonce of the earlier store is used. */
  async function finishEarlierStore(): Promise<void> {
    await runInDurableObject(theSigner(), (_, { storage: { kv } }) => {
      kv.put('earlierStore', { ...kv.get<object>('earlierStore'), until: Date.now() - 60_000 });
    });
    for (let alarms = 0; alarms < 4; alarms += 1) {
      await mine(3);
      await runDurableObjectAlarm(theSigner());
    }
  }

  it('does not withdraw a step that it may have signed before it lost its store', async () => {
    const step: SubmittedStep = { ...superseded(aStuckStep()), revision: 2 };
    expect(await submitted(step)).toEqual({ step: step.id, revision: 3, status: { type: 'waiting' } });
    expect((await submitted(step)).status).toEqual({ type: 'waiting' });
  });

  it('ends a superseded step by the state on chain after it lost its store', async () => {
    const issuance = aStep();
    await submitted(issuance);
    await mine(4);
    await runDurableObjectAlarm(theSigner());
    const step: SubmittedStep = { ...issuance, id: `${crypto.randomUUID()}:1`, revision: 2, superseded: true };
    expect(await submitted(step)).toMatchObject({ revision: 3, status: { type: 'waiting' } });
    await finishEarlierStore();
    // An alarm that fires by itself may take the place of one of the test's.
    await eventually(async () => {
      await runDurableObjectAlarm(theSigner());
      const { revision, status } = await submitted(step);
      expect([revision, status]).toMatchObject([4, { type: 'found', onChain: { state: 'ACTIVE' } }]);
    });
  });

  it('gives up a step that left the chain after it lost its store, when the nonce can no longer be free', async () => {
    await runInDurableObject(theSigner(), (_, { storage }) => expectEarlierStore(storage.kv, Date.now()));
    const pass = crypto.randomUUID();
    expect(await theSigner().submit([{ pass, vanished: [`${pass}:1`] }])).toEqual([]);
    await finishEarlierStore();
    await eventually(async () => {
      await runDurableObjectAlarm(theSigner());
      const answers = await theSigner().submit([{ pass, vanished: [`${pass}:1`] }]);
      expect(answers).toEqual([{ step: `${pass}:1`, revision: Number.MAX_SAFE_INTEGER, status: WITHDRAWN }]);
    });
  });
});

describe('a signer whose key is compromised', () => {
  const [one] = GATEKEEPERS;
  const config = configOf({ ...env, ETHEREUM_GATEKEEPER_KEY: undefined, COMPROMISED_GATEKEEPERS: one });
  const [on] = signersOn(config, sepolia().network);
  if (on === undefined) throw new Error('no signer of the network is known by its address alone');
  const TITLE =
    'withdraws waiting steps, tracks its signed transactions by its address, and signs nothing: no fee, no filler, no step';

  it(TITLE, () => withdrawsAll(on));

  async function withdrawsAll(on: EnabledNetwork): Promise<void> {
    const [sentStep, unsentStep, waiting, old] = [aStep(), aStep(), aStuckStep(), { ...aStep(), revision: 2 }];
    const oldChange = { ...aStep({ kind: 'revoke' }), revision: 2 };
    const statusOf = ({ steps: table }: Signer, ...steps: Step[]) =>
      steps.map(({ id }) => table.answerFor(id)?.status.type);
    await withSigner('before it was compromised', async (signer) => {
      addSteps(signer, [sentStep]);
      await sendWaiting(signer);
      signer.chain.broadcast = () => Promise.reject(new RpcFault('lost'));
      addSteps(signer, [unsentStep]);
      await expect(sendWaiting(signer)).rejects.toThrow('lost');
      addSteps(signer, [waiting, old, oldChange]);
    });
    const forbidden = (method: string) => () => Promise.reject(new Error(`${method} is for keys in service`));
    const chain = {
      prepare: forbidden('prepare'),
      replaceTransactions: forbidden('replaceTransactions'),
      signGapFillers: forbidden('signGapFillers'),
    };
    await withSigner(
      'before it was compromised',
      async (signer) => {
        // The same bytes are sent again. Only a block that includes them, or another transaction at the nonce, ends the
        // step.
        const again = (await sendWaiting(signer)).map(({ id }) => id);
        expect(again.toSorted()).toEqual([sentStep.id, unsentStep.id].toSorted());
        // Only the chain shows whether an earlier store has minted, so `old` waits. Any other change may happen twice.
        expect(statusOf(signer, sentStep, unsentStep)).toEqual(['sent', 'sent']);
        expect(statusOf(signer, waiting, oldChange, old)).toEqual(['withdrawn', 'withdrawn', 'waiting']);
        await unstickTransactions(signer, Date.now() + 24 * 3_600_000);
        await mine();
        await trackInFlight(signer);
        expect(statusOf(signer, sentStep, unsentStep)).toEqual(['confirmed', 'confirmed']);
        await expect(signer.chain.account()).resolves.toHaveProperty('nonces');
        // Until then, the signer reads the final nonce and does not prepare the step.
        signer.storage.sql.exec('UPDATE step SET unacknowledged = 0');
        signer.steps.reload();
        expect(nextAlarm(signer, Date.now())).toBeGreaterThan(Date.now() + 10_000);
        signer.storage.kv.delete('earlierStore');
        await sendWaiting(signer);
        expect(statusOf(signer, old)).toEqual(['withdrawn']);
      },
      { on, chain, isCompromised: true },
    );
    await expect(
      openChain(on, config)
        .prepare([{ step: aStep() }], 0)
        .then(signFirst),
    ).rejects.toThrow(SigningRefused);
  }
});

const signFirst = ({ results }: Prepared<unknown>) => {
  const [, result] = results[0] ?? [];
  return result?.type === 'ready' ? result.sign(0) : undefined;
};
