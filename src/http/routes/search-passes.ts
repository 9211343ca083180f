import { canonicalWalletOfAnyChain } from '../../network/wallet.ts';
import { networkOf, refuseWallet } from '../pass/pass-target.ts';
import { isRefusal, reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { NoParams, SearchBody } from '../schemas/requests.ts';

/** A search that skips more passes is a large read. */
const FREE_SKIP = 100;

const IN_FILTER = { chain: '/filter/chain/type', network: '/filter/chain/network' };

export const searchForPasses = route({
  operationId: 'searchPasses',
  method: 'POST',
  path: '/pass',
  scope: 'search',
  params: NoParams,
  body: SearchBody,
  readsMany: ({ body: { skip = 0 } }) => skip > FREE_SKIP,
  async handle({ body: { filter, limit, skip = 0, after }, partner, bookmark, store, config }) {
    const { state, walletAddress, chain } = filter;
    const on = chain && networkOf(chain.type, chain.network, config, IN_FILTER);
    if (on !== undefined && isRefusal(on)) return on;
    const wallet = walletAddress === undefined ? undefined : canonicalWalletOfAnyChain(walletAddress);
    if (walletAddress !== undefined && wallet === undefined) {
      return refuseWallet(
        '/filter/walletAddress',
        'must be an Ethereum address with a valid EIP-55 checksum, or base58 of 32 bytes',
      );
    }
    const { gatekeeperNetwork } = partner;
    const search = { gatekeeperNetwork, state, on, wallet, limit, skip, after };
    const { found, bookmark: seen } = await store.searchPasses(partner, search, bookmark);
    return reply(200, `{"records":[${found.join(',')}]}`, undefined, seen);
  },
});
