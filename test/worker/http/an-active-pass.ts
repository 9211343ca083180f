import type { Api } from './api.ts';
import { untilFinal } from './on-sepolia.ts';
import { aWallet } from './wallets.ts';

/** The wallet of a new pass that is on sepolia for good. */
export async function anActivePass(of: Api): Promise<string> {
  const wallet = aWallet();
  await of.issue('ethereum/sepolia', wallet);
  await of.watch('ethereum/sepolia', wallet, ({ onChainState }) => onChainState === 'ACTIVE');
  await untilFinal();
  return wallet;
}
