import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { type Answer, passIdOf } from '../../../src/pass/step.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { FINALITY_TRACK_MS } from '../../../src/signer-object/schedule.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { ObeyedLists, openSigner, type Signer } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { eventually } from '../../eventually.ts';
import { asking } from '../chain/a-step.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, minedOfGatekeeper, sepolia } from '../chain/ethereum/node.ts';
import { holdAlarms } from '../without-alarms.ts';
import { stopBusySigner, untilConfirmed } from './an-emergency.ts';
import { answerOf } from './send-step.ts';
import { closed } from './with-signer.ts';

/**
 * Signer objects on the real node. All use the same gatekeeper key, so each test ends before the next starts. The test makes the
 * blocks: on a slow machine, another block would confirm steps before the answer.
 */

makeBlocksByHand();

const { SIGNERS } = env as Env;
const theSigner = () => SIGNERS.getByName(signerNameOf(sepolia()));
const at = (answers: readonly Answer[]) => answers.map(({ status }) => status.type);

/** Returns the transactions of the answers that have one. */
const transactions = (answers: readonly Answer[]) =>
  answers.flatMap(({ status }) => ('transaction' in status && status.transaction ? [status.transaction] : []));

async function nonceOf(hash: string): Promise<number> {
  return Number((await callSepolia<{ nonce: string }>('eth_getTransactionByHash', hash)).nonce);
}

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  // No transaction may be pending when the next signer starts with an empty store.
  await mine(4);
});

describe('submitting steps to the signer object', () => {
  it('sends many steps with one preparation and one broadcast, on nonces without a gap', async () => {
    holdAlarms();
    const requests = vi.spyOn(globalThis, 'fetch');
    // Before its first step, a signer checks the contract.
    await theSigner().submit(asking(aStep()));
    const steps = Array.from({ length: 60 }, () => aStep());
    requests.mockClear();
    const answers = await theSigner().submit(asking(...steps));
    const calls = [...requests.mock.calls];
    expect(new Set(at(answers))).toEqual(new Set(['sent']));
    const toNode = calls.filter(([url]) => url === inject('localnet').rpc.sepolia);
    // Each asks for the chain first.
    const asked = toNode.map(([, init]) => String(init?.body).match(/eth_(?!chainId)\w+/)?.[0] ?? '');
    expect(asked).toEqual([
      'eth_getBlockByNumber',
      'eth_call',
      'eth_call',
      'eth_getTransactionCount',
      'eth_sendRawTransaction',
    ]);
    const nonces = await Promise.all(transactions(answers).map(nonceOf));
    expect(nonces.toSorted((a, b) => a - b)).toEqual(nonces.map((_, index) => Math.min(...nonces) + index));
  });

  it('signs a step once, however often and however concurrently it is submitted', async () => {
    const steps = [aStep(), aStep()];
    const [first, second, third] = await Promise.all([
      theSigner().submit(asking(...steps)),
      theSigner().submit(asking(...steps)),
      theSigner().submit(asking(...steps.toReversed())),
    ]);
    const later = await theSigner().submit(asking(...steps));
    await mine();
    expect(transactions(later)).toEqual(transactions(first));
    // A call during the run may get the answer that the steps wait, but never other transactions.
    const others = [...transactions(second), ...transactions(third)];
    expect(others.filter((each) => !transactions(first).includes(each))).toEqual([]);
    expect(new Set(transactions(later)).size).toBe(2);
  });

  it('does not issue for a wallet while another issuance for it is unfinished', async () => {
    const step = aStep();
    const twin = { ...step, id: `${crypto.randomUUID()}:1` };
    const before = await minedOfGatekeeper();
    expect(at(await theSigner().submit(asking(step, twin)))).toEqual(['sent', 'waiting']);
    await mine();
    expect(await minedOfGatekeeper()).toBe(before + 1);
  });

  it('answers that a step waits when its signer is no longer configured', async () => {
    const closed = SIGNERS.getByName('ethereum/sepolia/0x0000000000000000000000000000000000000001');
    expect(at(await closed.submit(asking(aStep())))).toEqual(['waiting']);
  });
});

describe('the alarm of the signer object', () => {
  it('confirms a step by its alarm, reports it until it is acknowledged, and forgets it a day later', async () => {
    const step = aStep();
    await theSigner().submit(asking(step));
    await mine();
    // The alarm may already have fired by itself, before the block.
    const answer = await eventually(async () => {
      await runDurableObjectAlarm(theSigner());
      const [answer] = await theSigner().submit(asking(step));
      expect(answer?.status).toMatchObject({ type: 'confirmed', onChain: { state: 'ACTIVE' } });
      return answer;
    });
    const unacknowledged = () => theSigner().submit([{ pass: passIdOf(step.id) }]);
    expect(await unacknowledged()).toHaveLength(1);
    await theSigner().acknowledge([{ id: step.id, revision: (answer?.revision ?? 0) - 1 }]);
    expect(await unacknowledged()).toHaveLength(1);
    const acknowledge = () => theSigner().acknowledge([{ id: step.id, revision: answer?.revision ?? 0 }]);
    await acknowledge();
    expect(await unacknowledged()).toHaveLength(0);
    // Older outcomes are unacknowledged. Until the step is final, only the memory of the object has the acknowledgment.
    await evictDurableObject(theSigner());
    expect(await unacknowledged()).toHaveLength(1);
    await acknowledge();
    expect(await unacknowledged()).toHaveLength(0);
    await mine(3);
    // The next tracking for finality is due.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + FINALITY_TRACK_MS });
    await runDurableObjectAlarm(theSigner());
    vi.useRealTimers();
    await evictDurableObject(theSigner());
    expect(await unacknowledged()).toHaveLength(0);
    await runInDurableObject(theSigner(), (_, { storage }) => {
      const day = 24 * 3_600_000;
      // The newest step stays.
      addSteps(closed(storage), [aStep()]);
      closed(storage).steps.forget(Date.now() + day - 60_000);
      expect(queries.storedAnswer(storage.sql, step.id)?.status.type).toBe('confirmed');
      closed(storage).steps.forget(Date.now() + day + 60_000);
      expect(queries.storedAnswer(storage.sql, step.id)).toBeUndefined();
    });
  });

  it('reports 1,000 outcomes in one alarm, and the others in another alarm within a second', async () => {
    const outcomes = 1_001;
    await runInDurableObject(theSigner(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM step');
      addSteps(
        closed(storage),
        Array.from({ length: outcomes }, () => aStep()),
      );
      storage.sql.exec("UPDATE step SET status = 'final', is_open = 1, unacknowledged = 1 WHERE status = 'waiting'");
    });
    await evictDurableObject(theSigner());
    await runInDurableObject(theSigner(), async (object, { storage }) => {
      const { PASS_QUEUE } = (object as unknown as { env: Env }).env;
      const told = vi.spyOn(PASS_QUEUE, 'sendBatch').mockResolvedValue({} as QueueSendBatchResponse);
      const messages = () => told.mock.calls.flatMap(([some]) => [...some]).length;
      // Only the test fires the alarm.
      const fireAlarm = object.alarm.bind(object);
      holdAlarms();
      await fireAlarm();
      expect(messages()).toBe(outcomes - 1);
      expect((await storage.getAlarm()) ?? Number.NaN).toBeLessThan(Date.now() + 1_000);
      await fireAlarm();
      expect(messages()).toBe(outcomes);
      told.mockRestore();
      storage.sql.exec('UPDATE step SET unacknowledged = 0, is_open = 0');
    });
    await evictDurableObject(theSigner());
  });
});

// The last one gives the signer variables that it keeps.
describe('a signer that keeps the variables of before an emergency', () => {
  it('signs nothing of a client that the emergency suspends, also after a restart, and continues after it', async () => {
    const number = Date.now();
    await untilConfirmed(number, '', 'thief');
    await evictDurableObject(theSigner());
    const [stolen, other] = [
      { ...aStep(), client: 'thief' },
      { ...aStep(), client: 'partner' },
    ];
    expect(at(await theSigner().submit(asking(stolen, other)))).toEqual(['waiting', 'sent']);
    await untilConfirmed(number + 1);
    await runInDurableObject(theSigner(), (object) => object.alarm());
    expect(at(await theSigner().submit(asking(stolen)))).toEqual(['sent']);
  });

  it('continues after a suspension whose beginning and end only submissions have brought', async () => {
    const number = Date.now();
    const lists = { number, compromisedGatekeepers: [], suspendedClients: ['thief'] };
    const step = { ...aStep(), client: 'thief' };
    expect(at(await theSigner().submit(asking(step), lists))).toEqual(['waiting']);
    await runInDurableObject(theSigner(), (object) => object.alarm());
    const ended = { ...lists, number: number + 1, suspendedClients: [] };
    await theSigner().submit([], ended);
    expect(await theSigner().obey(ended)).toEqual({ number: number + 1, isStopped: false });
    await runInDurableObject(theSigner(), (object) => object.alarm());
    expect(at(await theSigner().submit(asking(step)))).toEqual(['sent']);
  });

  it('withdraws no step while its variables still name a key that newer lists do not, and suspends the clients of both', async () => {
    const { address } = sepolia().gatekeeper;
    const own = { EMERGENCY_NUMBER: '5', COMPROMISED_GATEKEEPERS: address, SUSPENDED_CLIENTS: 'thief' };
    await runInDurableObject(SIGNERS.getByName('with-old-variables'), async (_, { storage }) => {
      const lists = new ObeyedLists(storage, { ...env, ...own });
      const signer = openSigner(signerNameOf(sepolia()), storage, { ...env, ...own } as Env, lists) as Signer;
      const withdrawn = aStep();
      addSteps(signer, [withdrawn]);
      await sendWaiting(signer);
      expect(answerOf(signer, withdrawn.id)?.status.type).toBe('withdrawn');
      lists.learn({ number: 6, compromisedGatekeepers: [], suspendedClients: ['other'] });
      const kept = aStep();
      addSteps(signer, [kept]);
      await sendWaiting(signer);
      expect(signer.isCompromised).toBe(true);
      expect(answerOf(signer, kept.id)?.status.type).toBe('waiting');
      for (const client of ['thief', 'other']) expect(signer.suspended.allows({ kind: 'issue', client })).toBe(false);
    });
  });

  it('learns of it with the next submission of an isolate that has the new secrets', async () => {
    const lists = { number: Date.now(), compromisedGatekeepers: [sepolia().gatekeeper.address], suspendedClients: [] };
    const step = aStep();
    expect(at(await theSigner().submit(asking(step), lists))).toEqual(['waiting']);
    const older = { ...lists, number: lists.number - 1, compromisedGatekeepers: [] };
    expect(at(await theSigner().submit(asking(step), older))).toEqual(['waiting']);
    expect(await theSigner().obey(older)).toEqual({ number: lists.number, isStopped: true });
    await untilConfirmed(lists.number + 1);
    await runInDurableObject(theSigner(), (object) => object.alarm());
    expect(at(await theSigner().submit(asking(step)))).toEqual(['sent']);
  });

  it('signs nothing once it has confirmed that its key has leaked, and continues after the emergency', async () => {
    await stopBusySigner(100);
  });
});
