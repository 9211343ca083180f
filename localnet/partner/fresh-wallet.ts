import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { type Chain, NETWORKS } from '../../src/network/networks.ts';

/** The chain that a network belongs to. Throws for a name that is none. */
export function chainOf(network: string): Chain {
  const row = NETWORKS.find((each) => each.network === network);
  if (row === undefined) throw new Error(`there is no network ${network}`);
  return row.chain;
}

/** A wallet nobody has used: the address of a key pair that is forgotten at once. */
export function freshWallet(network: string): string {
  if (chainOf(network) === 'ethereum') return privateKeyToAddress(generatePrivateKey());
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return base58.encode(Buffer.from(x, 'base64url'));
}
