import type { Chain } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { PassKey } from '../pass/pass.ts';

/** The columns that identify a pass. */
export interface PassRow {
  gatekeeper_network: string;
  wallet: string;
  chain: string;
  network: string;
}

export function passKeyOf({ gatekeeper_network, wallet, chain, network }: PassRow): PassKey {
  return {
    gatekeeperNetwork: gatekeeper_network as GatekeeperNetwork,
    wallet: wallet as Wallet,
    chain: chain as Chain,
    network,
  };
}
