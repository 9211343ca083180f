import type { KmsKey } from '../../config/kms.ts';
import type { Chain } from '../../network/network.ts';
import { KmsFault } from '../port.ts';
import { awsKms } from './aws-kms.ts';
import { addressOfDer, CURVES } from './curve.ts';
import { gcpKms } from './gcp-kms.ts';
import type { KmsClient } from './kms-client.ts';
import { limitParallel } from './limit-parallel.ts';
import type { SigningKey } from './signing-key.ts';

/** The platform opens at most six connections at once. */
const MAX_PARALLEL_CALLS = 6;

export function openKms(key: KmsKey, chain: Chain): KmsClient {
  return key.vendor === 'aws-kms' ? awsKms(key, chain) : gcpKms(key, chain);
}

/**
 * Returns the key of that address, which a KMS holds. It compares the public key in the KMS with the address before the first
 * signature, and verifies every signature, so that a KMS that lies costs time and nothing else.
 */
export function kmsKey(address: string, kms: KmsClient, chain: Chain): SigningKey {
  const inTurn = limitParallel(MAX_PARALLEL_CALLS);
  let checked: Promise<void> | undefined;
  async function check(): Promise<void> {
    const found = await addressInKms(kms, chain);
    if (found !== address) throw new KmsFault('kms-wrong-answer', `the KMS holds the key of ${found}`);
  }
  async function checkOnce(): Promise<void> {
    checked ??= check();
    try {
      await checked;
    } catch (fault) {
      // The next signature asks again.
      checked = undefined;
      throw fault;
    }
  }
  return {
    address,
    sign: (bytes) =>
      inTurn(async () => {
        await checkOnce();
        const { signedBytes, verify } = CURVES[chain];
        const signature = await verify(bytes, await kms.sign(signedBytes(bytes)), address);
        if (signature !== undefined) return signature;
        throw new KmsFault('kms-wrong-answer', 'its signature is not one of the key');
      }),
  };
}

/** Returns the address of the public key that the KMS returns. */
export async function addressInKms(kms: Pick<KmsClient, 'publicKey'>, chain: Chain): Promise<string> {
  const address = addressOfDer(CURVES[chain], await kms.publicKey());
  if (address !== undefined) return address;
  throw new KmsFault('kms-wrong-answer', `its public key is no key for ${chain}`);
}
