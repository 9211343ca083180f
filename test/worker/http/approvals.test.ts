import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { expectProblem } from '../../problem.ts';
import { anIssuance } from '../audit-object/a-trail.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { Api, register, WITHOUT_LIMITS, workerWith } from './api.ts';
import { ALL_SCOPES, aToken, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aWaitingPass, objectOf } from './waiting-pass.ts';

/** Actions of the operator that wait for a second person. */

const { AUDITS, DB } = env as Env;
const CONSOLE = 'console-admin';
const SETTINGS = { ...TRUSTING, ...WITHOUT_LIMITS, CONSOLE_ADMIN_CLIENT_ID: CONSOLE };
const limited = workerWith({
  ...SETTINGS,
  SECOND_PERSON: '{"withdraw": 0, "abandon": 0, "revocations": 2, "accept_losses": 5}',
});
const person = (sub: string) => anOperator({ client_id: CONSOLE, sub }, limited);
const [ada, bob, machine] = [await person('ada'), await person('bob'), await anOperator({}, limited)];
const trail = () => AUDITS.getByName('operator');

/** Forgets approvals and counts, because all tests share the trail of the operator. */
afterEach(() =>
  runInDurableObject(trail(), (_, { storage: { sql } }) => {
    sql.exec('DELETE FROM begun_action');
    sql.exec('DELETE FROM counted_action');
  }),
);

const reason = 'stolen secret';
const revoke = (of: Api, body: object) => of.post('/admin/revocations', { reason, ...body });
const decide = (of: Api, body: object) => of.post('/admin/approvals', body);
const namesOf = ({ wallet: walletAddress, ...key }: PassKey) => ({ ...key, walletAddress });
const stateOf = async (key: PassKey) => (await objectOf(key).readPublication())?.state;

async function askedFor(answer: { status: number; text: string }): Promise<string> {
  expect(answer.status).toBe(202);
  return JSON.parse(answer.text).approval.id;
}

const listed = async (): Promise<{ id: string }[]> =>
  JSON.parse((await machine.call('GET', '/admin/approvals')).text).approvals;

async function entriesOf(id: string): Promise<AuditEntry[]> {
  const { entries } = await trail().read({ limit: 1_000, newestFirst: true });
  return entries.map(({ text }) => JSON.parse(text) as AuditEntry).filter((each) => JSON.stringify(each).includes(id));
}

async function somePasses(count: number, gatekeeperNetwork: GatekeeperNetwork = newGatekeeperNetwork()) {
  const clientId = newClientId();
  await register({ clientId, gatekeeperNetwork });
  const keys = await Promise.all(Array.from({ length: count }, () => aPass({ gatekeeperNetwork, signer: 'nobody' })));
  return { clientId, gatekeeperNetwork, keys };
}

describe('a revocation above the number', () => {
  it('waits, is confirmed by another person, and then does exactly what was asked for', async () => {
    const { gatekeeperNetwork, keys } = await somePasses(3);
    const id = await askedFor(await revoke(ada, { gatekeeperNetwork }));
    expect(await Promise.all(keys.map(stateOf))).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect(await listed()).toMatchObject([
      {
        id,
        action: 'operator.revoke',
        count: 3,
        askedBy: { client: CONSOLE, sub: 'ada' },
        request: { gatekeeperNetwork, reason },
      },
    ]);
    expectProblem(await revoke(ada, { gatekeeperNetwork, approval: id }), 'approval_not_valid');
    const later = await aPass({ gatekeeperNetwork });
    expect((await decide(bob, { confirm: id })).status).toBe(200);
    const done = await revoke(ada, { gatekeeperNetwork, approval: id });
    expect(JSON.parse(done.text)).toMatchObject({ revoked: 3, next: null });
    expect(await Promise.all([...keys, later].map(stateOf))).toEqual(['REVOKED', 'REVOKED', 'REVOKED', 'ACTIVE']);
    expect(await listed()).toEqual([]);
    expectProblem(await revoke(ada, { gatekeeperNetwork, approval: id }), 'not_found');
    const entries = (await entriesOf(id)).filter(({ action }) => action.startsWith('operator.'));
    expect(entries.map(({ action, actor: { sub }, outcome }) => [action, sub, outcome.type])).toEqual([
      ['operator.revoke', 'ada', 'done'],
      ['operator.decide', 'bob', 'done'],
      ['operator.revoke', 'ada', 'waits'],
    ]);
  });

  it('is decided neither by the person who asked, through whatever client, nor by a program', async () => {
    const { keys } = await somePasses(3);
    const id = await askedFor(await revoke(ada, { passes: keys.map(namesOf) }));
    const elsewhere = workerWith({
      ...SETTINGS,
      CONSOLE_ADMIN_CLIENT_ID: 'console-2',
      SECOND_PERSON: '{"revocations": 2}',
    });
    const adaElsewhere = await anOperator({ client_id: 'console-2', sub: 'ada' }, elsewhere);
    for (const decision of [{ confirm: id }, { reject: id }])
      for (const of of [ada, adaElsewhere, machine])
        expectProblem(await decide(of, decision), 'another_person_required');
    expect(await listed()).toMatchObject([{ id }]);
  });

  it('is not confirmed by the person who asked under a name in another case', async () => {
    const { keys } = await somePasses(3);
    const id = await askedFor(await revoke(ada, { passes: keys.map(namesOf) }));
    expectProblem(await decide(await person('ADA'), { confirm: id }), 'another_person_required');
  });

  it('may be asked for by a program, whose token confirms nothing even if it names a person', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const id = await askedFor(await revoke(machine, body));
    const disguised = await anOperator({ client_id: 'ops', sub: 'bob' }, limited);
    expectProblem(await decide(disguised, { confirm: id }), 'another_person_required');
    await decide(ada, { confirm: id });
    expect(JSON.parse((await revoke(machine, { ...body, approval: id })).text)).toMatchObject({ revoked: 3 });
  });

  it('happens once if it is asked for twice, and is confirmed once by two persons at the same time', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const asked = await Promise.all([revoke(ada, body), revoke(ada, body)]);
    const [id, same] = await Promise.all(asked.map(askedFor));
    expect(same).toBe(id);
    const carol = await person('carol');
    const decisions = await Promise.all([bob, carol].map((of) => decide(of, { confirm: id })));
    expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expectProblem(await decide(bob, { confirm: id }), 'approval_not_valid');
    const done = await Promise.all([1, 2].map(() => revoke(ada, { ...body, approval: id })));
    const revoked = done.map(({ status, text }) => (status === 200 ? JSON.parse(text).revoked : 0));
    expect(revoked[0] + revoked[1]).toBe(3);
  });

  it('is gone once it is rejected', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const id = await askedFor(await revoke(ada, body));
    expect(JSON.parse((await decide(bob, { reject: id })).text)).toMatchObject({ rejected: { id } });
    expectProblem(await decide(bob, { confirm: id }), 'not_found');
    expectProblem(await revoke(ada, { ...body, approval: id }), 'not_found');
    expect(await Promise.all(keys.map(stateOf))).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
  });

  it('is gone if it is rejected after its confirmation', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const id = await askedFor(await revoke(ada, body));
    await decide(bob, { confirm: id });
    expect((await decide(await person('carol'), { reject: id })).status).toBe(200);
    expectProblem(await revoke(ada, { ...body, approval: id }), 'not_found');
    expect(await Promise.all(keys.map(stateOf))).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
  });

  it('concerns no pass that was issued after the request, whatever place a request names', async () => {
    const { gatekeeperNetwork, keys } = await somePasses(3);
    const id = await askedFor(await revoke(ada, { gatekeeperNetwork }));
    await decide(bob, { confirm: id });
    const later = await aPass({ gatekeeperNetwork, signer: 'nobody' });
    const { text } = await revoke(ada, { gatekeeperNetwork, approval: id, after: 'f' });
    expect(JSON.parse(text)).toMatchObject({ revoked: 3, next: null });
    expect(await Promise.all([...keys, later].map(stateOf))).toEqual(['REVOKED', 'REVOKED', 'REVOKED', 'ACTIVE']);
  });

  it('needs nobody for a list that is revoked already, so that a stopped command begins again', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const id = await askedFor(await revoke(ada, body));
    await decide(bob, { confirm: id });
    await revoke(ada, { ...body, approval: id });
    const again = await revoke(ada, body);
    expect([again.status, JSON.parse(again.text)]).toMatchObject([200, { revoked: 0, alreadyRevoked: 3 }]);
  });

  it('ends after 24 hours with an entry, confirmed or not', async () => {
    const { keys } = await somePasses(3);
    const body = { passes: keys.map(namesOf) };
    const id = await askedFor(await revoke(ada, body));
    await decide(bob, { confirm: id });
    await runInDurableObject(trail(), (_, { storage: { sql } }) => {
      sql.exec('UPDATE begun_action SET until_ms = ?', Date.now() - 1);
    });
    expectProblem(await revoke(ada, { ...body, approval: id }), 'not_found');
    await runDurableObjectAlarm(trail());
    expect((await entriesOf(id))[0]).toMatchObject({
      key: `${id}/expired`,
      actor: { sub: 'ada' },
      outcome: { type: 'expired' },
    });
  });

  it('is refused with another request than the one that was confirmed', async () => {
    const { keys } = await somePasses(4);
    const passes = keys.slice(0, 3).map(namesOf);
    const id = await askedFor(await revoke(ada, { passes }));
    await decide(bob, { confirm: id });
    const wider = { passes: keys.map(namesOf), approval: id };
    expectProblem(await revoke(ada, wider), 'approval_not_valid');
    expectProblem(await revoke(ada, { passes, reason: 'another', approval: id }), 'approval_not_valid');
    expect(await Promise.all(keys.map(stateOf))).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ACTIVE']);
  });

  it('is refused with the approval of another action, even if its request has the same fields', async () => {
    const key = await aWaitingPass();
    const body = { gatekeeperNetwork: key.gatekeeperNetwork, reason };
    const id = await askedFor(await ada.post('/admin/withdraw', body));
    await decide(bob, { confirm: id });
    expectProblem(await revoke(ada, { ...body, approval: id }), 'approval_not_valid');
    expect(await stateOf(key)).toBe('REQUESTED');
    expect((await ada.post('/admin/withdraw', { ...body, approval: id })).status).toBe(202);
  });

  it('is refused if it concerns more than was confirmed, because older passes were published late', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const hidden = await aPass({ gatekeeperNetwork, ...UNSENT });
    await somePasses(3, gatekeeperNetwork);
    const id = await askedFor(await revoke(ada, { gatekeeperNetwork }));
    await decide(bob, { confirm: id });
    const row = await objectOf(hidden).readPublication();
    if (row === undefined) throw new Error('no pass');
    await publishPasses(DB, [row]);
    expectProblem(await revoke(ada, { gatekeeperNetwork, approval: id }), 'approval_not_valid');
    expect(await stateOf(hidden)).toBe('ACTIVE');
  });

  it('concerns all passes that a client issued before the request, page by page, and none after it', async () => {
    const { clientId: client, gatekeeperNetwork, keys } = await somePasses(2);
    const [last, later] = keys as [PassKey, PassKey];
    const now = Math.floor(Date.now() / 1000);
    const withoutPass = Array<PassKey>(1_000).fill(aPassKey({ gatekeeperNetwork }));
    const issue = (issued: readonly PassKey[], second: number) =>
      AUDITS.getByName(gatekeeperNetwork).append(issued.map((key) => anIssuance(key, client, second)));
    await issue([...withoutPass, last], now - 1);
    const body = { client, from: now - 60, to: now + 600 };
    const id = await askedFor(await revoke(ada, body));
    expect(await listed()).toMatchObject([{ id, count: 1_001 }]);
    await issue([later], now + 60);
    await decide(bob, { confirm: id });
    const slices: { revoked: number; skipped: number; next: string | null }[] = [];
    do {
      const after = slices.at(-1)?.next ?? undefined;
      const { status, text } = await revoke(ada, { ...body, approval: id, after });
      expect(status, text).toBe(200);
      slices.push(JSON.parse(text));
    } while (slices.at(-1)?.next !== null);
    const sum = (name: 'revoked' | 'skipped') => slices.reduce((total, slice) => total + slice[name], 0);
    expect([slices.length, sum('revoked'), sum('skipped')]).toEqual([6, 1, 1_000]);
    expect(await Promise.all([last, later].map(stateOf))).toEqual(['REVOKED', 'ACTIVE']);
    expect(await listed()).toEqual([]);
  });
});

describe('the number', () => {
  it('lets as many go ahead within a day, however they are divided, and never counts a dry run', async () => {
    const { gatekeeperNetwork, keys } = await somePasses(3);
    const [first, second, third] = keys.map((key) => ({ passes: [namesOf(key)] }));
    expect((await revoke(ada, { gatekeeperNetwork, dryRun: true })).status).toBe(200);
    expect((await revoke(ada, first as object)).status).toBe(200);
    expect((await revoke(machine, second as object)).status).toBe(200);
    await askedFor(await revoke(bob, third as object));
  });

  it('holds for requests at the same time', async () => {
    const { keys } = await somePasses(5);
    const answers = await Promise.all(keys.map((key) => revoke(ada, { passes: [namesOf(key)] })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await Promise.all(keys.map(stateOf))).filter((state) => state === 'REVOKED')).toHaveLength(2);
  });

  it('concerns nothing if the deployment has none', async () => {
    const { keys } = await somePasses(3);
    const free = await anOperator({}, workerWith(SETTINGS));
    expect((await revoke(free, { passes: keys.map(namesOf) })).status).toBe(200);
  });

  it.each([
    ['withdraw', ({ gatekeeperNetwork }: PassKey) => ({ gatekeeperNetwork })],
    ['abandon', ({ gatekeeperNetwork, chain, network }: PassKey) => ({ gatekeeperNetwork, chain, network })],
  ])('also concerns %s', async (action, bodyOf) => {
    const key = await aWaitingPass();
    const body = bodyOf(key);
    const id = await askedFor(await ada.post(`/admin/${action}`, body));
    expect(await stateOf(key)).toBe('REQUESTED');
    await decide(bob, { confirm: id });
    const done = await ada.post(`/admin/${action}`, { ...body, approval: id });
    expect([done.status, Object.values(JSON.parse(done.text))]).toEqual([202, [1, 0, false]]);
  });

  /** Has a new run hold these numbers of losses. Returns the pair of each, and the end of the run. */
  async function heldLosses(...losses: readonly number[]) {
    const begin = `
      INSERT INTO runs (kind, subject, started, updated) VALUES ('reconciliation', '', 1, 1)
      ON CONFLICT DO UPDATE SET run = run + 1 RETURNING run`;
    const run = await DB.prepare(begin).first<number>('run');
    const held =
      'INSERT INTO absences (run, gatekeeper_network, network, compared, absent, held) VALUES (?, ?, ?, 100, ?, 1)';
    const bodies = losses.map(() => ({ accept: { gatekeeperNetwork: newGatekeeperNetwork(), network: 'sepolia' } }));
    for (const [index, { accept }] of bodies.entries())
      await DB.prepare(held).bind(run, accept.gatekeeperNetwork, accept.network, losses[index]).run();
    const end = () => DB.exec('DELETE FROM runs');
    return { bodies, end };
  }
  const accept = (body: object | undefined) => ada.post('/admin/reconciliation', { ...body });

  it('also concerns accepting losses', async () => {
    const { bodies, end } = await heldLosses(9);
    const [body] = bodies;
    const id = await askedFor(await accept(body));
    await decide(bob, { confirm: id });
    const { status, text } = await accept({ ...body, approval: id });
    expect([status, JSON.parse(text)]).toEqual([200, { accepted: body?.accept }]);
    expectProblem(await accept({ ...body, approval: id }), 'not_found');
    await end();
  });

  it('counts the accepted losses of all pairs within a day together, and those that were confirmed not at all', async () => {
    const { bodies, end } = await heldLosses(3, 4, 2, 1);
    const [three, four, two, one] = bodies;
    expect((await accept(three)).status).toBe(200);
    expectProblem(await accept(three), 'not_found');
    const id = await askedFor(await accept(four));
    await decide(bob, { confirm: id });
    expectProblem(await accept({ ...two, approval: id }), 'approval_not_valid');
    expect((await accept({ ...four, approval: id })).status).toBe(200);
    expect((await accept(two)).status).toBe(200);
    await askedFor(await accept(one));
    await end();
  });

  it.each([
    ['neither', {}],
    ['both', { confirm: 'a', reject: 'a' }],
  ])('needs a decision: %s is refused', async (_, body) => {
    expectProblem(await decide(ada, body), 'invalid_request');
  });
});

describe('rights over passes that exist', () => {
  const UNLIMITED = { networks: null, dailyIssuances: null, dailyChanges: null };
  const strict = workerWith({ ...SETTINGS, SECOND_PERSON: '{"revocations": 0}' });
  const acting = (sub: string) => anOperator({ client_id: CONSOLE, sub }, strict);
  const add = (of: Api, gatekeeperNetwork: GatekeeperNetwork, clientId = newClientId()) =>
    of.post('/admin/partners', { clientId, name: 'mine', gatekeeperNetwork, ...UNLIMITED });
  const patch = (of: Api, at: string, body: object) => of.patchText(at, JSON.stringify(body));
  const path = (clientId: string) => `/admin/partners/${clientId}`;
  const row = (clientId: string, gatekeeper_network: string, changes: object = {}) => ({
    ...{ client_id: clientId, name: 'x', gatekeeper_network, networks: null, pass_lifetime_seconds: null },
    ...{ daily_issuances: null, daily_changes: null, organization: null, status: 'active', created_at: 1, ...changes },
  });
  const importRows = (of: Api, ...partners: ReturnType<typeof row>[]) => {
    const keys = [...new Set(partners.map(({ gatekeeper_network: key }) => key))];
    const networks = keys.map((key) => ({ key, shard: 'DB', public_verify: 0, contracts: '{}' }));
    return of.post('/admin/partners/import', { gatekeeper_networks: networks, partners });
  };
  const registered = async (clientId: string) => {
    const { text } = await machine.call('GET', path(clientId));
    return JSON.parse(text) as { code?: string; organization?: string | null; status?: string };
  };

  it('are given to a new client of a gatekeeper network by two persons, so that one cannot revoke as a partner', async () => {
    const [one, other] = [await acting('ada'), await acting('bob')];
    const { gatekeeperNetwork, keys } = await somePasses(5);
    const clientId = newClientId();
    const asked = await add(one, gatekeeperNetwork, clientId);
    const id = await askedFor(asked);
    expect(await registered(clientId)).toMatchObject({ code: 'partner_not_found' });
    const asPartner = new Api(await aToken({ client_id: clientId, scope: ALL_SCOPES }), strict);
    const items = keys.map(({ chain, network, wallet }) => ({
      chain: { type: chain, network },
      walletAddress: wallet,
      state: 'REVOKED',
    }));
    expectProblem(await patch(asPartner, '/passes', { items }), 'client_unknown');
    expect(await Promise.all(keys.map(stateOf))).toEqual(keys.map(() => 'ACTIVE'));
    expectProblem(await decide(one, { confirm: id }), 'another_person_required');
    expect((await decide(other, { confirm: id })).status).toBe(200);
    const [{ request }] = JSON.parse((await machine.call('GET', '/admin/approvals')).text).approvals;
    expect((await one.post('/admin/partners', { ...request, approval: id })).status).toBe(201);
    expect(await registered(clientId)).toMatchObject({ gatekeeperNetwork, status: 'active' });
  });

  it.each<
    [name: string, give: (of: Api, client: string, network: GatekeeperNetwork) => Promise<Answer>, before: object]
  >([
    ['an organization', (of, client) => patch(of, path(client), { organization: `org of ${client}` }), {}],
    [
      'another organization',
      (of, client) => patch(of, path(client), { organization: `org of ${client}` }),
      { organization: 'old' },
    ],
    ['the end of a suspension', (of, client) => patch(of, path(client), { status: 'active' }), { status: 'suspended' }],
    ['an import of a new client', (of, _, key) => importRows(of, row(newClientId(), key)), {}],
    [
      'an import with an organization',
      (of, client, key) => importRows(of, row(client, key, { organization: `o ${client}` })),
      {},
    ],
    [
      'an import that ends a suspension',
      (of, client, key) => importRows(of, row(client, key)),
      { status: 'suspended' },
    ],
    [
      'an import that moves a client into the gatekeeper network',
      async (of, _, key) => {
        const mine = newClientId();
        await register({ clientId: mine, gatekeeperNetwork: newGatekeeperNetwork() });
        return importRows(of, row(mine, key));
      },
      {},
    ],
  ])('need another person: %s', async (_, give, before) => {
    const { clientId, gatekeeperNetwork } = await somePasses(1);
    await importRows(await anOperator({}, workerWith(SETTINGS)), row(clientId, gatekeeperNetwork, before));
    const first = await registered(clientId);
    const id = await askedFor(await give(await acting('ada'), clientId, gatekeeperNetwork));
    expect(await registered(clientId)).toEqual(first);
    expect(await listed()).toMatchObject([{ id, count: 1 }]);
  });

  it('are confirmed for one client alone', async () => {
    const [one, other] = [await acting('ada'), await acting('bob')];
    const [first, second] = [await somePasses(1), await somePasses(1)];
    const body = { organization: `org ${first.clientId}` };
    const id = await askedFor(await patch(one, path(first.clientId), body));
    await decide(other, { confirm: id });
    expectProblem(await patch(one, path(second.clientId), { ...body, approval: id }), 'approval_not_valid');
    const { status, text } = await patch(one, path(first.clientId), { ...body, approval: id });
    expect([status, JSON.parse(text).organization]).toEqual([200, body.organization]);
  });

  it('are not what a new gatekeeper network, a sandbox, a limit or a suspension gives: these need nobody', async () => {
    const one = await acting('ada');
    const { clientId, gatekeeperNetwork } = await somePasses(1);
    expect((await add(one, newGatekeeperNetwork())).status).toBe(201);
    const sandbox = { name: 'box', sandbox: true, ...UNLIMITED };
    const { text } = await one.post('/admin/partners', { clientId: newClientId(), ...sandbox });
    const { gatekeeperNetwork: key } = JSON.parse(text);
    const further = { clientId: newClientId(), gatekeeperNetwork: key, ...sandbox };
    expect((await one.post('/admin/partners', further)).status).toBe(201);
    const change = { dailyChanges: 7, organization: null, status: 'suspended' };
    expect((await patch(one, path(clientId), change)).status).toBe(200);
    const same = row(clientId, gatekeeperNetwork, { status: 'suspended', daily_changes: 9 });
    expect((await importRows(one, same, row(newClientId(), newGatekeeperNetwork()))).status).toBe(200);
    expect(await listed()).toEqual([]);
  });
});
