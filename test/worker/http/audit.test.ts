import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { type AuditEntry, hashOf, OPERATOR_TRAIL } from '../../../src/audit/entry.ts';
import type { BegunEntry } from '../../../src/audit-object/begun-actions.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { withOwnTimers } from '../own-timers.ts';
import { aPass } from './a-pass.ts';
import type { Answer } from './answer.ts';
import { Api, type Send, workerWith } from './api.ts';
import { aPartner, aToken, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { aWallet } from './wallets.ts';

/** The audit trail over HTTP: its readers, the changes with an entry, and requests without the trail. */

const { AUDITS } = env as Env;
const CONSOLE = 'console-app';
const SETTINGS = {
  ...TRUSTING,
  CONSOLE_CLIENT_ID: CONSOLE,
  CONSOLE_ADMIN_CLIENT_ID: 'console-admin',
  CONSOLE_PARTNER_CLAIM: 'org_id',
};
const withConsole = workerWith(SETTINGS);
const SEPOLIA = 'ethereum/sepolia';

type Shown = AuditEntry & { readonly sequence: number; readonly hash: string };
interface Page {
  readonly entries: readonly Shown[];
  readonly next: number;
  readonly more: boolean;
  readonly head: { readonly sequence: number; readonly hash: string };
}

const pageOf = async (api: Api, path: string): Promise<Page> => {
  const { status, text } = await api.call('GET', path);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};
const actionsOf = async (api: Api, query = '') =>
  (await pageOf(api, `/audit${query}`)).entries.map(({ action }) => action);
const trailOf = async (name: string) =>
  (await AUDITS.getByName(name).read({ limit: 1_000 })).entries.map(({ text }) => JSON.parse(text) as Shown);

/** A Worker whose trails do not answer. */
function withoutTrail(mode: 'refuses' | 'hangs' = 'refuses', onCall = () => {}): Send {
  const fail = () => {
    onCall();
    return mode === 'hangs' ? new Promise<never>(() => {}) : Promise.reject(new Error('the trail is away'));
  };
  const trail = { begin: fail, conclude: fail, append: fail, read: fail };
  return workerWith({ ...SETTINGS, AUDITS: { getByName: () => trail } });
}

/** A trail that takes the begin of an action, and never its end. */
function endless(onEnd: () => void) {
  return (name: string) => ({
    begin: (entry: BegunEntry) => AUDITS.getByName(name).begin(entry),
    conclude: () => {
      onEnd();
      return new Promise<never>(() => {});
    },
  });
}

/** Returns the answer to a request whose trail hangs, on a simulated clock that moves once by this time when the trail was asked. */
function answerAfter(ms: number, isAsked: () => boolean, request: () => Promise<Answer>): Promise<Answer> {
  return withOwnTimers(async () => {
    const answering = request();
    while (!isAsked()) await scheduler.wait(1);
    await vi.advanceTimersByTimeAsync(ms);
    return answering;
  });
}

/** A trail that stores the begin of an action, and whose answer is lost. */
function unheard(name: string) {
  return {
    begin: async (entry: BegunEntry) => {
      await AUDITS.getByName(name).begin(entry);
      throw new Error('the answer is lost');
    },
    conclude: (...end: Parameters<ReturnType<typeof AUDITS.getByName>['conclude']>) =>
      AUDITS.getByName(name).conclude(...end),
  };
}

/** Returns the number of begun actions with that key. */
const begunIn = (name: string, key: string) =>
  runInDurableObject(AUDITS.getByName(name), (_, { storage }) =>
    Number(storage.sql.exec('SELECT count(*) AS n FROM begun_action WHERE key = ?', key).one().n),
  );

vi.spyOn(console, 'error').mockReturnValue();

describe('GET /audit', () => {
  it('shows who changed a pass, by which request, and why, to its gatekeeper network alone', async () => {
    const [ours, theirs] = [await aPartner(), await aPartner()];
    const wallet = aWallet();
    const issued = await ours.issue(SEPOLIA, wallet);
    const at = `/pass/${SEPOLIA}/${wallet}`;
    const frozen = await ours.patchText(at, JSON.stringify({ state: 'FROZEN', reason: 'case 4711' }));
    const revoked = await ours.call('DELETE', `${at}?reason=fraud`);
    await eventually(async () => expect(await actionsOf(ours)).toHaveLength(3));
    const { entries, head } = await pageOf(ours, `/audit?pass=${SEPOLIA}/${wallet}`);
    expect(entries).toMatchObject([
      { action: 'pass.issue', requestId: issued.headers.get('x-request-id'), actor: { client: ours.clientId } },
      { action: 'pass.freeze', requestId: frozen.headers.get('x-request-id'), reason: 'case 4711' },
      { action: 'pass.revoke', requestId: revoked.headers.get('x-request-id'), reason: 'fraud' },
    ]);
    for (const { hash, ...entry } of entries) expect(hashOf(JSON.stringify(entry))).toBe(hash);
    expect(head).toEqual({ sequence: 3, hash: entries[2]?.hash });
    const { id } = JSON.parse(issued.text);
    expect(await actionsOf(ours, `?pass=${id}&order=newest&limit=1`)).toEqual(['pass.revoke']);
    expect(await actionsOf(ours, '?action=pass.freeze&from=2020-01-01')).toEqual(['pass.freeze']);
    expect(await actionsOf(ours, '?to=2020-01-01')).toEqual([]);
    expect(await actionsOf(ours, '?client=nobody')).toEqual([]);
    expect(await actionsOf(theirs)).toEqual([]);
    expect(await actionsOf(theirs, `?pass=${id}`)).toEqual([]);
    expectProblem(await theirs.call('GET', `/audit?pass=${SEPOLIA}/${wallet}`), 'pass_not_found');
    const { text } = await (await anOperator()).call('GET', `/admin/audit?trail=${ours.gatekeeperNetwork}`);
    expect(JSON.parse(text).entries).toEqual(entries);
  });

  it('names the request in the events of the record', async () => {
    const ours = await aPartner();
    const issued = await ours.issue(SEPOLIA, aWallet());
    expect(JSON.parse(issued.text).events).toMatchObject([{ requestId: issued.headers.get('x-request-id') }]);
  });

  it('has one entry for each item of a bulk request that changed something', async () => {
    const ours = await aPartner();
    const { gatekeeperNetwork } = ours;
    const active = await aPass({ gatekeeperNetwork });
    const items = [active, active, await aPass({ gatekeeperNetwork, state: 'FROZEN' })].map(({ wallet }) => ({
      chain: { type: 'ethereum', network: 'sepolia' },
      walletAddress: wallet,
      state: 'FROZEN',
      reason: 'sweep',
    }));
    const answer = await ours.patchText('/passes', JSON.stringify({ items }));
    const requestId = answer.headers.get('x-request-id');
    const ofRequest = async () => {
      const { entries } = await pageOf(ours, '/audit?limit=50');
      return entries.filter((entry) => entry.requestId === requestId);
    };
    await eventually(async () => expect(await ofRequest()).not.toEqual([]));
    expect(await ofRequest()).toMatchObject([{ action: 'pass.freeze', reason: 'sweep' }]);
  });

  it('shows a partner nothing of another trail by any place, client or action', async () => {
    const [ours, theirs] = [await aPartner(), await aPartner()];
    const wallet = aWallet();
    await theirs.issue(SEPOLIA, wallet);
    await theirs.call('DELETE', `/pass/${SEPOLIA}/${wallet}`);
    await eventually(async () => expect(await actionsOf(theirs)).toHaveLength(2));
    const nothing = { entries: [], more: false, head: { sequence: 0, hash: '' } };
    for (const query of ['?after=0', '?after=1&order=newest', `?client=${theirs.clientId}`, '?action=pass.issue'])
      expect(await pageOf(ours, `/audit${query}`)).toMatchObject(nothing);
  });

  it.each([
    ['?pass=x', '/pass'],
    ['?from=yesterday', '/from'],
    ['?from=2026-13-01', '/from'],
    ['?order=random', '/order'],
    ['?limit=1001', '/limit'],
    ['?trail=operator', '/trail'],
  ])('refuses %s', async (query, pointer) => {
    expectProblem(await (await aPartner()).call('GET', `/audit${query}`), 'invalid_request', { pointer });
  });
});

describe('a reason', () => {
  it.each([
    ['with the state ACTIVE', { state: 'ACTIVE', reason: 'x' }],
    ['without a state', { expiryTimestamp: 4_000_000_000, reason: 'x' }],
    ['alone', { reason: 'x' }],
    ['that is empty', { state: 'FROZEN', reason: '' }],
    ['that is too long', { state: 'FROZEN', reason: 'x'.repeat(201) }],
    ['with a line break', { state: 'FROZEN', reason: 'a\nb' }],
    ['with a control character', { state: 'FROZEN', reason: 'a\u009b31m' }],
    ['with a mark of the direction', { state: 'FROZEN', reason: 'a\u202eb' }],
    ['with half a letter', { state: 'FROZEN', reason: 'a\ud800' }],
    ['of 200 letters that are two units each', { state: 'FROZEN', reason: '\u{1f512}'.repeat(200) }],
  ])('is refused %s', async (_, body) => {
    const ours = await aPartner();
    const answer = await ours.patchText(`/pass/${SEPOLIA}/${aWallet()}`, JSON.stringify(body));
    expectProblem(answer, 'invalid_request');
    expectProblem(await ours.call('DELETE', `/pass/${SEPOLIA}/${aWallet()}?reason=`), 'invalid_request');
  });
});

describe('a reason in the trail', () => {
  it('is the text that the partner sent, whatever markup it has', async () => {
    const ours = await aPartner();
    const { wallet } = await aPass({ gatekeeperNetwork: ours.gatekeeperNetwork });
    const reason = `</script><img src=x onerror=alert(1)>"=1+1'${'\u{1f512}'.repeat(60)}`;
    await ours.patchText(`/pass/${SEPOLIA}/${wallet}`, JSON.stringify({ state: 'FROZEN', reason }));
    await eventually(async () =>
      expect((await pageOf(ours, '/audit?order=newest&limit=1')).entries).toMatchObject([{ reason }]),
    );
  });
});

describe('an action', () => {
  it('whose end the trail does not take answers within seconds, and its outcome stays unknown', async () => {
    let hasEnded = false;
    const getByName = endless(() => {
      hasEnded = true;
    });
    const operator = await anOperator({}, workerWith({ ...SETTINGS, AUDITS: { getByName } }));
    const report = { command: 'restore', environment: 'staging' };
    const answer = await answerAfter(
      10_000,
      () => hasEnded,
      () => operator.post('/admin/audit', report),
    );
    expect(answer.status).toBe(201);
    const { recorded } = JSON.parse(answer.text);
    await runInDurableObject(AUDITS.getByName(OPERATOR_TRAIL), (object, { storage }) => {
      storage.sql.exec('UPDATE begun_action SET until_ms = 1 WHERE key = ?', recorded);
      return object.alarm();
    });
    expect((await trailOf(OPERATOR_TRAIL)).filter(({ key }) => key === recorded)).toMatchObject([
      { action: 'operator.command', outcome: { type: 'unknown' } },
    ]);
  });

  it('that is refused because the answer of the trail is lost gets no entry', async () => {
    const { clientId, gatekeeperNetwork } = await aPartner();
    const ours = new Api(
      await aToken({ client_id: clientId }),
      workerWith({ ...SETTINGS, AUDITS: { getByName: unheard } }),
    );
    const refused = await ours.post('/webhooks', { url: 'http://127.0.0.1:1/' });
    expectProblem(refused, 'temporarily_unavailable');
    const requestId = refused.headers.get('x-request-id') ?? '';
    await eventually(async () => expect(await begunIn(gatekeeperNetwork, requestId)).toBe(0));
    expect(await trailOf(gatekeeperNetwork)).toEqual([]);
  });

  it('has an entry of less than 4 kB, however long its input is', async () => {
    const operator = await anOperator();
    const texts = Array.from({ length: 50 }, (_, n) => `${n}`.padStart(200, 'x'));
    const report = { command: 'restore', environment: 'staging', arguments: texts };
    const { recorded } = JSON.parse((await operator.post('/admin/audit', report)).text);
    const [entry] = (await trailOf(OPERATOR_TRAIL)).filter(({ key }) => key === recorded);
    const list = { length: 50, sha256: hashOf(JSON.stringify(texts)) };
    expect(entry?.target).toEqual({ command: 'restore', environment: 'staging', arguments: list });
    expect(JSON.stringify(entry).length).toBeLessThan(4_000);
  });
});

describe('the entries of webhooks', () => {
  it('are made for each change, without a secret and without the path of the URL', async () => {
    const ours = await aPartner();
    const created = await ours.post('/webhooks', { url: 'http://127.0.0.1:1/token-4711', description: 'd' });
    const { id, secret } = JSON.parse(created.text);
    await ours.patchText(`/webhooks/${id}`, JSON.stringify({ status: 'disabled' }));
    const rotated = await ours.call('POST', `/webhooks/${id}/rotate-secret`);
    await ours.call('DELETE', `/webhooks/${id}`);
    expectProblem(await ours.call('DELETE', `/webhooks/${id}`), 'webhook_not_found');
    expect(await actionsOf(ours)).toEqual([
      'webhook.create',
      'webhook.change',
      'webhook.rotate_secret',
      'webhook.delete',
    ]);
    const { text } = await ours.call('GET', '/audit');
    for (const hidden of [secret, JSON.parse(rotated.text).secret, 'token-4711']) expect(text).not.toContain(hidden);
    expect(JSON.parse(text).entries[0]).toMatchObject({
      requestId: created.headers.get('x-request-id'),
      target: { url: 'http://127.0.0.1:1' },
      after: { webhook: id },
    });
  });

  it('are a condition: without the trail, no webhook changes', async () => {
    const ours = await aPartner();
    const { clientId } = ours;
    const alone = new Api(await aToken({ client_id: clientId }), withoutTrail());
    expectProblem(await alone.post('/webhooks', { url: 'http://127.0.0.1:1/' }), 'temporarily_unavailable');
    expect(JSON.parse((await ours.call('GET', '/webhooks')).text)).toEqual({ webhooks: [] });
  });
});

describe('a sign-in', () => {
  it('is the first request with a token of a person, and has one entry', async () => {
    const organization = `org-${crypto.randomUUID()}`;
    const machine = await aPartner({ organization });
    const token = await aToken({ client_id: CONSOLE, sub: 'alice', org_id: organization });
    const person = new Api(token, withConsole);
    await Promise.all([person.search({}), person.search({}), person.search({})]);
    await new Api(token, workerWith(SETTINGS)).search({});
    await machine.search({});
    // A request waits for the entry for a second only.
    await eventually(async () =>
      expect(await trailOf(machine.gatekeeperNetwork)).toMatchObject([
        { key: `sign-in/${hashOf(token)}`, action: 'console.sign_in', actor: { client: CONSOLE, sub: 'alice' } },
      ]),
    );
    expect(JSON.stringify(await trailOf(machine.gatekeeperNetwork))).not.toContain(token);
  });

  it('of an operator is in the trail of the operator', async () => {
    const sub = crypto.randomUUID();
    const person = await anOperator({ client_id: 'console-admin', sub }, withConsole);
    await person.call('GET', '/admin/stuck');
    const query = 'client=console-admin&action=console.sign_in&order=newest';
    // Operators of other files sign in too.
    await eventually(async () => {
      const { entries } = await pageOf(person, `/admin/audit?${query}`);
      expect(entries.filter(({ actor }) => actor?.sub === sub)).toHaveLength(1);
    });
  });

  it.each(['refuses', 'hangs'] as const)(
    'delays a request for a second if the trail %s, and is not lost',
    async (mode) => {
      const organization = `org-${crypto.randomUUID()}`;
      const { gatekeeperNetwork } = await aPartner({ organization });
      const token = await aToken({ client_id: CONSOLE, sub: 'bob', org_id: organization });
      let isAsked = false;
      const person = new Api(
        token,
        withoutTrail(mode, () => {
          isAsked = true;
        }),
      );
      const answer = await answerAfter(
        1_000,
        () => isAsked,
        () => person.search({}),
      );
      expect(answer.status).toBe(200);
      expect(await trailOf(gatekeeperNetwork)).toEqual([]);
      await new Api(token, withConsole).search({});
      await eventually(async () =>
        expect(await trailOf(gatekeeperNetwork)).toMatchObject([{ action: 'console.sign_in', actor: { sub: 'bob' } }]),
      );
    },
  );
});

describe('a command of the operator', () => {
  it('has an entry', async () => {
    const operator = await anOperator();
    const report = { command: 'restore', environment: 'staging', arguments: ['--shard', 'DB_1'], reason: 'case 4711' };
    const answer = await operator.post('/admin/audit', report);
    expect(answer.status).toBe(201);
    const { recorded } = JSON.parse(answer.text);
    const { reason, ...target } = report;
    const entries = (await trailOf(OPERATOR_TRAIL)).filter(({ key }) => key === recorded);
    expect(entries).toMatchObject([{ action: 'operator.command', target, reason, actor: { client: 'ops' } }]);
  });
});
