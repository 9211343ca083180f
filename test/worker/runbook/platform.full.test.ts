import {
  createExecutionContext,
  createMessageBatch,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { sendReconcile } from '../../../src/message/queue.ts';
import type { OnChain, PassKey } from '../../../src/pass/pass.ts';
import { reconcileFirst } from '../../../src/store/runs.ts';
import worker from '../../../src/worker.ts';
import { configureObject, keepAlive } from '../configure-object.ts';
import { bindings, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { aMessage, aNight, aQueue, keyOf, NIGHT, reconcileWith } from '../consumer/reconciliation-night.ts';
import { partner, QUEUE_THAT_FAILS, workerWithoutQueue } from '../http/api.ts';
import { operator } from '../http/operator.ts';
import { anActivePass } from '../http/sepolia-contract.ts';
import { aWallet } from '../http/wallets.ts';
import { rehearse, send } from './rehearse.ts';

/** Faults of the queue, of the objects and of the database, and what the operator does about them. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const ops = await operator();

beforeEach(async () => {
  vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
  for (const table of ['runs', 'absences', 'dead_letters', 'unsettled']) await bindings.DB.exec(`DELETE FROM ${table}`);
});
afterEach(() => void vi.restoreAllMocks());

const jsonOf = ({ text }: { readonly text: string }) => JSON.parse(text);
const untilActive = (wallet: string) => acme.watch(SEPOLIA, wallet, ({ state }) => state === 'ACTIVE');

rehearse('Messages are in the dead letters', 'a redrive has the passes of all dead letters continue', async (page) => {
  const wallet = aWallet();
  await acme.through(workerWithoutQueue).issue(SEPOLIA, wallet);
  // Only the message is left to continue the pass.
  await runInDurableObject(objectOf(keyOf(wallet)), (_, { storage }) => storage.deleteAlarm());
  const messages = [{ id: 'lost', timestamp: new Date(), attempts: 1, body: processPass(keyOf(wallet)) }];
  const batch = createMessageBatch('gatepass-passes-dead', messages);
  await worker.queue(batch, bindings);
  await getQueueResult(batch, createExecutionContext());
  const listed = await send(ops, page.next('curl $GATEPASS_URL/admin/dead-letters'));
  expect(jsonOf(listed).deadLetters).toMatchObject([{ id: 'lost', reason: 'its pass object could not be reached' }]);
  const redriven = await send(ops, page.next('curl -X POST $GATEPASS_URL/admin/redrive'));
  expect([redriven.status, jsonOf(redriven)]).toEqual([202, { redriven: 1, more: false }]);
  await untilActive(wallet);
  expect(jsonOf(await ops.call('GET', '/admin/dead-letters')).deadLetters).toEqual([]);
});

rehearse(
  'The reconciliation reports differences',
  'the held losses are adopted when the operator accepts them',
  async (page) => {
    const keys = await Promise.all(Array.from({ length: 6 }, async () => keyOf(await anActivePass(acme))));
    const lost = new Set(keys.map(({ wallet }) => wallet as string));
    /** Signers whose nodes show none of these tokens. */
    const readPasses = async (questions: { key: PassKey; known: OnChain }[]) =>
      questions.map(({ key, known }) => ({
        type: 'read',
        onChain: lost.has(key.wallet) ? { state: 'NONE', asOf: 10 ** 9 } : known,
      }));
    const without = { SIGNERS: { getByName: () => ({ readPasses, listPassesAfter: async () => [] }) } as never };
    expect((await aNight(without)).counts).toEqual({ held: 6 });
    const gatekeeperNetwork = keys[0]?.gatekeeperNetwork ?? '';
    const shown = await send(ops, page.next('curl $GATEPASS_URL/admin/reconciliation'));
    expect(jsonOf(shown).run.held).toMatchObject([{ gatekeeperNetwork, network: 'sepolia', absent: 6 }]);
    const accept = page.next('curl -X POST $GATEPASS_URL/admin/reconciliation');
    expect((await send(ops, accept, { KEY: gatekeeperNetwork, NETWORK: 'sepolia' })).status).toBe(200);
    expect((await aNight(without)).counts).toEqual({ 'changed-on-chain': 6 });
    for (const key of keys) expect(await recordOf(key)).toMatchObject({ state: 'REVOKED' });
  },
);

rehearse(
  'A part of the chain could not be read',
  'the run compares the passes of the network at once, and closes the gap',
  async (page) => {
    const { wallet } = keyOf(await anActivePass(acme));
    const closed: unknown[] = [];
    const { bodies, env } = aQueue();
    const changed = {
      ...env,
      WATCHERS: {
        getByName: (network: string) => ({
          begin: async () => {},
          closeUnservedGaps: async () => void closed.push(network),
        }),
      },
    } as unknown as Env;
    await sendReconcile(env.PASS_QUEUE, await reconcileFirst(bindings.DB, 'sepolia', NIGHT * 1000));
    const command = page.next('curl $GATEPASS_URL/admin/reconciliation');
    for (let body = bodies.shift(); body !== undefined; body = bodies.shift())
      await reconcileWith(changed, [aMessage(body).message]);
    const { run } = jsonOf(await send(ops, command));
    expect(run).toMatchObject({ finished: expect.any(Number), held: [] });
    expect(run.counts.passes).toBeGreaterThan(0);
    expect(closed).toEqual(['sepolia']);
    expect((await acme.fetch(SEPOLIA, wallet)).record.state).toBe('ACTIVE');
  },
);

rehearse(
  'The account reaches its spending limit',
  'an accepted pass continues with a redrive when the platform serves again',
  async (page) => {
    const wallet = aWallet();
    const pass = objectOf(keyOf(wallet));
    keepAlive(pass as DurableObjectStub);
    const refusal = () => {
      throw new Error('the account has reached its limit');
    };
    await acme.through(workerWithoutQueue).issue(SEPOLIA, wallet);
    await configureObject(pass as DurableObjectStub, { SIGNERS: { getByName: refusal }, PASS_QUEUE: QUEUE_THAT_FAILS });
    await runDurableObjectAlarm(pass);
    await configureObject(pass as DurableObjectStub, {});
    // Without this, the alarm of the pass could come first.
    await runInDurableObject(pass, (_, { storage }) => storage.deleteAlarm());
    const stuck = jsonOf(await send(ops, page.next('curl $GATEPASS_URL/admin/stuck'))).stuck;
    expect(stuck).toMatchObject([{ pass: { walletAddress: wallet } }]);
    const redriven = await send(ops, page.next('curl -X POST $GATEPASS_URL/admin/redrive'));
    expect([redriven.status, jsonOf(redriven)]).toMatchObject([202, { redriven: 1, more: false }]);
    await untilActive(wallet);
  },
);
