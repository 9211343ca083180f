import { KmsFault } from '../../src/chain/port.ts';
import type { Config } from '../../src/config/config.ts';
import type { KmsKey } from '../../src/config/kms.ts';
import type { Chain } from '../../src/network/network.ts';
import { CHAINS } from '../../src/network/networks.ts';
import type { KmsCode } from '../../src/pass/wait-reasons.ts';
import { probeKey } from '../kms/probe.ts';
import { describeFault } from '../nodes/node-error.ts';
import { check, type Finding, fail, ok, type Verdict } from './check.ts';

/** Checks each key that a KMS holds: its public key has the configured address, and it signs a probe. */
export function checkKeys({
  gatekeepers,
  verdictKeys,
}: Pick<Config, 'gatekeepers' | 'verdictKeys'>): Promise<Finding[]> {
  const ofVerdicts = verdictKeys.key ? [verdictKeys.key] : [];
  const keys = CHAINS.flatMap((chain) =>
    [...gatekeepers[chain], ...(chain === 'ethereum' ? ofVerdicts : [])].flatMap(({ address, kms }) =>
      kms ? [{ chain, address, kms }] : [],
    ),
  );
  return Promise.all(keys.map((key) => check(`key ${key.address}`, () => keyVerdict(key))));
}

async function keyVerdict(key: { chain: Chain; address: string; kms: KmsKey }): Promise<Verdict> {
  try {
    await probeKey(key.kms, key.address, key.chain);
  } catch (fault) {
    if (fault instanceof KmsFault) return fail(describeFault(fault), REMEDIES[fault.code](key.kms));
    throw fault;
  }
  return ok(`${key.kms.vendor} holds it, and signs`);
}

const REMEDIES: Readonly<Record<KmsCode, (key: KmsKey) => string>> = {
  'kms-wrong-answer': ({ vendor, name }) => `compare the reference with \`npm run key -- ${vendor}:${name}\``,
  'kms-denied': ({ vendor }) =>
    vendor === 'aws-kms'
      ? 'let the credentials in KMS_CREDENTIALS call kms:Sign and kms:GetPublicKey of an enabled key, and compare the clock'
      : 'let the service account in KMS_CREDENTIALS have roles/cloudkms.signerVerifier for an enabled version, and compare the clock',
  'kms-throttled': () => 'raise the quota of the KMS',
  'kms-unanswered': () => 'see the status page of the vendor, and the endpoint in KMS_CREDENTIALS',
};
