import { describe, expect, it } from 'vitest';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';

/** On Solana only the key that issued a pass can freeze and unfreeze it. */

const gatekeeperNetwork = newGatekeeperNetwork();
const ours = await aPartner({ gatekeeperNetwork });
const later = Math.floor(Date.now() / 1000) + 3600;

describe('on Solana, a pass that another gatekeeper issued', () => {
  const DEVNET = 'solana/devnet';
  const foreign = (state: 'ACTIVE' | 'FROZEN') =>
    aPassOfWhich({ gatekeeperNetwork, chain: 'solana', network: 'devnet' }, holding({ state, foreign: true }));

  it.each([
    ['ACTIVE', { state: 'FROZEN' }],
    ['ACTIVE', { state: 'FROZEN', expiryTimestamp: later }],
    ['FROZEN', { state: 'ACTIVE' }],
  ] as const)('is not moved from %s: %j', async (state, wish) => {
    const theirs = await foreign(state);
    const before = (await ours.fetch(DEVNET, theirs)).text;
    const { problem } = await ours.update(DEVNET, theirs, wish);
    expect([problem.status, problem.code]).toEqual([409, 'issued_by_another_gatekeeper']);
    expect((await ours.fetch(DEVNET, theirs)).text).toBe(before);
  });

  it('is also one whose key this service does not have any more', async () => {
    const theirs = await aPassOfWhich(
      { gatekeeperNetwork, chain: 'solana', network: 'devnet' },
      holding({ state: 'ACTIVE' }),
    );
    const { problem } = await ours.update(DEVNET, theirs, { state: 'FROZEN' });
    expect([problem.status, problem.code]).toEqual([409, 'issued_by_another_gatekeeper']);
  });

  it('is as frozen as it was, and is told so', async () => {
    const theirs = await foreign('FROZEN');
    expect((await ours.update(DEVNET, theirs, { state: 'FROZEN' })).updated.state).toBe('FROZEN');
  });

  it('expires and is revoked all the same', async () => {
    const theirs = await foreign('ACTIVE');
    const { status, updated } = await ours.update(DEVNET, theirs, { expiryTimestamp: later });
    expect([status, updated.expiryTimestamp]).toEqual([200, later]);
    const revoked = await ours.revoke(DEVNET, theirs);
    expect([revoked.status, revoked.record.state]).toEqual([200, 'REVOKED']);
  });
});
