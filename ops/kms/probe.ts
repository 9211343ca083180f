import { KmsFault } from '../../src/chain/port.ts';
import { kmsKey, openKms, publicKeyInKms } from '../../src/chain/signing/kms-key.ts';
import type { KmsKey } from '../../src/config/kms.ts';
import type { Chain } from '../../src/network/network.ts';
import { CHAINS } from '../../src/network/networks.ts';

/**
 * Bytes that begin no transaction: nodes refuse 0x19 as a type (EIP-191), and 0xff as a version (Solana's off-chain messages).
 */
const PREFIXES: Readonly<Record<Chain, readonly [first: number, text: string]>> = {
  ethereum: [0x19, 'Ethereum Signed Message:\n19'],
  solana: [0xff, 'solana offchain'],
};

/** Returns the message of a probe, which can be no transaction of the chain. */
export function probeFor(chain: Chain): Uint8Array {
  const [first, text] = PREFIXES[chain];
  return Uint8Array.of(first, ...new TextEncoder().encode(`${text}probe of a Gatepass`));
}

/** Compares the public key in the KMS with the address, and signs a probe. Throws KmsFault. */
export async function probeKey(key: KmsKey, address: string, chain: Chain): Promise<void> {
  await kmsKey(address, key, chain).sign(probeFor(chain));
}

/** Returns the chain for which the key in the KMS is, and its address. Throws KmsFault. */
export async function findAddress(key: KmsKey): Promise<{ readonly chain: Chain; readonly address: string }> {
  for (const chain of CHAINS) {
    try {
      const { address } = await publicKeyInKms(openKms(key, chain), chain);
      return { chain, address };
    } catch (fault) {
      // It may be a key of the other curve.
      if (!(fault instanceof KmsFault && fault.code === 'kms-wrong-answer')) throw fault;
    }
  }
  throw new KmsFault('kms-wrong-answer', 'the key is neither one on secp256k1 nor one of Ed25519');
}
