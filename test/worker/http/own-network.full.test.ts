import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { IS_VOID } from '../../../src/store/validity.ts';
import type { Ran } from '../store/recorder.ts';
import { aPass, aPassKey } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { Api, QUEUE_THAT_FAILS, register, WITHOUT_LIMITS } from './api.ts';
import { findForeignAccess } from './foreign-access.ts';
import { aToken, newClientId, newGatekeeperNetwork } from './issuer.ts';
import { forget, RECORDED, recordedWorker, UNRECORDED } from './recorded-bindings.ts';
import { callsAbout, nameOf, sendCall } from './route-calls.ts';

/** No query reaches D1 or an object without the gatekeeper network of the partner. */

const network = newGatekeeperNetwork();
const ours = { clientId: newClientId(), gatekeeperNetwork: network };
const theirs = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork() };
const suspended = { clientId: newClientId(), gatekeeperNetwork: network, status: 'suspended' } as const;
for (const row of [ours, theirs, suspended]) await register(row);

const { send, uses } = recordedWorker({ ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const us = new Api(await aToken({ client_id: ours.clientId }), send);
const scopeless = await aToken({ client_id: ours.clientId, scope: 'admin' });
const operators = await aToken({ client_id: ours.clientId, aud: inject('localnet').operator.audience });
const FIND_PARTNER = expect.stringMatching(
  /^\s*SELECT [\w, ]+\s+FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network WHERE client_id = [?]$/,
);
const known = await aPass({ gatekeeperNetwork: network });
beforeEach(() => forget(uses));

/**
 * The kinds of statements and calls that partners' requests made. The tests do not cover a kind that is missing here.
 */
const seen = new Set<string>();
const see = () => {
  for (const { sql } of uses.statements) {
    seen.add(`D1 ${/(?:FROM|INTO|UPDATE) (?!json_each)(\w+)/.exec(sql.replaceAll(IS_VOID, '1'))?.[1]}`);
    if (sql.includes(IS_VOID)) seen.add('D1 removed_gatekeepers');
  }
  for (const { namespace, method } of uses.calls) seen.add(`${namespace} ${method}`);
  if (uses.messages.length > 0) seen.add('PASS_QUEUE');
};

const subjects: [string, () => Promise<PassKey>][] = [
  ['a pass on ethereum', () => aPass({ gatekeeperNetwork: network })],
  ['a pass on solana', () => aPass({ gatekeeperNetwork: network, chain: 'solana' })],
  ['a pass that D1 does not have', () => aPass({ gatekeeperNetwork: network, place: 'object' })],
  ['a frozen pass', () => aPass({ gatekeeperNetwork: network, state: 'FROZEN' })],
  ['a revoked pass', () => aPass({ gatekeeperNetwork: network, state: 'REVOKED' })],
  ['a wallet without a pass', async () => aPassKey({ gatekeeperNetwork: network })],
  ['a pass of another gatekeeper network', () => aPass({ gatekeeperNetwork: theirs.gatekeeperNetwork })],
];

it.each(subjects)('uses only the rows and objects of the partner in every request about %s', async (_, key) => {
  for (const call of callsAbout(await key())) {
    forget(uses);
    expect((await sendCall(us, call)).status, nameOf(call.route)).not.toBe(403);
    expect(findForeignAccess(uses, ours), `${nameOf(call.route)} ${call.body}`).toEqual([]);
    expect(uses.calls.length + uses.statements.length, nameOf(call.route)).toBeGreaterThan(0);
    see();
  }
});

it('uses only the rows and objects of the partner while it waits for a pass', async () => {
  for (const { wallet } of [known, await aPass({ gatekeeperNetwork: theirs.gatekeeperNetwork })]) {
    forget(uses);
    await us.call('GET', `/pass/ethereum/sepolia/${wallet}`, { headers: { prefer: 'wait=1' } });
    expect(findForeignAccess(uses, ours)).toEqual([]);
    see();
  }
});

it('covers every binding and method that a request of a partner can use', () => {
  const pass = [
    'adopt',
    'awaitSettlement',
    'hurry',
    'issue',
    'markPublished',
    'readOnChain',
    'repairRow',
    'update',
  ].map((method) => `PASSES ${method}`);
  const signers = ['SIGNERS countWaitingSteps', 'SIGNERS readPasses'];
  const webhooks = [
    ...['change', 'create', 'deliveriesAfter', 'read', 'remove', 'replay', 'rotateSecret', 'sendTest', 'wake'],
  ].map((method) => `WEBHOOKS ${method}`);
  expect([...seen].toSorted()).toEqual([
    'AUDITS begin',
    'AUDITS conclude',
    'AUDITS read',
    'D1 events',
    'D1 feeds',
    'D1 gatekeeper_networks',
    'D1 moves',
    'D1 partners',
    'D1 passes',
    'D1 removed_gatekeepers',
    'D1 usage',
    ...pass,
    'PASS_QUEUE',
    ...['countChange', 'countPass', 'usedToday'].map((method) => `QUOTAS ${method}`),
    ...signers,
    ...['change', 'issue', 'read', 'update'].map((method) => `SUBJECTS ${method}`),
    ...webhooks,
  ]);
});

it.each([
  ['a caller without a token', undefined],
  ['a caller with an invalid token', 'rubbish'],
  ['a partner without the scope', scopeless],
  ['an operator', operators],
])('uses no binding for %s', async (_, token) => {
  for (const call of callsAbout(known)) {
    expect((await sendCall(new Api(token, send), call)).status).toBeGreaterThanOrEqual(401);
  }
  expect(uses).toEqual({ statements: [], calls: [], messages: [] });
});

it.each([
  ['a client that is no partner', newClientId()],
  ['a suspended partner', suspended.clientId],
])('reads only the row of its own client for %s', async (_, clientId) => {
  const api = new Api(await aToken({ client_id: clientId }), send);
  for (const call of callsAbout(known)) expect((await sendCall(api, call)).status).toBe(403);
  expect(uses).toMatchObject({ calls: [], messages: [] });
  expect(uses.statements).not.toEqual([]);
  for (const { sql, values } of uses.statements) expect([sql, values]).toEqual([FIND_PARTNER, [clientId]]);
});

it.each([
  ['chain', 'bitcoin'],
  ['network', 'holesky'],
  ['wallet', 'none'],
])('uses nothing beyond the row of the partner for a wrong %s', async (part, wrong) => {
  const key = { ...known, [part]: wrong };
  for (const call of callsAbout(key).filter(({ path, body }) => `${path}${body}`.includes(wrong))) {
    const { status, text } = await sendCall(us, call);
    // A bulk request has the problem of each item in its results.
    const statuses = status === 200 ? JSON.parse(text).results.map((result: Answer) => result.status) : [status];
    expect(new Set(statuses), nameOf(call.route)).toEqual(new Set([400]));
  }
  expect(uses).toMatchObject({ calls: [], messages: [] });
  for (const { sql } of uses.statements) expect(sql).toBe(FIND_PARTNER);
});

it('records or exempts every binding of the Worker', () => {
  const own = (name: string) => name !== 'MIGRATIONS' && !name.startsWith('__VITEST');
  const bindings = Object.entries(env).filter(([name, value]) => typeof value !== 'string' && own(name));
  expect(bindings.map(([name]) => name).toSorted()).toEqual([...RECORDED, ...UNRECORDED].toSorted());
});

describe('the check itself', () => {
  const { gatekeeperNetwork } = ours;
  const meta = {} as Ran['meta'];
  const straysOf = (used: Partial<typeof uses>) =>
    findForeignAccess({ statements: [], calls: [], messages: [], ...used }, ours);

  /** Returns rows of our gatekeeper network, and rows of the given networks. */
  const rows = (...others: string[]) => JSON.stringify([gatekeeperNetwork, ...others].map((each) => ['wallet', each]));

  it.each<[string, ...unknown[]]>([
    ['SELECT record FROM passes'],
    ['SELECT record FROM passes WHERE wallet = ?', 'wallet'],
    ['SELECT record FROM passes WHERE gatekeeper_network = ?', theirs.gatekeeperNetwork],
    ['SELECT record FROM passes WHERE wallet = ? AND gatekeeper_network = ?', gatekeeperNetwork, 'wallet'],
    ['SELECT record FROM passes WHERE wallet = ?2 AND gatekeeper_network = ?2', gatekeeperNetwork, 'wallet'],
    ['SELECT record FROM passes WHERE gatekeeper_network = ? OR wallet = ?', gatekeeperNetwork, 'wallet'],
    ['SELECT record FROM passes WHERE NOT gatekeeper_network = ?', gatekeeperNetwork],
    ['SELECT record FROM passes WHERE gatekeeper_network <> ?', gatekeeperNetwork],
    ['SELECT gatekeeper_network = ? FROM passes', gatekeeperNetwork],
    ['SELECT 1 FROM passes JOIN partners WHERE gatekeeper_network = ?', gatekeeperNetwork],
    ['SELECT 1 FROM unsettled WHERE gatekeeper_network = ?', gatekeeperNetwork],
    ['SELECT name FROM partners WHERE client_id = ?', theirs.clientId],
    ['UPDATE passes SET gatekeeper_network = ?', gatekeeperNetwork],
    ['DELETE FROM passes'],
    ['INSERT INTO passes (gatekeeper_network) VALUES (?)', gatekeeperNetwork],
    ['INSERT INTO passes (wallet, gatekeeper_network) SELECT value ->> 0, value ->> 1 FROM json_each(?)', rows('x')],
    ['INSERT INTO passes (wallet, gatekeeper_network) SELECT value ->> 1, value ->> 0 FROM json_each(?)', rows()],
    ['PRAGMA table_list'],
  ])('reports the statement %s', (sql, ...values) =>
    expect(straysOf({ statements: [{ sql, values, meta }] })).toHaveLength(1),
  );

  const other = { gatekeeperNetwork: theirs.gatekeeperNetwork };
  it.each([
    { namespace: 'PASSES', name: `${other.gatekeeperNetwork}/ethereum`, method: 'read', args: [] },
    { namespace: 'PASSES', name: 'ethereum', method: 'readPublication', args: [] },
    { namespace: 'PASSES', name: `${gatekeeperNetwork}/x`, method: 'issue', args: [{ key: other }] },
    { namespace: 'SIGNERS', name: 'ethereum', method: 'status', args: [] },
    { namespace: 'SIGNERS', name: 'ethereum', method: 'readPasses', args: [[{ key: ours }, { key: other }]] },
    { namespace: 'SIGNERS', name: 'ethereum', method: 'readPasses', args: [[{ key: {} }]] },
    { namespace: 'QUOTAS', name: theirs.clientId, method: 'countPass', args: [] },
  ])('reports a call of $method on $namespace $name with $args', (call) =>
    expect(straysOf({ calls: [call] })).toHaveLength(1),
  );

  it.each([{ kind: 'process-pass' }, { kind: 'process-pass', pass: other }])('reports the message %j', (message) =>
    expect(straysOf({ messages: [message] })).toHaveLength(1),
  );
});
