import { afterEach, expect, it, vi } from 'vitest';
import type { Step } from '../../../src/pass/step.ts';
import { endWaitingSteps, retryNow } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { signerMemory } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { aStep, makeBlocksByHand } from '../chain/ethereum/node.ts';
import { answerOf, reasonOf } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** The steps of suspended clients, on the real node. The test makes the blocks. */

makeBlocksByHand();
afterEach(() => void vi.useRealTimers());

const CLIENT = 'a-client';
const stepsOf = (kinds: readonly Step['kind'][], client = CLIENT) =>
  kinds.map((kind) => ({ ...aStep({}), kind, client, rank: kind === 'freeze' || kind === 'revoke' ? 0 : 1 }) as Step);

it('makes all steps of a suspended client except revocations and freezes wait until the client is resumed', async () => {
  let suspended: string[] = [CLIENT];
  await withSigner(
    'suspended',
    async (signer) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      const [mint, revoke, freeze] = stepsOf(['issue', 'revoke', 'freeze']);
      const others = stepsOf(['issue'], 'another-client');
      const all = [mint, revoke, freeze, ...others].filter((step) => step !== undefined);
      addSteps(signer, all);
      const prepared = vi.spyOn(signer.chain, 'prepare');
      expect(await sendWaiting(signer)).toMatchObject(others.map(({ id }) => ({ id })));
      const kinds = prepared.mock.calls.flatMap(([asked]) => asked.map(({ step }) => step.kind));
      expect(kinds.toSorted()).toEqual(['freeze', 'issue', 'revoke']);
      expect(mint && reasonOf(signer, mint)).toBe(
        'the client that requested the step is suspended: resume the client, or withdraw its steps',
      );
      // A redrive by the operator does not sign the step.
      retryNow(signer, mint ? [{ id: mint.id, gatekeeperNetwork: mint.key.gatekeeperNetwork }] : []);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(nextAlarm(signer, Date.now())).toBeLessThanOrEqual(Date.now() + 60_000);

      suspended = [];
      vi.setSystemTime(Date.now() + 60_000);
      expect(await sendWaiting(signer)).toMatchObject([{ id: mint?.id }]);
    },
    { suspended: async () => suspended },
  );
});

it('signs nothing for a client that the operator suspends while the call is prepared, however fresh its list is', async () => {
  let suspended: string[] = [];
  await withSigner(
    'suspended-meanwhile',
    async (signer) => {
      const [first, second] = stepsOf(['issue', 'issue']) as [Step, Step];
      addSteps(signer, [first]);
      expect(await sendWaiting(signer)).toHaveLength(1);
      addSteps(signer, [second]);
      const prepare = signer.chain.prepare.bind(signer.chain);
      vi.spyOn(signer.chain, 'prepare').mockImplementation(async (...asked) => {
        const prepared = await prepare(...asked);
        suspended = [CLIENT];
        await signer.suspended.reread(Date.now());
        return prepared;
      });
      expect(await sendWaiting(signer)).toEqual([]);
      expect(reasonOf(signer, second)).toContain('the client that requested the step is suspended');
    },
    { suspended: async () => suspended },
  );
});

it('forgets a reading that is under way when the operator changes the list', async () => {
  const { promise: old, resolve } = Promise.withResolvers<string[]>();
  const lists = [old, Promise.resolve([CLIENT])];
  await withSigner(
    'suspended-anew',
    async (signer) => {
      const reading = signer.suspended.refresh(Date.now());
      await signer.suspended.reread(Date.now());
      resolve([]);
      await reading;
      const [mint] = stepsOf(['issue']) as [Step];
      expect(signer.suspended.allows(mint)).toBe(false);
    },
    { suspended: () => lists.shift() as Promise<string[]> },
  );
});

it('knows suspended clients from the last list while the list cannot be read, even after a restart', async () => {
  let read = async (): Promise<string[]> => [CLIENT];
  await withSigner(
    'unreadable-list',
    async (signer, storage) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const [first, second] = stepsOf(['issue', 'issue']) as [Step, Step];
      addSteps(signer, [first]);
      expect(await sendWaiting(signer)).toEqual([]);
      read = async () => Promise.reject(new Error('the database is away'));
      const restarted = { ...signer, ...signerMemory(storage, signer.name, signer.network, () => read()) };
      addSteps(restarted, [second, ...stepsOf(['issue'], 'another-client')]);
      expect(await sendWaiting(restarted)).toHaveLength(1);
      expect(logged.mock.calls.flat().join()).toContain('signer.suspensions_unread');
      logged.mockRestore();
    },
    { suspended: () => read() },
  );
});

it('makes steps of every client wait until it first reads the list, and sends steps without a client', async () => {
  await withSigner(
    'no-list',
    async (signer) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const [step] = stepsOf(['issue']) as [Step];
      const old = aStep();
      addSteps(signer, [step, old]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: old.id }]);
      expect(reasonOf(signer, step)).toBe(
        'the signer could not read the list of suspended clients yet: it tries again by itself',
      );
      logged.mockRestore();
    },
    { suspended: async () => Promise.reject(new Error('the database is away')) },
  );
});

it('holds the steps of a client that the configuration suspends, also while no list was ever read', async () => {
  const away = async () => Promise.reject(new Error('the database is away'));
  await withSigner(
    'configured-suspension',
    async (signer) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const [mint, revoke] = stepsOf(['issue', 'revoke']) as [Step, Step];
      addSteps(signer, [mint]);
      expect(signer.suspended.isEmpty).toBe(false);
      expect(await sendWaiting(signer)).toEqual([]);
      expect(reasonOf(signer, mint)).toContain('the client that requested the step is suspended');
      expect(signer.suspended.allows(revoke)).toBe(true);
      logged.mockRestore();
    },
    { suspended: away, suspendedClients: [CLIENT] },
  );
});

it('releases the steps when neither the configuration nor the list names the client', async () => {
  await withSigner(
    'ended-suspension',
    async (signer, storage) => {
      const [step] = stepsOf(['issue']) as [Step];
      addSteps(signer, [step, ...stepsOf(['issue'], 'another-client')]);
      expect(await sendWaiting(signer)).toHaveLength(1);
      // A deployment without the variable starts the object again.
      const memory = signerMemory(storage, signer.name, signer.network, async () => []);
      expect((await sendWaiting({ ...signer, ...memory })).map(({ id }) => id)).toContain(step.id);
    },
    { suspendedClients: [CLIENT] },
  );
});

it('releases the steps when the emergency list no longer names the client, although the database does not answer', async () => {
  const listed = [CLIENT];
  let read = async (): Promise<string[]> => [];
  await withSigner(
    'ended-emergency',
    async (signer, storage) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const [step, other] = [...stepsOf(['issue']), ...stepsOf(['issue'], 'another-client')] as [Step, Step];
      addSteps(signer, [step, other]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: other.id }]);
      read = async () => Promise.reject(new Error('the database is away'));
      const restarted = {
        ...signer,
        ...signerMemory(
          storage,
          signer.name,
          signer.network,
          () => read(),
          () => listed,
        ),
      };
      const sent = async () => (await sendWaiting(restarted)).map(({ id }) => id);
      expect(await sent()).not.toContain(step.id);
      listed.pop();
      expect(await sent()).toContain(step.id);
      logged.mockRestore();
    },
    { suspended: () => read(), suspendedClients: listed },
  );
});

it('does not hold a waiting step that another client of the gatekeeper network also requests', async () => {
  await withSigner(
    'taken-over',
    async (signer) => {
      const [step] = stepsOf(['issue']) as [Step];
      addSteps(signer, [step]);
      expect(await sendWaiting(signer)).toEqual([]);
      addSteps(signer, [{ ...step, client: 'another-client' }]);
      expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
    },
    { suspended: async () => [CLIENT] },
  );
});

it('withdraws the waiting steps of one client for the operator, and keeps the steps of other clients', async () => {
  await withSigner('withdrawn', async (signer, { sql }) => {
    const own = stepsOf(['issue', 'unfreeze', 'revoke']);
    const others = stepsOf(['issue'], 'another-client');
    addSteps(signer, [...own, ...others]);
    expect(queries.countWaitingOfClient(sql, CLIENT, own[0]?.key.gatekeeperNetwork as never, 10)).toBe(3);
    const which = { kinds: ['issue', 'unfreeze'], client: CLIENT } as const;
    // The run withdraws steps before it signs.
    const run = () => sendWaiting({ ...signer, network: { ...signer.network, unmined: 0 } });
    const result = await endWaitingSteps(signer, which, 10, run);
    expect(result).toMatchObject({ waiting: 0, signed: 0 });
    expect(result.ended).toHaveLength(2);
    const statuses = [...own, ...others].map(({ id }) => answerOf(signer, id)?.status.type);
    expect(statuses).toEqual(['failed', 'failed', 'waiting', 'waiting']);
  });
});
