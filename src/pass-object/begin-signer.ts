import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';

/** The consumer waits three seconds for a pass object. */
const BEGIN_TIMEOUT_MS = 2_000;
/** Signers whose stores have begun, as far as this isolate knows. */
const begun = new Set<SignerName>();

/**
 * Makes sure that the store of a signer exists before a step is pinned for it, once per isolate. So a store that began later
 * than a step is not the first store of its signer.
 */
export async function beginSigner(signer: SignerName | undefined, { SIGNERS }: Pick<Env, 'SIGNERS'>): Promise<void> {
  if (signer === undefined || begun.has(signer)) return;
  try {
    await within(BEGIN_TIMEOUT_MS, SIGNERS.getByName(signer).begin(), 'the signer');
    begun.add(signer);
  } catch (fault) {
    // Without this call, the signer at worst waits for finality before it issues.
    logFault('signer.unreachable', fault, { signer });
  }
}
