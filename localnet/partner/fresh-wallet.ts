import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Wallet } from '../../src/network/wallet.ts';
import { chainOf } from './chain-of.ts';

/** Returns an unused wallet: the address of a key pair that is discarded at once. */
export function freshWallet(network: string): Wallet {
  if (chainOf(network) === 'ethereum') return privateKeyToAddress(generatePrivateKey()) as string as Wallet;
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return base58.encode(Buffer.from(x, 'base64url')) as Wallet;
}
