import type { PassKey } from '../../../client/src/pass.ts';
import { chainOf, freshWallet } from '../../../localnet/partner/fresh-wallet.ts';

/** The pass of a wallet that nobody has used. */
export function aPassKey(
  network: PassKey['chain']['network'] = 'sepolia',
  walletAddress = freshWallet(network),
): PassKey {
  return { chain: { type: chainOf(network), network }, walletAddress };
}
