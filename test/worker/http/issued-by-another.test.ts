import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';

/** On Solana only the key that issued a pass can freeze and unfreeze it. */

const gatekeeperNetwork = newGatekeeperNetwork();
const ours = await aPartner({ gatekeeperNetwork });
const later = Math.floor(Date.now() / 1000) + 3600;

describe('a Solana pass that another gatekeeper issued', () => {
  const DEVNET = 'solana/devnet';
  const foreign = (state: 'ACTIVE' | 'FROZEN') =>
    aPass({ gatekeeperNetwork, chain: 'solana', state, foreign: true, ...UNSENT });

  it.each([
    ['ACTIVE', { state: 'FROZEN' }],
    ['ACTIVE', { state: 'FROZEN', expiryTimestamp: later }],
    ['FROZEN', { state: 'ACTIVE' }],
  ] as const)('refuses to change a %s pass of another gatekeeper: %j', async (state, request) => {
    const { wallet: theirs } = await foreign(state);
    const before = (await ours.fetch(DEVNET, theirs)).text;
    expectProblem(await ours.update(DEVNET, theirs, request), 'issued_by_another_gatekeeper');
    expect((await ours.fetch(DEVNET, theirs)).text).toBe(before);
  });

  it("refuses to freeze a pass when this service no longer has the gatekeeper's key", async () => {
    const { wallet: theirs } = await aPass({ gatekeeperNetwork, chain: 'solana', ...UNSENT });
    expectProblem(await ours.update(DEVNET, theirs, { state: 'FROZEN' }), 'issued_by_another_gatekeeper');
  });

  it('accepts the request to freeze a pass that is already frozen', async () => {
    const { wallet: theirs } = await foreign('FROZEN');
    expect((await ours.update(DEVNET, theirs, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
  });

  it('changes the expiry of such a pass, and revokes it', async () => {
    const { wallet: theirs } = await foreign('ACTIVE');
    const { status, updated } = await ours.update(DEVNET, theirs, { expiryTimestamp: later });
    expect([status, updated.expiryTimestamp]).toEqual([200, later]);
    const revoked = await ours.revoke(DEVNET, theirs);
    expect([revoked.status, revoked.record.state]).toEqual([200, 'REVOKED']);
  });
});
