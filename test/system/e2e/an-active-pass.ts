import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { ChainWitness } from '../chain-witness.ts';

/** Issues a pass and makes its token final. Resolves to the wallet. */
export async function anActivePass(client: LocalnetPartner, chain: ChainWitness, network: string): Promise<string> {
  const wallet = freshWallet(network);
  await client.issue(network, wallet);
  await client.untilSettled(network, wallet);
  await chain.makeFinal(network);
  return wallet;
}
