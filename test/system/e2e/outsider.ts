import { base58 } from '@scure/base';
import { Keypair } from '@solana/web3.js';
import type { Gatepass } from '../../../localnet/gatepass.ts';
import { chainOf } from '../../../localnet/partner/fresh-wallet.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../localnet/solana/gatekeepers.ts';
import { outsiderOnEthereum } from './outsider-on-ethereum.ts';
import { enlistOnSolana, outsiderOnSolana } from './outsider-on-solana.ts';

/** Who acts in a gatekeeper network behind the service's back. Each call ends with its confirmation. */
export interface Outsider {
  /** Issues a token, or one more of the same wallet; expiry in Unix seconds. */
  issue(wallet: string, expiry?: number, index?: number): Promise<void>;
  /** Freezes the first token of the wallet: on Solana, only who has issued it can. */
  freeze(wallet: string): Promise<void>;
  burn(wallet: string): Promise<void>;
}

/** Another gatekeeper of the gatekeeper network, which is new to it. */
export async function anotherGatekeeper(facts: Gatepass['facts'], network: string, of: string): Promise<Outsider> {
  const rpcUrl = facts.rpc[network] ?? '';
  if (chainOf(network) === 'ethereum') return outsiderOnEthereum(rpcUrl, facts.gatewayToken[network] ?? '', of);
  const key = Keypair.generate();
  await enlistOnSolana(rpcUrl, of, key);
  return outsiderOnSolana(rpcUrl, of, key);
}

/** Somebody with the key of the service's own gatekeeper. */
export function withTheKeyOfSolana(facts: Gatepass['facts'], network: string, of: string): Outsider {
  const key = Keypair.fromSecretKey(base58.decode(SOLANA_GATEKEEPER_KEYS[0]));
  return outsiderOnSolana(facts.rpc[network] ?? '', of, key);
}
