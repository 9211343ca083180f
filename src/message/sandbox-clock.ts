import { within } from '../lib/with-timeout.ts';
import { isSandbox } from '../network/sandbox.ts';

const CLOCK_TIMEOUT_MS = 2_000;

/** Returns how many seconds the clock of the gatekeeper network is ahead of the time: 0, unless it is a sandbox. */
export async function secondsAhead(gatekeeperNetwork: string, { SANDBOXES }: Pick<Env, 'SANDBOXES'>): Promise<number> {
  if (!isSandbox(gatekeeperNetwork)) return 0;
  return within(CLOCK_TIMEOUT_MS, SANDBOXES.getByName(gatekeeperNetwork).secondsAhead(), 'the sandbox');
}
