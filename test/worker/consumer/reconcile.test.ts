import { createMessageBatch, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { consume } from '../../../src/consumer/consume.ts';
import { beginReconciliation, reconcile } from '../../../src/consumer/reconcile.ts';
import type { OnChain, PassKey } from '../../../src/pass/pass.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { lastRun } from '../../../src/store/reconciliations.ts';
import worker from '../../../src/worker.ts';
import { anActivePass } from '../http/an-active-pass.ts';
import { partner, unheard } from '../http/api.ts';
import { transactionCount } from '../http/node.ts';
import { another, untilFinal } from '../http/on-sepolia.ts';
import { operator } from '../http/operator.ts';
import { aWallet } from '../http/wallets.ts';
import { aProjection } from '../store/rows.ts';
import { aMessage, aNight, aQueue, change, keyOf, NIGHT, rowOf } from './a-night.ts';
import { bindings, objectOf, recordOf } from './deliver.ts';

/** The nightly comparison of the read model, the pass objects and the chain: what it finds, repairs and reports. */

const { DB } = bindings;
const acme = await partner('acme');
let printed = vi.spyOn(console, 'log');

const aPass = async () => keyOf(await anActivePass(acme));

/** What was logged of differences. */
const differences = () =>
  printed.mock.calls
    .map(([line]) => JSON.parse(String(line)) as { at: string; what?: string; pass?: string })
    .filter(({ at }) => at === 'difference')
    .map(({ what, pass }) => [what, pass]);
const idOf = async (key: PassKey) => (await objectOf(key).readPublication())?.id;

/** Two passes that are settled, and as they should be everywhere. */
const [first, second] = (await Promise.all([anActivePass(acme), anActivePass(acme)]).then((wallets) =>
  wallets.map(keyOf),
)) as [PassKey, PassKey];

beforeEach(async () => {
  await DB.exec('DELETE FROM reconciliations');
  await DB.exec("DELETE FROM passes WHERE gatekeeper_network = 'ours'");
  printed = vi.spyOn(console, 'log');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await untilFinal();
});

describe('the read model', () => {
  it('that is as the pass objects have it is left as it is', async () => {
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
  ])('a row that %s is written anew, and reported', async (_, set, what) => {
    const [row, untouched] = [await rowOf(first), await rowOf(second)];
    await change(set, first);
    const { counts } = await aNight();
    expect(counts).toEqual({ [what]: 1 });
    expect([await rowOf(first), await rowOf(second)]).toEqual([row, untouched]);
    expect(differences()).toEqual([[what, await idOf(first)]]);
    expect((await aNight()).counts).toEqual({});
  });

  it('a row that was deleted is written anew, while its signer remembers a step of the pass', async () => {
    const row = await rowOf(first);
    await DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(first.wallet).run();
    expect((await aNight()).counts).toEqual({ 'row-missing': 1 });
    expect(await rowOf(first)).toEqual(row);
    expect(differences()).toEqual([['row-missing', await idOf(first)]]);
  });

  it('a row without a pass object is reported, and stays for a person to see', async () => {
    const nobody = aProjection(1);
    await publishPasses(DB, [nobody]);
    expect((await aNight()).counts).toEqual({ 'no-pass-object': 1 });
    expect(differences()).toEqual([['no-pass-object', nobody.id]]);
    expect(await rowOf(nobody.key)).not.toBeNull();
  });

  it('a row that moved on between two looks is no difference', async () => {
    const row = await rowOf(first);
    await change("version = 1, record = '{}'", first);
    const getByName = (name: string) => {
      const pass = bindings.PASSES.getByName(name);
      const inspect = async () => {
        const inspected = await pass.inspect();
        if (inspected !== undefined) await publishPasses(DB, [inspected.publication]);
        return inspected;
      };
      return { inspect, sync: (found: OnChain) => pass.adoptReading(found) };
    };
    expect((await aNight({ PASSES: { getByName } as never })).counts).toEqual({});
    expect(await rowOf(first)).toEqual(row);
  });
});

it('an unsettled pass without an alarm gets one, which is reported', async () => {
  const key = keyOf(aWallet());
  await acme.through(unheard).issue('ethereum/sepolia', key.wallet);
  await runInDurableObject(objectOf(key), (_, { storage }) => storage.deleteAlarm());
  expect((await aNight()).counts).toEqual({ 'no-alarm': 1 });
  expect(differences()).toEqual([['no-alarm', await idOf(key)]]);
  await runDurableObjectAlarm(objectOf(key));
  await acme.watch('ethereum/sepolia', key.wallet, ({ state }) => state === 'ACTIVE');
});

describe('the chain', () => {
  it('where others changed a token, that is taken over and reported, and sends nothing', async () => {
    const [revoked, frozen] = await Promise.all([aPass(), aPass()]);
    await another('revoke', revoked.wallet);
    await another('freeze', frozen.wallet);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    const { counts } = await aNight();
    expect(counts).toEqual({ 'changed-on-chain': 2 });
    expect(await recordOf(revoked)).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
    expect(await recordOf(frozen)).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect(await recordOf(first)).toMatchObject({ state: 'ACTIVE' });
    expect(await transactionCount('sepolia')).toBe(sent);
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
  ])('where it %s, the pass is skipped and counted', async (_, read, what) => {
    const { counts, run } = await aNight({
      SIGNERS: { getByName: () => ({ read, passesAfter: async () => [] }) } as never,
    });
    expect(counts).toEqual({ [what]: run?.counts.passes });
    expect((await aNight()).counts).toEqual({});
  });
});

describe('a run', () => {
  const many = (count: number) =>
    publishPasses(
      DB,
      Array.from({ length: count }, (_, number) => aProjection(number)),
    );

  it('goes over all rows in slices, each once, and tells how it stands', async () => {
    await many(250);
    const { slices, counts, run } = await aNight();
    expect(slices).toBeGreaterThan(3);
    expect(counts).toEqual({ 'no-pass-object': 250 });
    const { status, text } = await (await operator()).call('GET', '/admin/reconciliation');
    const { started, finished, night } = run ?? {};
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { run: { started, finished, night, slices, counts: run?.counts } },
    ]);
    const lines = printed.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.filter(({ at }) => at === 'reconciled-slice')).toHaveLength(slices);
    expect(lines.filter(({ at }) => at === 'reconciled')).toMatchObject([{ ...run?.counts }]);
  });

  it('goes on where it was, when its message was lost: the next night', async () => {
    await many(250);
    const { bodies, env } = aQueue();
    await beginReconciliation((NIGHT + 1) * 1000, env);
    await reconcile([aMessage(bodies.shift()).message], env);
    expect(await lastRun(DB)).toMatchObject({ slices: 1, counts: { passes: 100 }, finished: undefined });
    const { counts, run } = await aNight();
    expect(counts).toEqual({ 'no-pass-object': 250 });
    expect(await lastRun(DB)).toMatchObject({ run: 1, started: NIGHT + 1 });
    // What is left of the first night does nothing any more.
    const late = aMessage(bodies.shift());
    await reconcile([late.message], env);
    expect([late.told.acked, bodies]).toEqual([true, []]);
    expect(await lastRun(DB)).toEqual(run);
  });

  it('does so much in a night, and the rest in the next ones', async () => {
    await many(250);
    const first = await aNight({}, 1);
    expect(first.run).toMatchObject({ run: 1, finished: undefined, counts: { passes: 100 } });
    const second = await aNight({}, 1);
    expect(second.run).toMatchObject({ run: 1, finished: undefined, counts: { passes: 200 } });
    const third = await aNight();
    expect(third.counts).toEqual({ 'no-pass-object': 250 });
    expect(third.run).toMatchObject({ run: 1, started: first.run?.started, finished: expect.any(Number) });
  });

  it('does each slice once, though a message comes twice', async () => {
    await many(150);
    const { bodies, env } = aQueue();
    await beginReconciliation((NIGHT + 2) * 1000, env);
    const body = bodies.shift();
    await Promise.all([reconcile([aMessage(body).message], env), reconcile([aMessage(body).message], env)]);
    expect(await lastRun(DB)).toMatchObject({ slices: 1, counts: { passes: 100 } });
  });

  it('loses nothing while the database is away: the queue brings the slice again', async () => {
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
    await reconcile([message], away);
    expect(told).toEqual({ acked: false, retried: true });
    expect((await aNight()).counts).toEqual({ 'no-pass-object': 1 });
  });

  it('has nothing to tell before the first night', async () => {
    const { text } = await (await operator()).call('GET', '/admin/reconciliation');
    expect(JSON.parse(text)).toEqual({ run: null });
  });
});

it('the cron trigger begins a run, which the queue brings to its end', async () => {
  await worker.scheduled({ scheduledTime: (NIGHT + 4) * 1000 } as ScheduledController, bindings);
  await vi.waitFor(async () => expect((await lastRun(DB))?.finished).toBeDefined(), { timeout: 10_000, interval: 50 });
  expect(await lastRun(DB)).toMatchObject({ night: NIGHT + 4 });
});

it('a slice and looks may come in one batch', async () => {
  const key = keyOf(aWallet());
  await acme.through(unheard).issue('ethereum/sepolia', key.wallet);
  const bodies = [
    { kind: 'look', pass: key },
    { kind: 'reconcile', night: NIGHT },
  ];
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const { env } = aQueue();
  await consume(createMessageBatch('gatepass-looks', messages), env);
  expect(await lastRun(DB)).toMatchObject({ slices: 1 });
  await vi.waitFor(async () => expect((await recordOf(key))?.events[0]).toHaveProperty('transaction'), 5_000);
});
