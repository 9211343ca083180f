import { createMessageBatch, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { consume } from '../../../src/consumer/consume.ts';
import { beginReconciliation } from '../../../src/consumer/run-schedule.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import type { OnChain, PassKey } from '../../../src/pass/pass.ts';
import { erasePass, publishPasses } from '../../../src/store/passes.ts';
import { lastRun } from '../../../src/store/runs.ts';

import worker from '../../../src/worker.ts';
import { eventually } from '../../eventually.ts';
import { partner, workerWithoutQueue } from '../http/api.ts';
import { transactionCount } from '../http/node.ts';
import { operator } from '../http/operator.ts';
import { anActivePass, changeAsOther, untilFinal } from '../http/sepolia-contract.ts';
import { aWallet } from '../http/wallets.ts';
import { aProjection } from '../store/rows.ts';
import { bindings, objectOf, recordOf } from './deliver.ts';
import { aMessage, aNight, aQueue, change, keyOf, NIGHT, reconcileWith, rowOf } from './reconciliation-night.ts';

/** The nightly comparison of the read model, the pass objects and the chain: findings, repairs and reports. */

const { DB } = bindings;
const acme = await partner('acme');
let printed = vi.spyOn(console, 'log');

const aPass = async () => keyOf(await anActivePass(acme));

/** Returns the logged differences. */
const differences = () =>
  printed.mock.calls
    .map(([line]) => JSON.parse(String(line)) as { event: string; difference?: string; pass?: string })
    .filter(({ event }) => event === 'reconciliation.difference')
    .map(({ difference, pass }) => [difference, pass]);
const idOf = async (key: PassKey) => (await objectOf(key).readPublication())?.id;

/** Two settled passes that are correct everywhere. */
const [first, second] = (await Promise.all([anActivePass(acme), anActivePass(acme)]).then((wallets) =>
  wallets.map(keyOf),
)) as [PassKey, PassKey];

beforeEach(async () => {
  await DB.exec('DELETE FROM runs');
  await DB.exec('DELETE FROM absences');
  await DB.exec("DELETE FROM passes WHERE gatekeeper_network = 'ours'");
  printed = vi.spyOn(console, 'log');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await untilFinal();
});

describe('the comparison with the pass objects', () => {
  it('leaves rows as they are when they agree with the pass objects', async () => {
    const before = [await rowOf(first), await rowOf(second)];
    const { counts, run } = await aNight();
    expect(counts).toEqual({});
    expect(run?.counts.passes).toBeGreaterThanOrEqual(2);
    expect([await rowOf(first), await rowOf(second)]).toEqual(before);
    expect(differences()).toEqual([]);
  });

  it.each([
    ['is stale', "state = 'REQUESTED', version = 1, record = '{}'", 'row-stale'],
    ['was altered', "state = 'REVOKED', record = '{}'", 'row-altered'],
    ['was altered to come later', "state = 'REVOKED', version = 999", 'row-altered'],
    ['has another id', "id = 'somebody'", 'row-altered'],
  ])('rewrites and reports a row that %s', async (_, set, what) => {
    const [row, untouched] = [await rowOf(first), await rowOf(second)];
    await change(set, first);
    const { counts } = await aNight();
    expect(counts).toEqual({ [what]: 1 });
    expect([await rowOf(first), await rowOf(second)]).toEqual([row, untouched]);
    expect(differences()).toEqual([[what, await idOf(first)]]);
    expect((await aNight()).counts).toEqual({});
  });

  it('rewrites and reports a deleted row while its signer remembers a step of the pass', async () => {
    const row = await rowOf(first);
    await DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(first.wallet).run();
    expect((await aNight()).counts).toEqual({ 'row-missing': 1 });
    expect(await rowOf(first)).toEqual(row);
    expect(differences()).toEqual([['row-missing', await idOf(first)]]);
  });

  it('reports a row without a pass object, and keeps it', async () => {
    const nobody = aProjection(1);
    await publishPasses(DB, [nobody]);
    expect((await aNight()).counts).toEqual({ 'no-pass-object': 1 });
    expect(differences()).toEqual([['no-pass-object', nobody.id]]);
    expect(await rowOf(nobody.key)).not.toBeNull();
  });

  it('deletes the row of a pass that a sandbox has forgotten, and no row of a newer pass', async () => {
    const gatekeeperNetwork = newSandbox();
    const [forgotten, newer] = [aProjection(1, { gatekeeperNetwork }), aProjection(2, { gatekeeperNetwork })];
    await publishPasses(DB, [forgotten, newer]);
    await erasePass(DB, { ...newer, id: 'older' });
    expect(await rowOf(newer.key)).not.toBeNull();
    expect((await aNight()).counts).toEqual({});
    expect([await rowOf(forgotten.key), await rowOf(newer.key)]).toEqual([null, null]);
    expect(differences()).toEqual([]);
  });

  it('reports no difference for a row that changes during the comparison', async () => {
    const row = await rowOf(first);
    await change("version = 1, record = '{}'", first);
    const getByName = (name: string) => {
      const pass = bindings.PASSES.getByName(name);
      const inspect = async () => {
        const inspected = await pass.inspect();
        if (inspected !== undefined) await publishPasses(DB, [inspected.publication]);
        return inspected;
      };
      return { inspect, sync: (found: OnChain) => pass.adopt({ final: found }) };
    };
    expect((await aNight({ PASSES: { getByName } as never })).counts).toEqual({});
    expect(await rowOf(first)).toEqual(row);
  });
});

it('sets the missing alarm of an unsettled pass, and reports it', async () => {
  const key = keyOf(aWallet());
  await acme.through(workerWithoutQueue).issue('ethereum/sepolia', key.wallet);
  await runInDurableObject(objectOf(key), (_, { storage }) => storage.deleteAlarm());
  expect((await aNight()).counts).toEqual({ 'no-alarm': 1 });
  expect(differences()).toEqual([['no-alarm', await idOf(key)]]);
  await runDurableObjectAlarm(objectOf(key));
  await acme.watch('ethereum/sepolia', key.wallet, ({ state }) => state === 'ACTIVE');
});

describe('the comparison with the chain', () => {
  it('adopts and reports tokens that somebody else changed, and sends no transaction', async () => {
    const [revoked, frozen] = await Promise.all([aPass(), aPass()]);
    await changeAsOther('revoke', revoked.wallet);
    await changeAsOther('freeze', frozen.wallet);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    const { counts } = await aNight();
    expect(counts).toEqual({ 'changed-on-chain': 2 });
    expect(await recordOf(revoked)).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    expect(await recordOf(frozen)).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect(await recordOf(first)).toMatchObject({ state: 'ACTIVE' });
    expect(await transactionCount('sepolia')).toBe(sent);
    // The passes learn that they are published, so no alarm publishes them again.
    const alarmOf = (key: PassKey) => runInDurableObject(objectOf(key), (_, { storage }) => storage.getAlarm());
    for (const key of [revoked, frozen]) await eventually(async () => expect(await alarmOf(key)).toBeNull());
    expect((await aNight()).counts).toEqual({});
  });

  it.each([
    ['cannot be read', () => Promise.reject(new Error('the object was reset')), 'unreadable'],
    [
      'does not answer',
      async (all: unknown[]) => all.map(() => ({ type: 'unreadable', why: 'no answer' })),
      'unreadable',
    ],
    ['is busy with the wallet', async (all: unknown[]) => all.map(() => ({ type: 'busy' })), 'busy'],
  ])('skips and counts every pass when its signer %s', async (_, readPasses, what) => {
    const { counts, run } = await aNight({
      SIGNERS: { getByName: () => ({ readPasses, listPassesAfter: async () => [] }) } as never,
    });
    expect(counts).toEqual({ [what]: run?.counts.passes });
    expect((await aNight()).counts).toEqual({});
  });
});

describe('many passes that seem to have lost their token', () => {
  /** Signers whose nodes show none of these tokens. */
  const blind = (wallets: readonly string[]) => {
    const readPasses = async (questions: { key: PassKey; known: OnChain }[]) =>
      questions.map(({ key, known }) => ({
        type: 'read',
        onChain: wallets.includes(key.wallet) ? { state: 'NONE', asOf: 10 ** 9 } : known,
      }));
    return { SIGNERS: { getByName: () => ({ readPasses, listPassesAfter: async () => [] }) } as never };
  };
  const states = (keys: readonly PassKey[]) => Promise.all(keys.map(async (key) => (await recordOf(key))?.state));
  const { gatekeeperNetwork } = keyOf(aWallet());
  const accept = { accept: { gatekeeperNetwork, network: 'sepolia' } };

  it('are adopted up to five, and more of them only once the operator accepts them', async () => {
    const keys = await Promise.all(Array.from({ length: 11 }, aPass));
    const wallets = keys.map(({ wallet }) => wallet);
    const few = await aNight(blind(wallets.slice(0, 5)));
    expect(few.counts).toEqual({ 'changed-on-chain': 5 });

    const left = keys.slice(5);
    const many = await aNight(blind(wallets));
    expect(many.counts).toEqual({ held: 6 });
    expect(await states(left)).toEqual(left.map(() => 'ACTIVE'));
    // The hold outlasts the run.
    const one = await aNight(blind(wallets.slice(0, 6)));
    expect(one.counts).toEqual({ held: 1 });

    const ops = await operator();
    const { run } = JSON.parse((await ops.call('GET', '/admin/reconciliation')).text);
    expect(run.held).toMatchObject([{ gatekeeperNetwork, network: 'sepolia', absent: 6 }]);
    expect((await ops.post('/admin/reconciliation', accept)).status).toBe(200);
    expect((await ops.post('/admin/reconciliation', accept)).status).toBe(404);
    const accepted = await aNight(blind(wallets));
    expect(accepted.counts).toEqual({ 'changed-on-chain': 6 });
    expect(await states(left)).toEqual(left.map(() => 'REVOKED'));
  });
});

describe('a reconciliation run', () => {
  const many = (count: number) =>
    publishPasses(
      DB,
      Array.from({ length: count }, (_, number) => aProjection(number)),
    );

  it('compares all rows in slices, each row once, and shows the run to the operator', async () => {
    await many(250);
    const { slices, counts, run } = await aNight();
    expect(slices).toBeGreaterThan(3);
    expect(counts).toEqual({ 'no-pass-object': 250 });
    const { status, text } = await (await operator()).call('GET', '/admin/reconciliation');
    const { started, finished, updated: night } = run ?? {};
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { run: { started, finished, night, slices, counts: run?.counts, held: [] }, rebuilds: [] },
    ]);
    const lines = printed.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.filter(({ event }) => event === 'reconciliation.slice_done')).toHaveLength(slices);
    expect(lines.filter(({ event }) => event === 'reconciliation.done')).toMatchObject([{ ...run?.counts }]);
  });

  it('continues a run in the next night when its message was lost', async () => {
    await many(250);
    const { bodies, env } = aQueue();
    await beginReconciliation((NIGHT + 1) * 1000, env.PASS_QUEUE);
    await reconcileWith(env, [aMessage(bodies.shift()).message]);
    expect(await lastRun(DB)).toMatchObject({ slices: 1, counts: { passes: 100 }, finished: null });
    const { counts, run } = await aNight();
    expect(counts).toEqual({ 'no-pass-object': 250 });
    expect(await lastRun(DB)).toMatchObject({ run: 1, started: NIGHT + 1 });
    // The remaining messages of the first night have no effect.
    const late = aMessage(bodies.shift());
    await reconcileWith(env, [late.message]);
    expect([late.told.acked, bodies]).toEqual([true, []]);
    expect(await lastRun(DB)).toEqual(run);
  });

  it('compares a limited number of slices in a night, and the rest in the next nights', async () => {
    await many(250);
    const first = await aNight({}, 1);
    expect(first.run).toMatchObject({ run: 1, finished: null, counts: { passes: 100 } });
    const second = await aNight({}, 1);
    expect(second.run).toMatchObject({ run: 1, finished: null, counts: { passes: 200 } });
    const third = await aNight();
    expect(third.counts).toEqual({ 'no-pass-object': 250 });
    expect(third.run).toMatchObject({ run: 1, started: first.run?.started, finished: expect.any(Number) });
  });

  it('compares a slice once when its message arrives twice', async () => {
    await many(150);
    const { bodies, env } = aQueue();
    await beginReconciliation((NIGHT + 2) * 1000, env.PASS_QUEUE);
    const body = bodies.shift();
    await Promise.all([reconcileWith(env, [aMessage(body).message]), reconcileWith(env, [aMessage(body).message])]);
    expect(await lastRun(DB)).toMatchObject({ slices: 1, counts: { passes: 100 } });
  });

  it('retries a slice when the database is away', async () => {
    await many(1);
    const away = {
      ...bindings,
      DB: {
        prepare: () => {
          throw new Error('D1_ERROR: away');
        },
      },
    } as unknown as Env;
    const { told, message } = aMessage({ kind: 'reconcile', night: NIGHT + 3 });
    await reconcileWith(away, [message]);
    expect(told).toEqual({ acked: false, retried: true });
    expect((await aNight()).counts).toEqual({ 'no-pass-object': 1 });
  });

  it('shows no run before the first night', async () => {
    const { text } = await (await operator()).call('GET', '/admin/reconciliation');
    expect(JSON.parse(text)).toEqual({ run: null, rebuilds: [] });
  });
});

it('the cron trigger starts a run, and the queue finishes it', async () => {
  await worker.scheduled({ scheduledTime: (NIGHT + 4) * 1000 } as ScheduledController, bindings);
  await eventually(async () => expect((await lastRun(DB))?.finished).toEqual(expect.any(Number)), 50);
  expect(await lastRun(DB)).toMatchObject({ updated: NIGHT + 4 });
});

it('processes a slice and a pass in one batch of messages', async () => {
  const key = keyOf(aWallet());
  await acme.through(workerWithoutQueue).issue('ethereum/sepolia', key.wallet);
  const bodies = [
    { kind: 'process-pass', pass: key },
    { kind: 'reconcile', night: NIGHT },
  ];
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const { env } = aQueue();
  await consume(createMessageBatch('gatepass-passes', messages), env);
  expect(await lastRun(DB)).toMatchObject({ slices: 1 });
  await eventually(async () => expect((await recordOf(key))?.events[0]).toHaveProperty('transaction'));
});
