import { configOf } from '../config/parse-config.ts';
import { expectedConfirmationMs } from '../network/network.ts';
import { findNetwork } from '../network/networks.ts';
import { retryDelayMs } from '../pass/retry-delay.ts';
import { withSignerInService } from './pass-signer.ts';
import type { StoredPass } from './pass-store.ts';

const NOTICE_SECONDS = 7 * 86_400;

/** Returns how long before its expiry a pass announces it; 0: never. Requests report a broken configuration. */
export function expiryNoticeSeconds(env: Env): number {
  try {
    return configOf(env).expiryNoticeDays * 86_400;
  } catch {
    return NOTICE_SECONDS;
  }
}

/** Returns in how many milliseconds the alarm of the pass fires. */
export function alarmDelayMs({ pass, tries }: StoredPass, env: Env): number {
  try {
    const network = findNetwork(configOf(env).networks, pass.key.chain, pass.key.network);
    const hasSigner = network !== undefined && withSignerInService(pass, env) !== undefined;
    return retryDelayMs(pass, tries, network ? expectedConfirmationMs(network) : 0, hasSigner);
  } catch {
    // Requests report a broken configuration. The alarm must continue without it.
    return retryDelayMs(pass, tries, 0);
  }
}
