import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../src/audit/entry.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { anIssuance } from '../audit-object/a-trail.ts';
import { holdAlarms } from '../without-alarms.ts';
import { aPass, aPassKey, UNSENT } from './a-pass.ts';
import { register, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';
import { objectOf } from './waiting-pass.ts';

/** The operator revokes passes. */

const { AUDITS } = env as Env;
const ops = await anOperator({}, workerWith({ ...TRUSTING, ...WITHOUT_LIMITS }));

const reason = 'stolen secret';

async function revoke(body: object, of = ops) {
  const answer = await of.post('/admin/revocations', { reason, ...body });
  expect(answer.text).not.toContain('problem');
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text);
}

/** Sends the request until it is done, and returns the sums. */
async function revokeAll(body: object) {
  const sum = { revoked: 0, alreadyRevoked: 0, skipped: 0, failed: 0, requests: 0 };
  for (let after: string | undefined; ; ) {
    const slice = await revoke({ ...body, ...(after && { after }) });
    for (const name of ['revoked', 'alreadyRevoked', 'skipped', 'failed'] as const) sum[name] += slice[name];
    sum.requests += 1;
    if (slice.next === null) return sum;
    after = slice.next;
  }
}

const namesOf = ({ wallet: walletAddress, ...key }: PassKey) => ({ ...key, walletAddress });
const recordOf = async (key: PassKey) => JSON.parse((await objectOf(key).readPublication())?.record ?? '{}');
const stateOf = async (key: PassKey) => (await recordOf(key)).state;

async function aNetwork(): Promise<GatekeeperNetwork> {
  const gatekeeperNetwork = newGatekeeperNetwork();
  await register({ clientId: newClientId(), gatekeeperNetwork });
  return gatekeeperNetwork;
}

describe('POST /admin/revocations', () => {
  it('revokes a list of passes for good, in every state, and counts those before', async () => {
    const gatekeeperNetwork = await aNetwork();
    const states = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'] as const;
    const keys: PassKey[] = [];
    for (const state of states) keys.push(await aPass({ gatekeeperNetwork, state, ...UNSENT }));
    const missing = aPassKey({ gatekeeperNetwork });
    const passes = [...keys, missing].map(namesOf);
    expect(await revoke({ passes })).toMatchObject({ revoked: 5, alreadyRevoked: 0, skipped: 1, failed: 0 });
    expect(await Promise.all(keys.map(stateOf))).toEqual(states.map(() => 'REVOKED'));
    expect(await objectOf(missing).readPublication()).toBeUndefined();
    expect(await revoke({ passes })).toMatchObject({ revoked: 0, alreadyRevoked: 5, skipped: 1 });
    const partner = await aPartner({ gatekeeperNetwork });
    for (const key of keys) expectProblem(await partner.issue('ethereum/sepolia', key.wallet), 'pass_revoked');
  });

  it('counts by network and state in a dry run, and changes nothing', async () => {
    const gatekeeperNetwork = await aNetwork();
    const active = await aPass({ gatekeeperNetwork });
    const revoked = await aPass({ gatekeeperNetwork, state: 'REVOKED' });
    const onSolana = await aPass({ gatekeeperNetwork, chain: 'solana', state: 'FROZEN' });
    const before = await Promise.all([active, revoked, onSolana].map(recordOf));
    const counted = await revoke({ gatekeeperNetwork, dryRun: true });
    expect(counted).toMatchObject({ dryRun: true, revoked: 2, alreadyRevoked: 1, skipped: 0, next: null });
    expect(new Set(counted.passes)).toEqual(
      new Set([
        { network: 'sepolia', state: 'ACTIVE', count: 1 },
        { network: 'sepolia', state: 'REVOKED', count: 1 },
        { network: 'devnet', state: 'FROZEN', count: 1 },
      ]),
    );
    const missing = namesOf(aPassKey({ gatekeeperNetwork }));
    expect(await revoke({ wallets: [missing], dryRun: true })).toMatchObject({ revoked: 1, skipped: 0 });
    expect(await Promise.all([active, revoked, onSolana].map(recordOf))).toEqual(before);
  });

  it('revokes all passes of a gatekeeper network in slices, and no others, also if two operators do it at once', async () => {
    const gatekeeperNetwork = await aNetwork();
    const keys = await Promise.all(
      Array.from({ length: 450 }, () => aPass({ gatekeeperNetwork, signer: 'ethereum/sepolia/nobody' })),
    );
    const other = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    // A first request ends after its first slice, as if it was killed.
    const { next } = await revoke({ gatekeeperNetwork });
    expect(next).not.toBeNull();
    const sums = await Promise.all([revokeAll({ gatekeeperNetwork }), revokeAll({ gatekeeperNetwork })]);
    expect(sums.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(250);
    for (const { revoked, alreadyRevoked, failed } of sums)
      expect([revoked + alreadyRevoked, failed]).toEqual([450, 0]);
    expect(new Set(await Promise.all(keys.map(stateOf)))).toEqual(new Set(['REVOKED']));
    expect(await stateOf(other)).toBe('ACTIVE');
    // On a busy machine, the 450 objects take minutes.
  }, 600_000);

  it('revokes the passes that a client issued between two times, and no others, even if the client is suspended', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const [client, other] = [newClientId(), newClientId()];
    await register({ clientId: client, gatekeeperNetwork, status: 'suspended' });
    await register({ clientId: other, gatekeeperNetwork });
    const [before, first, last, after, ofOther] = (await Promise.all(
      Array.from({ length: 5 }, () => aPass({ gatekeeperNetwork })),
    )) as [PassKey, PassKey, PassKey, PassKey, PassKey];
    const [from, to] = [1_700_000_000, 1_700_003_600];
    await AUDITS.getByName(gatekeeperNetwork).append([
      anIssuance(before, client, from - 1),
      anIssuance(first, client, from),
      anIssuance(ofOther, other, from + 1),
      anIssuance(last, client, to),
      anIssuance(after, client, to + 1),
    ]);
    expect(await revokeAll({ client, from, to })).toMatchObject({ revoked: 2, failed: 0 });
    expect(await Promise.all([before, first, last, after, ofOther].map(stateOf))).toEqual([
      'ACTIVE',
      'REVOKED',
      'REVOKED',
      'ACTIVE',
      'ACTIVE',
    ]);
  });

  it('gives a wallet without a pass one that wants to be revoked and that no step ever issues', async () => {
    const gatekeeperNetwork = await aNetwork();
    const keys = [aPassKey({ gatekeeperNetwork }), aPassKey({ gatekeeperNetwork, chain: 'solana' })];
    const wallets = keys.map(namesOf);
    const releaseAlarms = holdAlarms();
    const both = await Promise.all([revoke({ wallets }), revoke({ wallets })]);
    expect(both.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(2);
    for (const key of keys) {
      const pinned = await objectOf(key).pinStep();
      expect(pinned).toMatchObject({ step: { kind: 'revoke', rank: 0 } });
      await objectOf(key).recordAnswers([
        { step: pinned?.step?.id ?? '', revision: 1, status: { type: 'found', onChain: { state: 'NONE', asOf: 1 } } },
      ]);
      const { isSettled, publication } = (await objectOf(key).inspect()) ?? {};
      expect([isSettled, publication?.state]).toEqual([true, 'REVOKED']);
      expect((await recordOf(key)).events.map(({ eventType }: { eventType: string }) => eventType)).toEqual([
        'TOKEN_REVOKED_INITIATED',
        'TOKEN_REVOKED',
      ]);
    }
    releaseAlarms();
  });

  it('leaves a wallet alone that has a pass, unless the pass is revoked', async () => {
    const gatekeeperNetwork = await aNetwork();
    const [active, revoked] = [
      await aPass({ gatekeeperNetwork }),
      await aPass({ gatekeeperNetwork, state: 'REVOKED' }),
    ];
    const wallets = [active, revoked, aPassKey({ gatekeeperNetwork })].map(namesOf);
    expect(await revoke({ wallets, dryRun: true })).toMatchObject({ revoked: 1, alreadyRevoked: 1, skipped: 1 });
    // Others seem to have revoked that pass. The operator's revocation makes it final.
    expect(await revoke({ wallets })).toMatchObject({ revoked: 2, alreadyRevoked: 0, skipped: 1 });
    expect(await revoke({ wallets })).toMatchObject({ revoked: 0, alreadyRevoked: 2, skipped: 1 });
    expect(await stateOf(active)).toBe('ACTIVE');
  });

  it('revokes a pass whose issuance is under way after that issuance', async () => {
    const gatekeeperNetwork = await aNetwork();
    const key = await aPass({ gatekeeperNetwork, state: 'REQUESTED', ...UNSENT });
    const step = (await objectOf(key).inspect())?.step;
    expect(await revoke({ passes: [namesOf(key)] })).toMatchObject({ revoked: 1 });
    await objectOf(key).recordAnswers([
      {
        step: step?.id ?? '',
        revision: 2,
        status: { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE', asOf: 5 } },
      },
    ]);
    expect(await objectOf(key).pinStep()).toMatchObject({ step: { kind: 'revoke' } });
  });

  it('fails for a wallet whose gatekeeper network has no partner, and revokes the others', async () => {
    const gatekeeperNetwork = await aNetwork();
    const [key, stranger] = [aPassKey({ gatekeeperNetwork }), aPassKey({ gatekeeperNetwork: newGatekeeperNetwork() })];
    const counts = await revoke({ wallets: [key, stranger].map(namesOf) });
    expect(counts).toMatchObject({ revoked: 1, failed: 1 });
  });

  it('leaves an entry with the reason and the counts in the trail of the operator for each request', async () => {
    const gatekeeperNetwork = await aNetwork();
    await aPass({ gatekeeperNetwork });
    const why = `ticket ${crypto.randomUUID()}`;
    await revoke({ gatekeeperNetwork, reason: why });
    const { entries } = await AUDITS.getByName('operator').read({ limit: 100, newestFirst: true });
    const entry = entries.map(({ text }) => JSON.parse(text) as AuditEntry).find((each) => each.reason === why);
    expect(entry).toMatchObject({
      action: 'operator.revoke',
      target: { gatekeeperNetwork },
      outcome: { type: 'done', counts: { revoked: 1, failed: 0 } },
    });
  });

  it('finds the passes that a client really issued, and names the operator, the request and the reason in the entry of each', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const [thief, other] = [await aPartner({ gatekeeperNetwork }), await aPartner({ gatekeeperNetwork })];
    const [stolen, own] = [aPassKey({ gatekeeperNetwork }), aPassKey({ gatekeeperNetwork })];
    const from = Math.floor(Date.now() / 1000);
    await thief.issue('ethereum/sepolia', stolen.wallet);
    await other.issue('ethereum/sepolia', own.wallet);
    const trail = AUDITS.getByName(gatekeeperNetwork);
    await eventually(async () => expect((await trail.read({ limit: 10 })).entries).toHaveLength(2));
    const body = { client: thief.clientId, from, to: from + 600, reason: 'the secret was stolen' };
    const answer = await ops.post('/admin/revocations', body);
    expect(JSON.parse(answer.text)).toMatchObject({ revoked: 1 });
    expect([await stateOf(stolen), await stateOf(own)]).toEqual(['REVOKED', 'REQUESTED']);
    await eventually(async () => expect((await trail.read({ limit: 10 })).entries).toHaveLength(3));
    const { entries } = await trail.read({ limit: 1, newestFirst: true });
    expect(JSON.parse(entries[0]?.text ?? '')).toMatchObject({
      action: 'pass.revoke',
      actor: { client: 'ops' },
      requestId: answer.headers.get('x-request-id'),
      reason: 'the secret was stolen',
      target: { walletAddress: stolen.wallet },
    });
    // The entry of a wallet without a pass is no issuance, so that no later revocation selects it.
    await revoke({ wallets: [namesOf(aPassKey({ gatekeeperNetwork }))] });
    await eventually(async () =>
      expect((await trail.read({ limit: 10, action: 'pass.revoke' })).entries).toHaveLength(2),
    );
  });

  const aKey = { ...namesOf(aPassKey({ gatekeeperNetwork: newGatekeeperNetwork() })) };
  it.each([
    ['no selection', {}],
    ['two selections', { client: 'acme', from: 1, to: 2, gatekeeperNetwork: aKey.gatekeeperNetwork }],
    ['a client without times', { client: 'acme' }],
    ['times in the wrong order', { client: 'acme', from: 2, to: 1 }],
    ['times without a client', { gatekeeperNetwork: aKey.gatekeeperNetwork, from: 1, to: 2 }],
    ['an unknown client', { client: 'nobody-at-all', from: 1, to: 2 }],
    ['a gatekeeper network without a partner', { gatekeeperNetwork: aKey.gatekeeperNetwork }],
    ['an empty list', { passes: [] }],
    ['a list that is too long', { passes: Array.from({ length: 201 }, () => aKey) }],
    ['no reason', { passes: [aKey], reason: undefined }],
    ['an empty reason', { passes: [aKey], reason: '' }],
    ['a reason with a line break', { passes: [aKey], reason: 'a\nb' }],
  ])('refuses %s', async (_, body) => {
    expectProblem(await ops.post('/admin/revocations', { reason, ...body }), 'invalid_request');
  });

  it('refuses an unknown network and a malformed wallet, and says which', async () => {
    const unknown = await ops.post('/admin/revocations', { reason, passes: [aKey, { ...aKey, network: 'moon' }] });
    expect(expectProblem(unknown, 'unknown_network')).toMatchObject({ errors: [{ pointer: '/passes/1/network' }] });
    const bad = await ops.post('/admin/revocations', { reason, wallets: [{ ...aKey, walletAddress: '0x1' }] });
    expect(expectProblem(bad, 'invalid_wallet')).toMatchObject({ errors: [{ pointer: '/wallets/0/walletAddress' }] });
  });

  it('revokes a list of passes while the database does not answer', async () => {
    const key = await aPass({ gatekeeperNetwork: newGatekeeperNetwork(), ...UNSENT });
    const without = await anOperator({}, workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, CLOSED_SHARDS: 'DB DB_1' }));
    expect(await revoke({ passes: [namesOf(key)] }, without)).toMatchObject({ revoked: 1, failed: 0 });
    expect(await stateOf(key)).toBe('REVOKED');
  });
});
