import type { PassKey } from '../../../../packages/client/src/pass.ts';
import { chainOf } from '../../../../tools/localnet/partner/chain-of.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';

/** Returns a pass key with a new wallet unless one is given. */
export function aPassKey(
  network: PassKey['chain']['network'] = 'sepolia',
  walletAddress = freshWallet(network),
): PassKey {
  return { chain: { type: chainOf(network), network } as PassKey['chain'], walletAddress };
}
