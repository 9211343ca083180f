import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import type { PartnerClient } from '../../../localnet/partner/partner-client.ts';
import type { ChainWitness } from '../../../localnet/witness/chain-witness.ts';

/** The wallet of a new pass that is on the chain for good. */
export async function anActivePass(client: PartnerClient, chain: ChainWitness, network: string): Promise<string> {
  const wallet = freshWallet(network);
  await client.issue(network, wallet);
  await client.untilSettled(network, wallet);
  await chain.makeFinal(network);
  return wallet;
}
