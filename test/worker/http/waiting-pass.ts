import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Passes on Sepolia that wait for their gatekeeper network to authorize the gatekeeper. */

const { PASSES, SIGNERS } = env as Env;

export const SEPOLIA = 'ethereum/sepolia';
export const UNAUTHORIZED = 'the gatekeeper is not authorized on the gatekeeper network';

export const sepoliaKey = (wallet: Wallet, gatekeeperNetwork: GatekeeperNetwork): PassKey => ({
  gatekeeperNetwork,
  chain: 'ethereum',
  network: 'sepolia',
  wallet,
});
export const objectOf = (key: PassKey) => PASSES.getByName(passName(key));

/**
 * Issues a pass of a new gatekeeper network that has not authorized the gatekeeper. Returns when its lane is paused.
 */
export async function aWaitingPass(): Promise<PassKey> {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const key = sepoliaKey(aWallet(), gatekeeperNetwork);
  await (await aPartner({ gatekeeperNetwork })).issue(SEPOLIA, key.wallet);
  const status = () => SIGNERS.getByName(signerNameOf(sepolia())).status();
  await eventually(async () =>
    expect((await status())?.lanes.find((lane) => lane.gatekeeperNetwork === gatekeeperNetwork)).toMatchObject({
      paused: { why: UNAUTHORIZED },
    }),
  );
  return key;
}
