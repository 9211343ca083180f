import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { operationOf } from '../../../tools/openapi/operations.ts';
import { configurePassObject } from '../configure-object.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import { type Api, QUEUE_THAT_FAILS, type Registration, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf, type Result, resultsOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';

/** Each refusal of a single request is also the refusal of an item. */

const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
const gatekeeperNetwork = newGatekeeperNetwork();
vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => void vi.useRealTimers());

const usual = await aPartner({ gatekeeperNetwork, send });
const partnerWith = (more: Partial<Registration>) => aPartner({ gatekeeperNetwork, send, ...more });
type Overrides = Partial<Parameters<typeof aPass>[0]>;
const pass = (overrides: Overrides = {}) => aPass({ gatekeeperNetwork, ...UNSENT, ...overrides });
const noPass = () => aPassKey({ gatekeeperNetwork });
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** Makes a pass that has been changed as often as it may be today. */
async function changedOften(overrides: Overrides = {}): Promise<PassKey> {
  const key = await pass(overrides);
  await runInDurableObject((env as unknown as Env).PASSES.getByName(passName(key)), (_, { storage }) => {
    const day = Math.floor(Date.now() / 86_400_000);
    storage.kv.put('pass', { ...storage.kv.get<object>('pass'), changes: { day, count: 24 } });
  });
  return key;
}

/** Makes a pass whose key is compromised. */
async function ofCompromisedKey(): Promise<PassKey> {
  const [, second = ''] = SOLANA_GATEKEEPERS;
  const key = await pass({ chain: 'solana', signer: `solana/devnet/${second}`, expiry: inSeconds(-60) });
  await configurePassObject(key, { COMPROMISED_GATEKEEPERS: second });
  return key;
}

const withRules = async (rules: object) => {
  const api = await aPartner({ send });
  const answer = await api.patchText('/rules', JSON.stringify(rules));
  expect(answer.status).toBe(200);
  return api;
};

/** Makes a pass of a subject. */
async function ofSubject(subject: string, api: Api & Pick<PassKey, 'gatekeeperNetwork'> = usual): Promise<PassKey> {
  const key = await pass({ gatekeeperNetwork: api.gatekeeperNetwork });
  expect((await api.update(`${key.chain}/${key.network}`, key.wallet, { subject })).status).toBe(200);
  return key;
}

let subjects = 0;

/** Makes a subject with a pass, in that state. */
async function aSubject(state: 'FROZEN' | 'REVOKED'): Promise<string> {
  subjects += 1;
  const subject = `subject-${subjects}`;
  await ofSubject(subject);
  expect((await usual.patchText(`/subjects/${subject}`, JSON.stringify({ state }))).status).toBe(202);
  return subject;
}

interface Situation {
  readonly key: PassKey;
  readonly body?: object;
  readonly api?: Api;
}

const EXPIRED = { expiry: inSeconds(-60) };
const RENEWAL = { expiryTimestamp: inSeconds(3_600) };
const FREEZE = { state: 'FROZEN' };

const ISSUANCES: Readonly<Record<string, () => Promise<Situation>>> = {
  invalid_request: async () => ({ key: noPass(), body: { expiryTimestamp: 1 } }),
  unknown_network: async () => ({ key: { ...noPass(), network: 'holesky' } }),
  invalid_wallet: async () => ({ key: { ...noPass(), wallet: 'none' as PassKey['wallet'] } }),
  network_not_enabled: async () => ({ key: { ...noPass(), network: 'mainnet' } }),
  network_ended: async () => ({ key: { ...noPass(), network: 'polygonZKEVM' } }),
  network_not_allowed: async () => ({ key: noPass(), api: await partnerWith({ networks: ['baseSepolia'] }) }),
  pass_frozen: async () => ({ key: await pass({ state: 'FROZEN' }) }),
  pass_revoked: async () => ({ key: await pass({ state: 'REVOKED' }) }),
  pass_expired: async () => ({ key: await pass(EXPIRED) }),
  expiry_differs: async () => ({ key: await pass({ expiry: inSeconds(60) }), body: RENEWAL }),
  reference_differs: async () => ({ key: await pass(), body: { reference: 'order-4711' } }),
  subject_differs: async () => ({ key: await pass(), body: { subject: 'person' } }),
  subject_required: async () => ({ key: noPass(), api: await withRules({ subjectRequired: true }) }),
  subject_limit_reached: async () => {
    const api = await withRules({ subjectMaxPasses: 1 });
    await ofSubject('full', api);
    return { key: noPass(), body: { subject: 'full' }, api };
  },
  subject_frozen: async () => ({ key: noPass(), body: { subject: await aSubject('FROZEN') } }),
  subject_revoked: async () => ({ key: noPass(), body: { subject: await aSubject('REVOKED') } }),
  issued_by_another_gatekeeper: async () => ({ key: await ofCompromisedKey(), body: RENEWAL }),
  quota_reached: async () => ({ key: noPass(), api: await partnerWith({ dailyIssuances: 0 }) }),
  change_quota_reached: async () => ({
    key: await pass(EXPIRED),
    body: RENEWAL,
    api: await partnerWith({ dailyChanges: 0 }),
  }),
  pass_change_limit_reached: async () => ({ key: await changedOften(EXPIRED), body: RENEWAL }),
};

const CHANGES: typeof ISSUANCES = {
  invalid_request: async () => ({ key: await pass(), body: {} }),
  unknown_network: async () => ({ key: { ...noPass(), network: 'holesky' }, body: FREEZE }),
  invalid_wallet: async () => ({ key: { ...noPass(), wallet: 'none' as PassKey['wallet'] }, body: FREEZE }),
  network_ended: async () => ({ key: { ...noPass(), network: 'polygonZKEVM' }, body: { state: 'ACTIVE' } }),
  pass_not_found: async () => ({ key: noPass(), body: FREEZE }),
  pass_revoked: async () => ({ key: await pass({ state: 'REVOKED' }), body: FREEZE }),
  pass_rejected: async () => ({ key: await pass({ state: 'REJECTED' }), body: FREEZE }),
  subject_differs: async () => ({ key: await ofSubject('one'), body: { subject: 'another' } }),
  subject_required: async () => ({
    key: noPass(),
    body: { subject: null },
    api: await withRules({ subjectRequired: true }),
  }),
  subject_limit_reached: async () => {
    const api = await withRules({ subjectMaxPasses: 1 });
    await ofSubject('full', api);
    return { key: await pass({ gatekeeperNetwork: api.gatekeeperNetwork }), body: { subject: 'full' }, api };
  },
  subject_frozen: async () => ({ key: await pass(), body: { subject: await aSubject('FROZEN') } }),
  subject_revoked: async () => ({ key: await pass(), body: { subject: await aSubject('REVOKED') } }),
  issued_by_another_gatekeeper: async () => ({ key: await pass({ chain: 'solana', foreign: true }), body: FREEZE }),
  change_quota_reached: async () => ({
    key: await pass(),
    body: FREEZE,
    api: await partnerWith({ dailyChanges: 0 }),
  }),
  pass_change_limit_reached: async () => ({ key: await changedOften(), body: FREEZE }),
};

/** `admin-abandon.test.ts` has a signer with waiting work, `sandbox.full.test.ts` a full sandbox, and `room.test.ts` a day without room. */
const ELSEWHERE = ['waiting_limit_reached', 'sandbox_full', 'room_quota_reached'];

const POINTERS: Readonly<Record<string, string>> = { '/chainNetwork': '/chain/network', '/wallet': '/walletAddress' };

/** Returns the problem of a single request in the form of an item's: its pointers lead into the body of the whole request. */
function asItem({ requestId: _, errors, ...problem }: Record<string, unknown>) {
  const fields = errors as { pointer: string; detail: string }[] | undefined;
  const moved = fields?.map(({ pointer, detail }) => ({ pointer: `/items/0${POINTERS[pointer] ?? pointer}`, detail }));
  return { ...problem, ...(moved && { errors: moved }) };
}

const withoutId = ({ problem: { requestId: _, ...problem } = { code: '' } }: Result) => problem;

describe.each([
  { method: 'POST', operationId: 'issuePasses', situations: ISSUANCES },
  { method: 'PATCH', operationId: 'updatePasses', situations: CHANGES },
] as const)('an item of $method /passes', ({ method, operationId, situations }) => {
  it('has a situation for every declared refusal', () => {
    const declared = ['invalid_request', ...(operationOf({ operationId })?.itemRefuses ?? [])].filter(
      (code) => !ELSEWHERE.includes(code),
    );
    expect(Object.keys(situations).toSorted()).toEqual(declared.toSorted());
  });

  it.each(Object.entries(situations))('is refused with %s as a single request is', async (code, arrange) => {
    const { key, body = {}, api = usual } = await arrange();
    const on = `${key.chain}/${key.network}`;
    // Both requests name the seconds until midnight.
    vi.useFakeTimers({ toFake: ['Date'] });
    const [result] = await resultsOf(api, method, [itemOf(key, body)]);
    const single = method === 'POST' ? await api.issue(on, key.wallet, body) : await api.update(on, key.wallet, body);
    const problem = JSON.parse(single.text);
    expect(problem.code).toBe(code);
    expect(withoutId(result as Result)).toEqual(asItem(problem));
    expect(result?.status).toBe(single.status);
    const retryAfter = single.headers.get('retry-after');
    expect(result?.retryAfter).toBe(retryAfter === null ? undefined : Number(retryAfter));
  });
});
