import type { InferOutput } from 'valibot';
import type { Config } from '../../config/config.ts';
import { withCharacter } from '../../lib/characters.ts';
import type { Network } from '../../network/network.ts';
import { CHAINS, findNetwork, networkNamesOf } from '../../network/networks.ts';
import { canonicalWallet, walletFault } from '../../network/wallet.ts';
import type { PassKey } from '../../pass/pass.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal } from '../protocol/reply.ts';
import type { IssueItem } from '../schemas/requests.ts';

/** The pass that a request names in its path and its body. Its gatekeeper network is always that of the caller. */
export interface PassTarget {
  readonly key: PassKey;
  readonly network: Network;
}

export interface PassNames {
  readonly chain: string;
  readonly chainNetwork: string;
  readonly wallet: string;
}

/** Where a request has the names, for a refusal. */
export interface NamePointers {
  readonly chain: string;
  readonly network: string;
  readonly wallet: string;
}

const IN_PATH: NamePointers = { chain: '/chain', network: '/chainNetwork', wallet: '/wallet' };
/** The path has the network, and the body has the wallet. */
export const WALLET_IN_BODY: NamePointers = { ...IN_PATH, wallet: '/walletAddress' };
export const IN_ITEM: NamePointers = { chain: '/chain/type', network: '/chain/network', wallet: '/walletAddress' };

/** Returns the names in an item of a bulk request. */
export function namesInItem({
  chain,
  walletAddress,
}: Pick<InferOutput<typeof IssueItem>, 'chain' | 'walletAddress'>): PassNames {
  return { chain: chain.type, chainNetwork: chain.network, wallet: walletAddress };
}

export function passTargetOf(
  { chain, chainNetwork, wallet }: PassNames,
  { gatekeeperNetwork }: Pick<Partner, 'gatekeeperNetwork'>,
  config: Config,
  pointers = IN_PATH,
): PassTarget | Refusal {
  const network = networkOf(chain, chainNetwork, config, pointers);
  if (isRefusal(network)) return network;
  const canonical = canonicalWallet(network.chain, wallet);
  if (canonical === undefined) return refuseWallet(pointers.wallet, walletFault(network.chain, wallet));
  return { network, key: { gatekeeperNetwork, chain: network.chain, network: network.network, wallet: canonical } };
}

/** The characters of chains and networks. */
export const IN_NAMES = /[A-Za-z0-9-]/;

export function networkOf(
  chain: string,
  name: string,
  config: Config,
  pointers: Pick<NamePointers, 'chain' | 'network'>,
): Network | Refusal {
  return findNetwork(config.networks, chain, name) ?? refuseNetwork(chain, name, pointers);
}

export function refuseWallet(pointer: string, detail: string): Refusal {
  return refuse('invalid_wallet', { errors: [{ pointer, detail }] });
}

function refuseNetwork(named: string, network: string, pointers: Pick<NamePointers, 'chain' | 'network'>): Refusal {
  const chain = CHAINS.find((each) => each === named);
  if (chain === undefined) {
    return refuse('unknown_network', {
      detail: `The chain is unknown. Use one of these: ${CHAINS.join(', ')}.`,
      errors: [{ pointer: pointers.chain, detail: withCharacter('must be a chain of this service', named, IN_NAMES) }],
    });
  }
  const names = networkNamesOf(chain).join(', ');
  return refuse('unknown_network', {
    detail: `The network is unknown. Use one of ${chain}: ${names}.`,
    errors: [{ pointer: pointers.network, detail: withCharacter(`must be a network of ${chain}`, network, IN_NAMES) }],
  });
}
