import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { SignerObject } from '../../../src/signer-object/signer-object.ts';
import worker from '../../../src/worker.ts';
import { eventually } from '../../eventually.ts';
import { mintAnother } from '../chain/ethereum/issuing.ts';
import { aStep, mine, sepolia } from '../chain/ethereum/node.ts';
import { seededPartner } from '../http/api.ts';
import { holdAlarms } from '../without-alarms.ts';
import { aRequestedPass, bindings, deliver, deliverWith, objectOf, processPass, recordOf, signer } from './deliver.ts';

/** The consumer processes a batch. */

/** The real pass objects with a record of their calls. */
function recordingCalls(calls: string[]) {
  const stubOf = (name: string) =>
    bindings.PASSES.getByName(name) as unknown as Record<string, (...args: unknown[]) => unknown>;
  const told =
    (name: string, method: string) =>
    (...args: unknown[]) => {
      calls.push(method);
      return stubOf(name)[method]?.(...args);
    };
  return { PASSES: { getByName: (name: string) => new Proxy({}, { get: (_, method) => told(name, String(method)) }) } };
}

type Settling = Awaited<ReturnType<typeof settlingPasses>>[number];

/** Returns messages about passes of a partner whose signer has the outcome of their step. */
async function settlingPasses(count: number, partner: 'acme' | 'globex') {
  const { gatekeeperNetwork } = seededPartner(partner);
  const keys = await Promise.all(Array.from({ length: count }, () => aRequestedPass(gatekeeperNetwork)));
  // So that each step ends with its first preparation.
  for (const key of keys) await mintAnother({ ...aStep(), key });
  await mine(4);
  const messages = keys.map(async (key) => {
    const { step, publication, signer: name } = (await objectOf(key).pinStep()) ?? {};
    const id = publication?.id ?? '';
    await signer().submit([{ pass: id, step }]);
    return { kind: 'process-pass', pass: key, news: { signer: name, id } };
  });
  return Promise.all(messages);
}

const entriesOf = async ({ gatekeeperNetwork }: PassKey, pass: string) =>
  (await bindings.AUDITS.getByName(gatekeeperNetwork).read({ limit: 10, pass })).entries;

/** Each test delivers its batches itself. */
let releaseAlarms: () => void;
beforeEach(() => {
  releaseAlarms = holdAlarms();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
  // Without its alarms, the signer does not know that its transactions are in blocks.
  await runInDurableObject(signer(), (object) => object.alarm());
});

describe('a batch of messages', () => {
  it('processes many passes with one call of the signer and one batch of the database', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, aRequestedPass));
    const toNode = vi.spyOn(globalThis, 'fetch');
    const toDatabase = vi.spyOn(Object.getPrototypeOf(bindings.DB.withSession('first-primary')), 'batch');
    const submitted = vi.spyOn(SignerObject.prototype, 'submit');
    const { explicitAcks } = await deliver(...keys.map(processPass));
    expect(explicitAcks).toHaveLength(12);
    expect(submitted.mock.calls.map(([submissions]) => submissions.length)).toEqual([12]);
    expect(toDatabase).toHaveBeenCalledTimes(1);
    const toSepolia = toNode.mock.calls.filter(([url]) => url === inject('localnet').rpc.sepolia);
    // Before its first step, the signer reads the code of its contract.
    const ofBatch = toSepolia.filter(([, init]) => !String(init?.body).includes('eth_getCode'));
    expect(ofBatch).toHaveLength(5);
    for (const key of keys) {
      const record = await recordOf(key);
      expect(record?.events).toMatchObject([{ transaction: { status: 'sent' } }]);
    }
  });

  it('retries the message of a pass object that hangs, and processes the other passes', async () => {
    const [hanging, key] = [await aRequestedPass(), await aRequestedPass()];
    const real = bindings.PASSES;
    const PASSES = {
      getByName: (name: string) =>
        name === passName(hanging) ? { pinStep: () => new Promise(() => {}) } : real.getByName(name),
    };
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const { explicitAcks, retryMessages } = await deliverWith({ PASSES }, processPass(hanging), processPass(key));
    expect(explicitAcks).toEqual(['m1']);
    expect(retryMessages).toMatchObject([{ msgId: 'm0' }]);
    expect((await recordOf(key))?.events).toMatchObject([{ transaction: { status: 'sent' } }]);
  });

  it('asks the signer at once when the signer has news, and removes the alarm of a settled pass', async () => {
    const [news] = (await settlingPasses(1, 'acme')) as [Settling];
    const key = news.pass;
    const calls: string[] = [];
    expect((await deliverWith(recordingCalls(calls), news)).explicitAcks).toEqual(['m0']);
    expect(calls).toEqual(['recordAnswers', 'markPublished']);
    expect(await recordOf(key)).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(await runInDurableObject(objectOf(key), (_, { storage }) => storage.getAlarm())).toBeNull();

    // After the first delivery it is not new.
    expect((await deliverWith(recordingCalls(calls), news)).explicitAcks).toEqual(['m0']);
    expect(calls).toHaveLength(2);
  });

  it('records one answer for a pass that is in the batch twice', async () => {
    const key = await aRequestedPass();
    const news = { signer: signerNameOf(sepolia()), id: (await objectOf(key).readOnChain())?.question.pass };
    const calls: string[] = [];
    await deliverWith(recordingCalls(calls), processPass(key), { ...processPass(key), news });
    expect(calls).toEqual(['pinStep', 'recordAnswers']);
    expect((await recordOf(key))?.events).toMatchObject([{ transaction: { status: 'sent' } }]);
  });

  it('appends the entries of the passes that settle together with one call of each trail', async () => {
    const settling = [...(await settlingPasses(3, 'acme')), ...(await settlingPasses(1, 'globex'))];
    const calls: { trail: string; entries: number }[] = [];
    const append = (trail: string) => (entries: readonly AuditEntry[]) => {
      calls.push({ trail, entries: entries.length });
      return bindings.AUDITS.getByName(trail).append(entries);
    };
    await deliverWith({ AUDITS: { getByName: (trail: string) => ({ append: append(trail) }) } }, ...settling);
    const trailOf = (partner: 'acme' | 'globex') => seededPartner(partner).gatekeeperNetwork;
    expect(calls).toHaveLength(2);
    expect(calls).toEqual(
      expect.arrayContaining([
        { trail: trailOf('acme'), entries: 3 },
        { trail: trailOf('globex'), entries: 1 },
      ]),
    );
    for (const { pass, news } of settling) {
      expect(await recordOf(pass)).toMatchObject({ state: 'ACTIVE' });
      expect(await entriesOf(pass, news.id)).toHaveLength(1);
    }
  });

  it('settles a pass although its trail refuses, and the alarm of the pass appends its entry', async () => {
    const [settling] = (await settlingPasses(1, 'acme')) as [Settling];
    const { pass, news } = settling;
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const AUDITS = { getByName: () => ({ append: () => Promise.reject(new Error('the trail is away')) }) };
    await deliverWith({ AUDITS }, settling);
    expect(printed.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { event: 'audit.unavailable', trail: pass.gatekeeperNetwork, passes: 1 },
    ]);
    expect(await recordOf(pass)).toMatchObject({ state: 'ACTIVE' });
    expect(await entriesOf(pass, news.id)).toEqual([]);
    releaseAlarms();
    await runDurableObjectAlarm(objectOf(pass));
    expect(await entriesOf(pass, news.id)).toMatchObject([{ text: expect.stringContaining('pass.issue') }]);
    expect(await runInDurableObject(objectOf(pass), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('settles a pass although its trail hangs', async () => {
    const [settling] = (await settlingPasses(1, 'acme')) as [Settling];
    const hangs = Promise.withResolvers<void>();
    const AUDITS = { getByName: () => ({ append: () => hangs.promise }) };
    const delivered = deliverWith({ AUDITS }, settling);
    await eventually(async () => expect(await recordOf(settling.pass)).toMatchObject({ state: 'ACTIVE' }));
    hangs.resolve();
    await delivered;
  });

  it('acknowledges a message about a pass that does not exist', async () => {
    const { explicitAcks } = await deliver(processPass(aStep().key));
    expect(explicitAcks).toEqual(['m0']);
  });
});

describe('a batch of dead letters', () => {
  it('reports and acknowledges dead letters', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const key = aStep().key;
    const messages = [processPass(key), 'rubbish'].map((body, index) => ({
      id: `d${index}`,
      timestamp: new Date(),
      attempts: 10,
      body,
    }));
    const batch = createMessageBatch('gatepass-passes-dead', messages);
    const context = createExecutionContext();
    await worker.queue(batch, bindings);
    expect((await getQueueResult(batch, context)).explicitAcks).toEqual(['d0', 'd1']);
    expect(printed.mock.calls.map(([line]) => JSON.parse(String(line)).event)).toEqual([
      'queue.dead_letter',
      'queue.dead_letter',
    ]);
  });
});
