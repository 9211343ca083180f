import { waitUntil } from 'cloudflare:workers';
import { FreshValue } from '../lib/fresh-value.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { DAILY_ROOM_OF_PASSES } from '../pass-object/daily-quota.ts';
import type { Backend } from './backend.ts';

const ANSWER_TIMEOUT_MS = 2 * SECOND_MS;
/** Number of gatekeeper networks that one isolate remembers. */
const REMEMBERED_MAX = 1_000;

/** Whether each gatekeeper network has used up its room. All requests of an isolate share it. */
const known = new Map<string, FreshValue<boolean>>();

/**
 * Whether at least 40,000 passes of the gatekeeper network have ended without a transaction today, as of the last minute: it gets no new one.
 * False if the count does not answer.
 */
export async function hasUsedUpRoom(gatekeeperNetwork: string, { quotaObject }: Backend): Promise<boolean> {
  const value = known.get(gatekeeperNetwork) ?? new FreshValue<boolean>({ freshMs: MINUTE_MS }, waitUntil);
  if (known.size >= REMEMBERED_MAX) known.clear();
  known.set(gatekeeperNetwork, value);
  const read = async () => {
    const used = await withTimeout(ANSWER_TIMEOUT_MS, quotaObject(gatekeeperNetwork).usedToday(), undefined);
    return (used?.changes ?? 0) >= DAILY_ROOM_OF_PASSES;
  };
  // A count that is away must not be asked by each request.
  return value.get(() => read().catch(() => false));
}
