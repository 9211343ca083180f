import type { Gatekeeper } from '../../config/gatekeeper.ts';
import type { KmsKey } from '../../config/kms.ts';
import type { Chain } from '../../network/network.ts';
import { addressOfPublicKey } from '../../network/wallet.ts';
import { KmsFault, SigningRefused } from '../port.ts';
import type { KmsClient } from './ask-kms.ts';
import { awsKms } from './aws-kms.ts';
import { CURVES, publicKeyInDer, type Verify } from './curve.ts';
import { gcpKms } from './gcp-kms.ts';
import { ethereumSecret, type SigningKey, solanaSecret } from './signing-key.ts';

/** The platform opens at most six connections at once. */
const MAX_PARALLEL_CALLS = 6;

export function openKms(key: KmsKey, chain: Chain): KmsClient {
  return key.vendor === 'aws-kms' ? awsKms(key, chain) : gcpKms(key, chain);
}

/**
 * Returns the key of that address, which a KMS holds. It compares the public key in the KMS with the address before the first
 * signature, and verifies every signature, so that a KMS that lies costs time and nothing else.
 */
export function kmsKey(address: string, key: KmsKey, chain: Chain): SigningKey {
  const kms = openKms(key, chain);
  const inTurn = limitParallel(MAX_PARALLEL_CALLS);
  const { signedBytes, verifierOf } = CURVES[chain];
  let verifier: Promise<Verify> | undefined;
  async function openVerifier(): Promise<Verify> {
    const { publicKey, address: found } = await publicKeyInKms(kms, chain);
    if (found !== address) throw new KmsFault('kms-wrong-answer', `the KMS holds the key of ${found}`);
    return verifierOf(publicKey);
  }
  async function openVerifierOnce(): Promise<Verify> {
    verifier ??= openVerifier();
    try {
      return await verifier;
    } catch (fault) {
      // The next signature asks again.
      verifier = undefined;
      throw fault;
    }
  }
  return {
    address,
    sign: (bytes) =>
      inTurn(async () => {
        const verify = await openVerifierOnce();
        const signature = await verify(bytes, await kms.sign(signedBytes(bytes)));
        if (signature !== undefined) return signature;
        throw new KmsFault('kms-wrong-answer', 'its signature is not one of the key');
      }),
  };
}

/** Returns the public key that the KMS returns, and its address. */
export async function publicKeyInKms(kms: Pick<KmsClient, 'publicKey'>, chain: Chain) {
  const publicKey = publicKeyInDer(chain, await kms.publicKey());
  if (publicKey !== undefined) return { publicKey, address: addressOfPublicKey(chain, publicKey) };
  throw new KmsFault('kms-wrong-answer', `its public key is no key for ${chain}`);
}

/**
 * Returns a function that runs at most `most` jobs at once, in the order of its calls. If a job fails, the jobs that have not begun
 * fail with the same fault: a KMS that hangs then costs one timeout, and not one for each waiting job.
 */
export function limitParallel(most: number): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: { readonly begin: () => void; readonly fail: (fault: unknown) => void }[] = [];
  return async (job) => {
    if (running < most) running += 1;
    // A job that ends hands its place on.
    else await new Promise<void>((begin, fail) => waiting.push({ begin, fail }));
    try {
      return await job();
    } catch (fault) {
      for (const { fail } of waiting.splice(0)) fail(fault);
      throw fault;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}

export function openEthereumKey(gatekeeper: Gatekeeper<`0x${string}`>): SigningKey {
  return openKey(gatekeeper, 'ethereum', ethereumSecret);
}

export function openSolanaKey(gatekeeper: Gatekeeper<Uint8Array>): SigningKey {
  return openKey(gatekeeper, 'solana', solanaSecret);
}

/** A compromised key has an address and refuses to sign, also if it is compromised only later, and while a KMS signs. */
function openKey<Key>(
  gatekeeper: Gatekeeper<Key>,
  chain: Chain,
  openSecret: (address: string, key: Gatekeeper<Key>['key']) => SigningKey,
): SigningKey {
  const { address, key, kms } = gatekeeper;
  const opened = kms === undefined ? openSecret(address, key) : kmsKey(address, kms, chain);
  const demandTrust = () => {
    if (gatekeeper.compromised) throw new SigningRefused('the key is compromised');
  };
  return {
    address,
    async sign(bytes) {
      demandTrust();
      const signature = await opened.sign(bytes);
      demandTrust();
      return signature;
    },
  };
}
