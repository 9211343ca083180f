import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterAll, expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { openStore } from '../../../src/store/store.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { late, UnreliableDatabase } from '../store/unreliable.ts';
import { QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { jsonOf, lastEntry } from './managed-partners.ts';
import { moveAll } from './move-all.ts';
import { anOperator } from './operator.ts';
import { aWallet } from './wallets.ts';

/** `/admin/moves`, and what a partner notices of it. */

const { DB, PASSES } = env as unknown as Env;
const SEPOLIA = 'ethereum/sepolia';
const send = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS });
const operator = await anOperator({}, send);
vi.spyOn(console, 'error').mockReturnValue();
const countIn = (db: D1Database, gatekeeperNetwork: string) =>
  db.prepare('SELECT count(*) AS n FROM passes WHERE gatekeeper_network = ?').bind(gatekeeperNetwork).first('n');

// The reconciliation waits after a move.
afterAll(() => Promise.all([DB, second].map((db) => db.exec('DELETE FROM moves'))));

it('moves the passes of a partner, which notices nothing', async () => {
  const api = await aPartner({ send });
  const { gatekeeperNetwork } = api;
  const [wallet, another] = [aWallet(), aWallet()];
  const issued = await api.issue(SEPOLIA, wallet);
  const body = { gatekeeperNetwork, to: SECOND, reason: 'DB fills up' };
  const base = { gatekeeperNetwork, from: 'DB', to: SECOND, events: 0, passes: 1 };
  let text = '';
  do ({ text } = await operator.post('/admin/moves', body));
  while (JSON.parse(text).phase !== 'settle');
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toMatchObject({ moves: [base] });

  // Publications wait. Requests are accepted, and answers show them.
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet: another } as PassKey;
  expect((await api.issue(SEPOLIA, another)).status).toBe(202);
  expect((await api.fetch(SEPOLIA, another)).record.state).toBe('REQUESTED');
  expect((await api.search({})).records.map(({ id }) => id)).toEqual([issued.record.id]);
  expect((await api.call('GET', '/events')).status).toBe(200);
  expect((await api.call('GET', '/webhooks')).status).toBe(200);
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([1, 1]);

  expect(jsonOf(await moveAll(body, operator))).toMatchObject({ ...base, phase: 'done' });
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([0, 1]);
  expect(await lastEntry()).toMatchObject({
    action: 'operator.move_network',
    target: { gatekeeperNetwork, to: SECOND },
    after: { phase: 'done' },
    reason: 'DB fills up',
    outcome: { type: 'done', counts: { passes: 1 } },
  });
  expect((await api.fetch(SEPOLIA, wallet)).record).toEqual(issued.record);
  expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
  expect((await api.fetch(SEPOLIA, wallet)).record.state).toBe('FROZEN');
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  expect((await api.search({})).records).toHaveLength(2);
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([0, 2]);
  expect((await api.call('GET', '/usage')).status).toBe(200);
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toEqual({ moves: [] });
  expect(jsonOf(await moveAll({ gatekeeperNetwork, to: 'DB' }, operator))).toMatchObject({ phase: 'done', passes: 2 });
  expect((await api.search({})).records).toHaveLength(2);
});

it('cancels a move, and the passes are published at once', async () => {
  const api = await aPartner({ send });
  const { gatekeeperNetwork } = api;
  const wallet = aWallet();
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
  expect(await countIn(DB, gatekeeperNetwork)).toBe(0);
  const canceled = await operator.post('/admin/moves', { gatekeeperNetwork, to: SECOND, cancel: true });
  expect(jsonOf(canceled)).toMatchObject({ phase: 'canceled' });
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as PassKey;
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  expect(await countIn(DB, gatekeeperNetwork)).toBe(1);
});

it('keeps an erased pass of a sandbox away, which is erased after the move', async () => {
  const api = await aPartner({ send, gatekeeperNetwork: newSandbox() });
  const { gatekeeperNetwork } = api;
  const wallet = aWallet();
  await api.issue(SEPOLIA, wallet);
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as PassKey;
  const object = PASSES.getByName(passName(key));
  // The pass is revoked first, and published.
  expect(await object.erase()).toBe(false);
  await runDurableObjectAlarm(object);
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  expect(await object.erase()).toBe(false);
  await moveAll({ gatekeeperNetwork, to: SECOND }, operator);
  await eventually(async () => {
    await runDurableObjectAlarm(object);
    expect(await object.erase()).toBe(true);
  });
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([0, 0]);
});

it('waits for a slow slice, and other requests do not fail because of it', async () => {
  const slow = new UnreliableDatabase();
  const sendSlowly = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS, DB: slow.asD1 });
  const api = await aPartner({ send: sendSlowly });
  const { gatekeeperNetwork } = api;
  const { record } = await api.issue(SEPOLIA, aWallet());
  const slowOperator = await anOperator({}, sendSlowly);
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  // Requests of partners wait for two seconds. The second statement reads the slice.
  let statements = 0;
  slow.manner = (work) => {
    statements += 1;
    return statements === 2 ? late(2_100)(work) : work();
  };
  const moved = moveAll({ gatekeeperNetwork, to: SECOND }, slowOperator);
  expect(jsonOf(await moved)).toMatchObject({ phase: 'done' });
  expect((await api.search({})).records.map(({ id }) => id)).toEqual([record.id]);
});

it('refuses a gatekeeper network that no partner has, a database that is not bound, and a move that does not exist', async () => {
  const { gatekeeperNetwork } = await aPartner({ send });
  const refused = (body: object) => operator.post('/admin/moves', body);
  const unknown = await refused({ gatekeeperNetwork: newGatekeeperNetwork(), to: SECOND });
  expectProblem(unknown, 'gatekeeper_network_not_found');
  for (const body of [
    { gatekeeperNetwork, to: 'DB_9' },
    { gatekeeperNetwork, to: 'DB' },
    { gatekeeperNetwork, to: SECOND, cancel: true },
  ])
    expectProblem(await refused(body), 'invalid_request', { pointer: '/to' });
  expectProblem(await refused({ gatekeeperNetwork }), 'invalid_request', { pointer: '/to' });
  const full = await anOperator({}, workerWith({ ...TRUSTING, DATABASE_MAX_BYTES: '1' }));
  expectProblem(await full.post('/admin/moves', { gatekeeperNetwork, to: SECOND }), 'temporarily_unavailable', {
    detail: /no room/,
  });
});
