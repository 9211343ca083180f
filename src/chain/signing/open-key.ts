import type { Gatekeeper } from '../../config/gatekeeper.ts';
import type { Chain } from '../../network/network.ts';
import { SigningRefused } from '../port.ts';
import { kmsKey } from './kms-key.ts';
import { ethereumSecret, solanaSecret } from './secret.ts';
import type { SigningKey } from './signing-key.ts';

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
