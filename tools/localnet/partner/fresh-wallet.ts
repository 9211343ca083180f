import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { chainOf } from './chain-of.ts';

/** Returns an unused wallet: the address of a key pair that is discarded at once. */
export function freshWallet(network: string): Wallet {
  if (chainOf(network) === 'ethereum') return privateKeyToAddress(generatePrivateKey()) as string as Wallet;
  const { publicKey } = generateKeyPairSync('ed25519');
  // The DER ends with the 32 bytes. Exports of new keys as JWK hang Node 20 after some thousand rounds.
  return base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)) as Wallet;
}
