import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { toEventSelector } from 'viem/utils';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { runSchedule } from '../../../src/consumer/run-schedule.ts';
import { WAITING_MAX, WaitingChanges } from '../../../src/watcher-object/waiting-changes.ts';
import { eventually } from '../../eventually.ts';
import { type Alteration, alteredNodes, altering, HONEST } from '../chain/altered-nodes.ts';
import { aStep, callSepolia, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { setFeatures, setGatekeeper } from '../chain/ethereum/others.ts';
import { configureObject } from '../configure-object.ts';
import { deliver, objectOf, processPass, recordOf, signer } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { failing, hanging, UnreliableDatabase } from '../store/unreliable.ts';
import { coverageOf, hurry, nodeOf, TestWatcher, validityOf, variablesFor } from './a-watcher.ts';
import { anActivePass, anOtherGatekeeper, changedByOther, passTime, stepOf } from './others.ts';

/** Faults of the parts that a watcher depends on. The test makes the blocks and runs the intervals. */

const bindings = env as Env;

makeBlocksByHand();
beforeAll(async () => {
  await partner('acme');
  await anOtherGatekeeper();
});
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(async () => {
  vi.restoreAllMocks();
  await mine(4);
});

it('a log of other code makes the watcher check its contracts at once', async () => {
  const key = await anActivePass();
  let isUpgraded = false;
  const upgrading = altering('eth_getLogs', (logs, { params: [{ fromBlock }] }) =>
    isUpgraded
      ? [
          ...logs,
          {
            address: stepOf(key).contract,
            topics: [toEventSelector('Upgraded(address)'), `0x${'12'.padStart(64, '0')}`],
            data: '0x',
            transactionHash: `0x${'ab'.repeat(32)}`,
            blockNumber: `0x${(Number(fromBlock) + 1).toString(16)}`,
          },
        ]
      : logs,
  );
  const { urls } = alteredNodes(nodeOf('sepolia'), upgrading);
  const watcher = await TestWatcher.begin({ urls: urls.map((url) => url()) });
  const checkedAt = async () => Object.values(await watcher.object.contractsSeen([])).map((each) => each.checkedAt);
  const [before = 0] = await checkedAt();
  expect(before).toBeGreaterThan(0);
  await watcher.interval();
  expect(await checkedAt()).toEqual([before]);
  isUpgraded = true;
  await mine();
  await watcher.interval();
  expect((await checkedAt())[0]).toBeGreaterThan(before);
});

it.each([
  ['fails', failing('D1_ERROR: no')],
  ['does not answer', hanging],
])(
  'a database that %s delays a change and the coverage, and loses nothing',
  { timeout: 120_000 },
  async (_, manner) => {
    const key = await anActivePass();
    const watcher = await TestWatcher.begin();
    const covered = await coverageOf(key);
    await passTime();
    await changedByOther(key, 'freeze');
    await mine(2);
    const database = new UnreliableDatabase();
    database.manner = manner;
    await watcher.intervalWith({ DB: database.asD1 });
    expect(await coverageOf(key)).toBe(covered);
    expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
    expect(await watcher.status()).toMatchObject({ waiting: 1 });
    await hurry(watcher);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ onChainState: 'FROZEN' });
    // The clock of the chain may be ahead, and the coverage is never later than now.
    await eventually(async () => {
      await watcher.interval();
      expect((await coverageOf(key)) ?? 0).toBeGreaterThan(covered ?? 0);
    }, 500);
  },
);

it('a change that only one of two endpoints shows is neither adopted nor noted, and the coverage stands still', async () => {
  const key = await anActivePass();
  let isAway = false;
  const dead: Alteration = { refuse: () => (isAway ? new Response('no', { status: 503 }) : undefined) };
  const { urls } = alteredNodes(nodeOf('sepolia'), HONEST, dead);
  const options = { urls: urls.map((url) => url()) };
  await evictDurableObject(signer());
  await configureObject(signer(), variablesFor(options));
  const watcher = await TestWatcher.begin(options);
  const covered = await coverageOf(key);
  isAway = true;
  await changedByOther(key, 'revoke');
  await mine(3);
  await watcher.interval(2);
  expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isPending: false });
  expect(await watcher.status()).toMatchObject({ waiting: 1, foreignChanges: 0 });
  expect((await coverageOf(key)) ?? 0).toBeLessThanOrEqual((covered ?? 0) + 1);
  isAway = false;
  await hurry(watcher);
  await watcher.interval();
  expect(await validityOf(key)).toMatchObject({ onChainState: 'REVOKED' });
  await evictDurableObject(signer());
});

it('a full table stops the scan until changes are decided', async () => {
  const key = await anActivePass();
  const watcher = await TestWatcher.begin();
  const { contract } = aStep();
  await runInDurableObject(watcher.object, (_, { storage }) => {
    const changes = new WaitingChanges(storage.sql);
    storage.transactionSync(() => {
      for (let token = 0; token < WAITING_MAX; token += 1)
        changes.add(
          {
            type: 'token',
            change: 'TOKEN_ISSUED',
            token: `${10 ** 9 + token}`,
            contract,
            transaction: '0x',
            at: 2 ** 40,
          },
          0,
        );
    });
  });
  await changedByOther(key, 'freeze');
  await watcher.interval(2);
  expect(await watcher.status()).toMatchObject({
    waiting: WAITING_MAX,
    coveredUntil: 0,
    why: expect.stringContaining('full'),
  });
  await runInDurableObject(watcher.object, (_, { storage }) => {
    storage.sql.exec('DELETE FROM foreign_change WHERE at = ?', 2 ** 40);
  });
  await watcher.interval();
  expect(await validityOf(key)).toMatchObject({ isPending: true });
  expect(await watcher.status()).toMatchObject({ waiting: 1, why: null });
});

describe('a gatekeeper that loses its role', () => {
  it('voids its passes in public checks if the gatekeeper network says so, until it has the role again', async () => {
    const key = await anActivePass();
    const gatekeeper = (await bindings.DB.prepare('SELECT issued_by AS by FROM passes WHERE wallet = ?')
      .bind(key.wallet)
      .first('by')) as `0x${string}`;
    expect(gatekeeper).toMatch(/^0x/);
    const watcher = await TestWatcher.begin();
    await setFeatures(aStep(), 1n);
    try {
      await setGatekeeper(aStep(), gatekeeper, false);
      await watcher.interval();
      expect(await validityOf(key)).toMatchObject({ onChainState: 'ACTIVE', isVoid: true });
      const { gatekeeperNetwork } = key;
      expect((await watcher.status()).removedGatekeepers).toEqual([{ gatekeeperNetwork, gatekeeper }]);
    } finally {
      await setGatekeeper(aStep(), gatekeeper, true);
      await setFeatures(aStep(), 0n);
    }
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isVoid: false });
    expect((await watcher.status()).removedGatekeepers).toEqual([]);
  });
});

it('a pass with a step that waits is not valid from the loss on, and adopts nothing meanwhile', async () => {
  const key = await anActivePass();
  const { ethereum } = inject('localnet').gatekeeper;
  const funds = await callSepolia<string>('eth_getBalance', ethereum, 'latest');
  const watcher = await TestWatcher.begin();
  await callSepolia('anvil_setBalance', ethereum, '0x0');
  try {
    await objectOf(key).update({ client: 'acme', expiry: 1_950_000_000 });
    await deliver(processPass(key));
    await changedByOther(key, 'revoke');
    await mine(2);
    await watcher.interval();
    expect(await validityOf(key)).toMatchObject({ isPending: true });
    expect(await recordOf(key)).toMatchObject({ onChainState: 'ACTIVE' });
    expect(await watcher.status()).toMatchObject({ waiting: 1, foreignChanges: 0 });
  } finally {
    await callSepolia('anvil_setBalance', ethereum, funds);
  }
});

it('an alarm that is lost is set again by the schedule', async () => {
  const watcher = await TestWatcher.begin();
  const alarm = () => runInDurableObject(watcher.object, (_, { storage }) => storage.getAlarm());
  await runInDurableObject(watcher.object, (_, { storage }) => storage.deleteAlarm());
  expect(await alarm()).toBeNull();
  await runSchedule({ cron: '0 * * * *', scheduledTime: Date.now(), noRetry: () => {} }, bindings);
  await eventually(async () => expect(await alarm()).not.toBeNull());
});
