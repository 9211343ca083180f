import { configOf } from '../config/parse-config.ts';
import { expectedConfirmationMs, findNetwork } from '../network/networks.ts';
import { retryDelayMs } from '../pass/retry-delay.ts';
import type { StoredPass } from './pass-store.ts';

const RETRY_MS = 10_000;

/** After how many milliseconds the alarm of a pass is to ring. */
export function alarmDelayMs({ pass, tries }: StoredPass, env: Env): number {
  try {
    const row = findNetwork(configOf(env).networks, pass.key.chain, pass.key.network);
    return row === undefined ? RETRY_MS : retryDelayMs(pass, tries, expectedConfirmationMs(row));
  } catch {
    // A broken configuration is reported where requests are served; the alarm must go on without it.
    return RETRY_MS;
  }
}
