import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { reconcileFirst } from '../../../src/store/reconciliations.ts';
import { openStore } from '../../../src/store/store.ts';
import { expectProblem } from '../../problem.ts';
import { SECOND, second } from '../setup/second-database.ts';
import { late, UnreliableDatabase } from '../store/unreliable.ts';
import { QUEUE_THAT_FAILS, workerWith } from './api.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { jsonOf, lastEntry } from './managed-partners.ts';
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

it('moves the passes of a partner, which notices nothing', async () => {
  const api = await aPartner({ send });
  const { gatekeeperNetwork } = api;
  const [wallet, another] = [aWallet(), aWallet()];
  const issued = await api.issue(SEPOLIA, wallet);
  const body = { gatekeeperNetwork, to: SECOND, reason: 'DB fills up' };
  const { text } = await operator.post('/admin/moves', body);
  const base = { gatekeeperNetwork, from: 'DB', to: SECOND, events: 0 };
  expect(JSON.parse(text)).toMatchObject({ ...base, phase: 'done', passes: 1 });
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([0, 1]);
  expect(await lastEntry()).toMatchObject({
    action: 'operator.move_network',
    target: { gatekeeperNetwork, to: SECOND },
    after: { phase: 'done' },
    reason: 'DB fills up',
    outcome: { type: 'done', counts: { passes: 1 } },
  });
  // The isolate still remembers the old database of the partner, and the pass object has it stored.
  expect((await api.search({})).records.map(({ id }) => id)).toEqual([issued.record.id]);
  expect((await api.fetch(SEPOLIA, wallet)).record).toEqual(issued.record);
  expect((await api.update(SEPOLIA, wallet, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
  expect((await api.fetch(SEPOLIA, wallet)).record.state).toBe('FROZEN');
  await api.issue(SEPOLIA, another);
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet: another } as PassKey;
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  expect((await api.search({})).records).toHaveLength(2);
  expect([await countIn(DB, gatekeeperNetwork), await countIn(second, gatekeeperNetwork)]).toEqual([0, 2]);
  expect((await api.call('GET', '/events')).status).toBe(200);
  expect((await api.call('GET', '/usage')).status).toBe(200);
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toEqual({ moves: [] });
  expectProblem(await operator.post('/admin/moves', { gatekeeperNetwork, to: 'DB' }), 'invalid_request', {
    pointer: '/to',
  });
});

it('accepts a pass while the last rows move, and writes its row later', async () => {
  const api = await aPartner({ send });
  const { gatekeeperNetwork } = api;
  const wallet = aWallet();
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toMatchObject({
    moves: [{ gatekeeperNetwork, to: SECOND }],
  });
  const freeze = (until: string) => DB.prepare(`UPDATE departures SET frozen_until = ${until}`).run();
  await freeze('unixepoch() + 3600');
  expect((await api.issue(SEPOLIA, wallet)).status).toBe(202);
  expect((await api.fetch(SEPOLIA, wallet)).record.state).toBe('REQUESTED');
  expect(await countIn(DB, gatekeeperNetwork)).toBe(0);
  await freeze('0');
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet } as PassKey;
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  expect(await countIn(DB, gatekeeperNetwork)).toBe(1);
  const canceled = await operator.post('/admin/moves', { gatekeeperNetwork, to: SECOND, cancel: true });
  expect(jsonOf(canceled)).toMatchObject({ phase: 'canceled' });
  expect((await api.fetch(SEPOLIA, wallet)).status).toBe(200);
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
  const moved = slowOperator.post('/admin/moves', { gatekeeperNetwork, to: SECOND });
  expect(jsonOf(await moved)).toMatchObject({ phase: 'done' });
  expect((await api.search({})).records.map(({ id }) => id)).toEqual([record.id]);
});

it('refuses to move a sandbox, whose erased passes would come back, and ends a move that has switched', async () => {
  const { gatekeeperNetwork } = await aPartner({ send, gatekeeperNetwork: newSandbox() });
  const move = (body: object = {}) => operator.post('/admin/moves', { gatekeeperNetwork, to: SECOND, ...body });
  expectProblem(await move(), 'invalid_request', { pointer: '/gatekeeperNetwork' });
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toEqual({ moves: [] });
  // A release before this rule has begun it.
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  expectProblem(await move(), 'invalid_request', { pointer: '/gatekeeperNetwork' });
  expect(jsonOf(await move({ cancel: true }))).toMatchObject({ phase: 'canceled' });
  await openStore(env).moveNetwork({ gatekeeperNetwork, to: SECOND }, 0);
  await DB.prepare('UPDATE gatekeeper_networks SET shard = ?2 WHERE key = ?1').bind(gatekeeperNetwork, SECOND).run();
  expect((await move()).status).toBe(200);
});

it('begins no move while the reconciliation reads the passes of a network with a gap, and continues one that has begun', async () => {
  const [begun, other] = [await aPartner({ send }), await aPartner({ send })];
  const move = ({ gatekeeperNetwork }: typeof begun) =>
    operator.post('/admin/moves', { gatekeeperNetwork, to: SECOND });
  await openStore(env).moveNetwork({ gatekeeperNetwork: begun.gatekeeperNetwork, to: SECOND }, 0);
  await reconcileFirst(DB, 'sepolia', Date.now());
  expectProblem(await move(other), 'temporarily_unavailable', { detail: /missed changes/, retryAfter: '60' });
  expect(jsonOf(await operator.call('GET', '/admin/moves'))).toMatchObject({
    moves: [{ gatekeeperNetwork: begun.gatekeeperNetwork }],
  });
  expect(jsonOf(await move(begun))).toMatchObject({ phase: 'done' });
  await DB.exec('DELETE FROM reconciliations');
  expect(jsonOf(await move(other))).toMatchObject({ phase: 'done' });
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
