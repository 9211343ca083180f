import type { Config } from '../config/config.ts';
import type { EnabledNetwork } from '../config/signers.ts';
import { slotOf } from '../network/slot.ts';
import { ethereum } from './ethereum/adapter.ts';
import type { ChainPort } from './port.ts';
import { solana } from './solana/adapter.ts';

/** Returns the port of an enabled network for its gatekeeper key. */
export function openChain(
  enabled: EnabledNetwork,
  { slots }: Config,
  derivesTokenIds?: (contract: string) => boolean,
): ChainPort {
  if (enabled.chain === 'solana') return solana(enabled);
  return ethereum(enabled, (gatekeeperNetwork) => slotOf(gatekeeperNetwork, slots), derivesTokenIds);
}
