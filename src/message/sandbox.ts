import { within } from '../lib/with-timeout.ts';
import { rulesFor } from '../network/sandbox.ts';
import { type Pass, passName } from '../pass/pass.ts';

const ANSWER_TIMEOUT_MS = 2_000;

/** Returns how many seconds the clock of the gatekeeper network is ahead of the time: 0, unless it is a sandbox. */
export async function secondsAhead(gatekeeperNetwork: string, { SANDBOXES }: Pick<Env, 'SANDBOXES'>): Promise<number> {
  if (!rulesFor(gatekeeperNetwork).hasClock) return 0;
  return within(ANSWER_TIMEOUT_MS, SANDBOXES.getByName(gatekeeperNetwork).secondsAhead(), 'the sandbox');
}

/** Adds a new pass to those of its sandbox. Returns whether there was room for it: always, if its gatekeeper network is none. */
export async function admitPass({ key }: Pick<Pass, 'key'>, { SANDBOXES }: Pick<Env, 'SANDBOXES'>): Promise<boolean> {
  const { gatekeeperNetwork } = key;
  if (!rulesFor(gatekeeperNetwork).forgetsPasses) return true;
  return within(ANSWER_TIMEOUT_MS, SANDBOXES.getByName(gatekeeperNetwork).admit(passName(key)), 'the sandbox');
}
