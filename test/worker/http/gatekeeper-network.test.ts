import { expect, it } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { partner } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** A gatekeeper network for which no pass can be issued does not delay other partners. */

const SEPOLIA = 'ethereum/sepolia';

it.each([
  ['that the gateway contract does not know', newGatekeeperNetwork()],
  ['that is not a public key', 'not a key' as GatekeeperNetwork],
])('issues for other partners while passes of a gatekeeper network %s wait', async (_, gatekeeperNetwork) => {
  const unlucky = await aPartner({ gatekeeperNetwork });
  const waiting = aWallet();
  expect((await unlucky.issue(SEPOLIA, waiting)).status).toBe(202);

  const acme = await partner('acme');
  const wallet = aWallet();
  await acme.issue(SEPOLIA, wallet);
  await acme.watch(SEPOLIA, wallet, ({ state }) => state === 'ACTIVE');
  expect((await unlucky.fetch(SEPOLIA, waiting)).record.state).toBe('REQUESTED');
});
