import { canonicalWalletOfAnyChain } from '../../network/wallet.ts';
import { readFromBookmark } from '../../store/bookmarked-reads.ts';
import { searchPasses } from '../../store/search.ts';
import { refuseWallet } from '../pass/pass-target.ts';
import { reply, route } from '../route.ts';
import { FoundPasses } from '../schemas/replies.ts';
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
  replies: { 200: { description: 'What was found.', body: FoundPasses, headers: ['Gatepass-Bookmark'] } },
  refuses: ['invalid_wallet'],
  async handle({ body: { filter, limit, skip = 0, after }, partner, shard, seen }) {
    const { state, walletAddress } = filter;
    const wallet = walletAddress === undefined ? undefined : canonicalWalletOfAnyChain(walletAddress);
    if (walletAddress !== undefined && wallet === undefined) {
      return refuseWallet('/filter/walletAddress', 'must be an Ethereum address (EIP-55) or base58 of 32 bytes');
    }
    const { gatekeeperNetwork } = partner;
    const search = { gatekeeperNetwork, state, wallet, limit, skip, after };
    const { found, bookmark } = await readFromBookmark(shard, seen, (db) => searchPasses(db, search));
    return reply(200, `{"records":[${found.join(',')}]}`, undefined, bookmark);
  },
});
