import type { Brand } from '../lib/brand.ts';
import type { Chain } from './network.ts';

/** Name of a signer object: chain, network and address of its gatekeeper key, separated by slashes. */
export type SignerName = Brand<string, 'SignerName'>;

export function formatSignerName(chain: Chain, network: string, address: string): SignerName {
  return [chain, network, address].join('/') as SignerName;
}

export function parseSignerName(name: SignerName): { chain: string; network: string; address: string } {
  const [chain = '', network = '', address = ''] = name.split('/');
  return { chain, network, address };
}
