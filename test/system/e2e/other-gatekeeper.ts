import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import type { Gatepass } from '../../../tools/localnet/gatepass.ts';
import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { addEthereumGatekeeper } from './ethereum-gatekeeper.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { addSolanaGatekeeper, solanaGatekeeper } from './solana-gatekeeper.ts';

/** Adds a new gatekeeper to the gatekeeper network `of`. */
export async function addGatekeeper(facts: Gatepass['facts'], network: string, of: string): Promise<Gatekeeper> {
  const rpcUrl = facts.rpc[network] ?? '';
  if (chainOf(network) === 'ethereum') return addEthereumGatekeeper(rpcUrl, facts.gatewayToken[network] ?? '', of);
  const key = Keypair.generate();
  await addSolanaGatekeeper(rpcUrl, of, key);
  return solanaGatekeeper(rpcUrl, of, key);
}

/** Returns a gatekeeper with the service's own Solana key. */
export function serviceGatekeeperOnSolana(facts: Gatepass['facts'], network: string, of: string): Gatekeeper {
  const key = Keypair.fromSecretKey(base58.decode(SOLANA_GATEKEEPER_KEYS[0]));
  return solanaGatekeeper(facts.rpc[network] ?? '', of, key);
}
