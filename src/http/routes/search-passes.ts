import { canonicalWalletOfAnyChain } from '../../network/wallet.ts';
import { refuseWallet } from '../pass/pass-target.ts';
import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { NoParams, SearchBody } from '../schemas/requests.ts';

export const searchForPasses = route({
  operationId: 'searchPasses',
  method: 'POST',
  path: '/pass',
  scope: 'search',
  summary: 'Search passes, newest first',
  description:
    'The passes of your gatekeeper network. To go through all of them, send the id of the last one you have as `after`, until there are fewer than `limit`.',
  params: NoParams,
  body: SearchBody,
  replies: { 200: { description: 'What was found.', body: 'FoundPasses', headers: ['Gatepass-Bookmark'] } },
  refuses: ['invalid_wallet'],
  async handle({ body: { filter, limit, skip = 0, after }, partner, bookmark, store }) {
    const { state, walletAddress } = filter;
    const wallet = walletAddress === undefined ? undefined : canonicalWalletOfAnyChain(walletAddress);
    if (walletAddress !== undefined && wallet === undefined) {
      return refuseWallet('/filter/walletAddress', 'must be an Ethereum address (EIP-55) or base58 of 32 bytes');
    }
    const { gatekeeperNetwork } = partner;
    const search = { gatekeeperNetwork, state, wallet, limit, skip, after };
    const { found, bookmark: seen } = await store.searchPasses(partner, search, bookmark);
    return reply(200, `{"records":[${found.join(',')}]}`, undefined, seen);
  },
});
