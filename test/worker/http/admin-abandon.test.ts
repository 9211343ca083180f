import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { formatSignerName } from '../../../src/network/signer-name.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { operator } from './operator.ts';
import { aWaitingPass, objectOf, SEPOLIA } from './waiting-pass.ts';
import { aWallet } from './wallets.ts';

/** How the operator ends waiting issuances. */

const { SIGNERS } = env as Env;
const ops = await operator();

describe('POST /admin/abandon', () => {
  const abandon = async (body: object, of = ops): Promise<{ abandoned: number; signed: number; more: boolean }> => {
    const { status, text } = await of.post('/admin/abandon', { chain: 'ethereum', network: 'sepolia', ...body });
    expect(status).toBe(202);
    return JSON.parse(text);
  };

  it('ends the waiting issuances of one gatekeeper network as REJECTED, and no others, however often it is called', async () => {
    const [key, other] = [await aWaitingPass(), await aWaitingPass()];
    const { gatekeeperNetwork } = key;
    expect(await abandon({ gatekeeperNetwork })).toEqual({ abandoned: 1, signed: 0, more: false });
    expect(await abandon({ gatekeeperNetwork })).toEqual({ abandoned: 0, signed: 0, more: false });
    const recordIn = async (of: PassKey) => JSON.parse((await objectOf(of).readPublication())?.record ?? '{}');
    await vi.waitFor(async () => expect(await recordIn(key)).toMatchObject({ state: 'REJECTED' }), 10_000);
    const { events } = await recordIn(key);
    expect(events.at(-1)).toMatchObject({ eventType: 'TOKEN_ISSUED_FAILED', reason: 'abandoned' });
    expect(await recordIn(other)).toMatchObject({ state: 'REQUESTED' });
  });

  it('ends issuances in slices, leaves those that have signed bytes, and counts them', async () => {
    const name = formatSignerName('ethereum', 'sepolia', `0x${'a1'.repeat(20)}`);
    const closed = SIGNERS.getByName(name);
    const gatekeeperNetwork = newGatekeeperNetwork();
    const add = (count: number, column: string, value: string) =>
      runInDurableObject(closed, (_, { storage: { sql } }) => {
        for (let n = 0; n < count; n += 1) {
          sql.exec(
            `INSERT INTO step (id, gatekeeper_network, wallet, kind, unfinished, status, revision, standing, ${column})
             VALUES (?, ?, ?, 'issue', 1, ?, 1, '{"at":"waiting"}', ?)`,
            `${crypto.randomUUID()}:1`,
            gatekeeperNetwork,
            aWallet(),
            column === 'signed' ? 'signed' : 'waiting',
            value,
          );
        }
      });
    await add(7, 'why', 'the nodes do not answer');
    await add(2, 'signed', '[]');
    await add(1, 'heard', '1');
    const first = await closed.abandonIssuances(gatekeeperNetwork, 5);
    expect([first.ended.length, first.waiting, first.signed]).toEqual([5, 2, 3]);
    const second = await closed.abandonIssuances(gatekeeperNetwork, 5);
    expect([second.ended.length, second.waiting, second.signed]).toEqual([2, 0, 3]);
    const third = await closed.abandonIssuances(undefined, 5);
    expect([third.ended.length, third.waiting, third.signed]).toEqual([0, 0, 3]);
  });

  it('lets a partner ask again for an abandoned pass', async () => {
    const key = await aWaitingPass();
    await abandon({ gatekeeperNetwork: key.gatekeeperNetwork });
    const state = async () => JSON.parse((await objectOf(key).readPublication())?.record ?? '{}').state;
    await vi.waitFor(async () => expect(await state()).toBe('REJECTED'), 10_000);
    await (await aPartner({ gatekeeperNetwork: key.gatekeeperNetwork })).issue(SEPOLIA, key.wallet);
    expect(await state()).toBe('REQUESTED');
  });

  it('refuses a network of another chain', async () => {
    const body = { chain: 'solana', network: 'sepolia' };
    expectProblem(await ops.post('/admin/abandon', body), 'unknown_network');
  });
});
