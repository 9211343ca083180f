import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { formatSignerName } from '../../../src/network/network.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { expectProblem } from '../../problem.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { workerWith } from './api.ts';
import { itemOf, resultsOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { operator } from './operator.ts';
import { aWaitingPass, objectOf, SEPOLIA, sepoliaKey } from './waiting-pass.ts';
import { aWallet } from './wallets.ts';

/** The operator ends waiting work, and the service limits waiting work. */

const { SIGNERS } = env as Env;
const ops = await operator();

describe('POST /admin/abandon', () => {
  const abandon = async (body: object, of = ops): Promise<{ abandoned: number; signed: number; more: boolean }> => {
    const { status, text } = await of.post('/admin/abandon', { chain: 'ethereum', network: 'sepolia', ...body });
    expect(status).toBe(202);
    return JSON.parse(text);
  };

  it('ends the waiting issuances of one gatekeeper network as REJECTED, and ends no other issuance, however often it is called', async () => {
    const [key, other] = [await aWaitingPass(), await aWaitingPass()];
    const { gatekeeperNetwork } = key;
    expect(await abandon({ gatekeeperNetwork })).toEqual({ abandoned: 1, signed: 0, more: false });
    expect(await abandon({ gatekeeperNetwork })).toEqual({ abandoned: 0, signed: 0, more: false });
    const recordIn = async (of: PassKey) => JSON.parse((await objectOf(of).readPublication())?.record ?? '{}');
    await eventually(async () => expect(await recordIn(key)).toMatchObject({ state: 'REJECTED' }));
    const { events } = await recordIn(key);
    expect(events.at(-1)).toMatchObject({ eventType: 'TOKEN_ISSUED_FAILED', reason: 'abandoned' });
    expect(await recordIn(other)).toMatchObject({ state: 'REQUESTED' });
  });

  it('ends issuances in slices, and counts and keeps the issuances that have signed bytes', async () => {
    const name = formatSignerName('ethereum', 'sepolia', `0x${'a1'.repeat(20)}`);
    const closed = SIGNERS.getByName(name);
    const gatekeeperNetwork = newGatekeeperNetwork();
    const add = (count: number, column: string, value: string) =>
      runInDurableObject(closed, (_, { storage: { sql } }) => {
        for (let n = 0; n < count; n += 1) {
          sql.exec(
            `INSERT INTO step (id, seq, gatekeeper_network, wallet, contract, kind, rank, not_before, status, revision, answer, ${column})
             VALUES (?, ?, ?, ?, 'contract', 'issue', 1, 0, ?, 1, '{"type":"waiting"}', ?)`,
            `${crypto.randomUUID()}:1`,
            n,
            gatekeeperNetwork,
            aWallet(),
            column === 'signed' ? 'signed' : 'waiting',
            value,
          );
        }
      });
    await add(7, 'wait', 'nodes-behind');
    await add(2, 'signed', '[]');
    await add(1, 'may_be_signed', '1');
    const first = await closed.endWaitingSteps({ kinds: ['issue'], gatekeeperNetwork: gatekeeperNetwork }, 5);
    expect([first.ended.length, first.waiting, first.signed]).toEqual([5, 2, 3]);
    const second = await closed.endWaitingSteps({ kinds: ['issue'], gatekeeperNetwork: gatekeeperNetwork }, 5);
    expect([second.ended.length, second.waiting, second.signed]).toEqual([2, 0, 3]);
    const third = await closed.endWaitingSteps({ kinds: ['issue'], gatekeeperNetwork: undefined }, 5);
    expect([third.ended.length, third.waiting, third.signed]).toEqual([0, 0, 3]);
  });

  it('lets a partner request an abandoned pass again', async () => {
    const key = await aWaitingPass();
    await abandon({ gatekeeperNetwork: key.gatekeeperNetwork });
    const state = async () => JSON.parse((await objectOf(key).readPublication())?.record ?? '{}').state;
    await eventually(async () => expect(await state()).toBe('REJECTED'));
    await (await aPartner({ gatekeeperNetwork: key.gatekeeperNetwork })).issue(SEPOLIA, key.wallet);
    expect(await state()).toBe('REQUESTED');
  });

  it('refuses a network of another chain', async () => {
    const body = { chain: 'solana', network: 'sepolia' };
    expectProblem(await ops.post('/admin/abandon', body), 'unknown_network');
  });
});

describe('POST /admin/withdraw', () => {
  const withdraw = async (body: object): Promise<{ withdrawn: number; signed: number; more: boolean }> => {
    const { status, text } = await ops.post('/admin/withdraw', body);
    expect(status).toBe(202);
    return JSON.parse(text);
  };
  const stateOf = async (key: PassKey) => JSON.parse((await objectOf(key).readPublication())?.record ?? '{}').state;

  it('ends the unsigned steps of one client, and keeps those of other clients of the gatekeeper network', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const [hostile, other] = [await aPartner({ gatekeeperNetwork }), await aPartner({ gatekeeperNetwork })];
    const [own, others] = [aWallet(), aWallet()];
    await hostile.issue(SEPOLIA, own);
    await other.issue(SEPOLIA, others);
    const waits = ({ clientId }: { readonly clientId: string }) =>
      SIGNERS.getByName(signerNameOf(sepolia())).countWaitingSteps(clientId, gatekeeperNetwork, 10);
    await eventually(async () => expect([await waits(hostile), await waits(other)]).toEqual([1, 1]));
    expect(await withdraw({ client: hostile.clientId, gatekeeperNetwork })).toMatchObject({
      withdrawn: 1,
      more: false,
    });
    const keyOf = (wallet: Wallet) => sepoliaKey(wallet, gatekeeperNetwork);
    await eventually(async () => expect(await stateOf(keyOf(own))).toBe('REJECTED'));
    expect(await stateOf(keyOf(others))).toBe('REQUESTED');
    expect(await withdraw({ gatekeeperNetwork })).toMatchObject({ withdrawn: 1 });
    expect(await withdraw({ client: hostile.clientId })).toEqual({ withdrawn: 0, signed: 0, more: false });
  });

  it('requires a client, a gatekeeper network, or both', async () => {
    expectProblem(await ops.post('/admin/withdraw', {}), 'invalid_request');
    for (const client of ['nobody', '', '\ud800']) {
      expectProblem(await ops.post('/admin/withdraw', { client }), 'invalid_request', { pointer: '/client' });
    }
  });
});

it('refuses further issuances and expiry changes of a client with too much waiting work, but accepts freezes, revocations and other clients', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const send = workerWith({ ...TRUSTING, CLIENT_MAX_WAITING: '2' });
  const busy = await aPartner({ gatekeeperNetwork, send });
  const { wallet: active } = await aPass({ gatekeeperNetwork, ...UNSENT });
  for (const wallet of [aWallet(), aWallet()]) expect((await busy.issue(SEPOLIA, wallet)).status).toBe(202);
  const waits = () =>
    SIGNERS.getByName(signerNameOf(sepolia())).countWaitingSteps(busy.clientId, gatekeeperNetwork, 10);
  await eventually(async () => expect(await waits()).toBe(2));
  expectProblem(await busy.issue(SEPOLIA, aWallet()), 'waiting_limit_reached', { retryAfter: '60' });
  const limited = { status: 429, retryAfter: 60, problem: { code: 'waiting_limit_reached' } };
  const key = { gatekeeperNetwork, chain: 'ethereum', network: 'sepolia' } as const;
  const another = itemOf({ ...key, wallet: aWallet() });
  expect(await resultsOf(busy, 'POST', [another])).toMatchObject([limited]);
  const later = { expiryTimestamp: Math.floor(Date.now() / 1000) + 3_600 };
  expectProblem(await busy.update(SEPOLIA, active, later), 'waiting_limit_reached');
  const ofActive = (change: object) => [itemOf({ ...key, wallet: active }, change)];
  expect(await resultsOf(busy, 'PATCH', ofActive(later))).toMatchObject([limited]);
  expect(await resultsOf(busy, 'PATCH', ofActive({ state: 'FROZEN' }))).toMatchObject([{ status: 200 }]);
  expect((await busy.revoke(SEPOLIA, active)).status).toBe(200);
  const other = await aPartner({ gatekeeperNetwork, send });
  expect((await other.issue(SEPOLIA, aWallet())).status).toBe(202);
});
