import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Accepted } from '../pass-object/pass-object.ts';
import type { PassReply } from './pass/pass-reply.ts';
import { publishPass } from './publish-pass.ts';
import { readPassFromObject } from './read-from-object.ts';

/** How much longer than it should take the pass object is given: it brings the read model up to date when the time is over. */
const SLACK_MS = 5_000;
/** For who has waited in vain: what it is told then must not come so late that it has gone. */
const LAST_LOOK_MS = 2_000;

/**
 * The pass once it is settled, at the latest as it is after so many seconds; undefined when there is none, or when its object
 * does not say (it was restarted, or cannot be reached): who asked can do without.
 */
export async function awaitSettlement(key: PassKey, seconds: number, env: Env): Promise<PassReply | undefined> {
  try {
    const ms = seconds * 1000;
    const settled = env.PASSES.getByName(passName(key)).awaitSettlement(ms);
    const awaited = await withTimeout(ms + SLACK_MS, settled, undefined);
    if (awaited === undefined) return undefined;
    const { publication, bookmark, waited } = awaited;
    return { ...publication, bookmark, waited: waited ? seconds : undefined };
  } catch (fault) {
    logFault('wait', fault, { network: key.network });
    return undefined;
  }
}

/** The pass as it is after a wait that came to nothing: things may have happened meanwhile. Undefined where nobody says soon. */
async function readPassNow(key: PassKey, env: Env): Promise<PassReply | undefined> {
  try {
    return await withTimeout(LAST_LOOK_MS, readPassFromObject(key, env), undefined);
  } catch (fault) {
    logFault('wait', fault, { network: key.network });
    return undefined;
  }
}

/**
 * The pass of which a wish was granted: as it is then, or, if so many seconds are to be waited, once it is settled and the read
 * model has it: what this wish has settled is spread, what was settled before may still be on its way there. Who repeats what
 * others wait for waits with them: the wish was spread a moment ago.
 */
export async function publishAndAwait(wish: Accepted, seconds: number, env: Env): Promise<PassReply> {
  const { publication, changed, settled, repeated } = wish;
  const waits = seconds > 0 && !(settled && changed);
  const joins = waits && repeated;
  const bookmark = joins ? undefined : await publishPass(wish, env);
  const shown = waits ? await awaitSettlement(publication.key, seconds, env) : undefined;
  if (shown !== undefined) return shown;
  const asGranted = { ...publication, bookmark: bookmark ?? (await publishPass(wish, env)) };
  if (waits) return (await readPassNow(publication.key, env)) ?? asGranted;
  return { ...asGranted, waited: seconds > 0 && settled ? seconds : undefined };
}
