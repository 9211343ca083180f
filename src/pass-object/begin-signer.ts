import { logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';

/** Signers whose stores have begun, as far as this isolate knows. */
const begun = new Set<SignerName>();

/**
 * Has the store of a signer begin before a step is pinned for it, once per isolate. So a store that began later than a step
 * is not the first store of its signer.
 */
export async function beginSigner(signer: SignerName | undefined, { SIGNERS }: Pick<Env, 'SIGNERS'>): Promise<void> {
  if (signer === undefined || begun.has(signer)) return;
  try {
    await SIGNERS.getByName(signer).begin();
    begun.add(signer);
  } catch (fault) {
    // At worst the signer waits for finality before it issues.
    logFault('signer-unreachable', fault, { signer });
  }
}
