import { inject } from 'vitest';
import type { Gatekeeper } from '../../../../src/config/gatekeeper.ts';
import { type KmsKey, parseKmsCredentials, parseKmsText, withCredentials } from '../../../../src/config/kms.ts';
import { withheldSecret } from '../../../../src/lib/secret.ts';
import type { Chain } from '../../../../src/network/network.ts';
import type { KmsFault } from '../../../../tools/localnet/kms/faults.ts';
import { KMS_REFERENCES } from '../../../../tools/localnet/kms/gatekeepers.ts';

/** The KMS of the localnet, which the test file borrows, and its keys. */

export type Vendor = 'aws' | 'gcp';

/** Sets the faults of the KMS in place of all others. Without faults, the KMS is well. */
export async function setFaults(...faults: readonly KmsFault[]): Promise<void> {
  await fetch(`${inject('kms').url}/localnet/faults`, { method: 'PUT', body: JSON.stringify(faults) });
}

/** Returns the numbers of calls since the last reset. */
export async function readCalls(): Promise<Readonly<Record<'sign' | 'public-key' | 'refused' | 'parallel', number>>> {
  return (await fetch(`${inject('kms').url}/localnet/calls`)).json();
}

export async function resetCalls(): Promise<void> {
  await fetch(`${inject('kms').url}/localnet/calls`, { method: 'DELETE' });
}

/** Returns the key of a vendor, with other credentials if given. */
export function keyIn(vendor: Vendor, chain: Chain, credentials: object = inject('kms').credentials) {
  const parsed = parseKmsText(KMS_REFERENCES[chain][vendor]);
  const KMS_CREDENTIALS = JSON.stringify(credentials);
  const kms = parsed && withCredentials(parsed.key, parseKmsCredentials({ KMS_CREDENTIALS }));
  if (parsed === undefined || kms === undefined) throw new Error('the localnet has no such key');
  return { address: parsed.address, kms };
}

/** Returns a gatekeeper whose key is in the KMS. */
export function gatekeeperIn(vendor: Vendor, chain: Chain, changes: Partial<{ address: string; kms: KmsKey }> = {}) {
  return { ...keyIn(vendor, chain), key: withheldSecret('a KMS holds it'), ...changes } satisfies Gatekeeper<never>;
}
