import type { Milliseconds } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { currentPause, type Pause } from './pause.ts';
import type { Signer } from './signer.ts';
import { nextMidnight, WHY_LANE_CEILING, WHY_SIGNER_CEILING } from './spending.ts';

/** The pauses that the operator sees, the same for a signer, for a lane and for a stuck step. */

export type ShownPause = Pick<Pause, 'why' | 'until'>;

/**
 * Returns the pause of the whole signer. Between two tries a pause is briefly over, but it is shown as long as steps wait for it.
 */
export function pauseOfSigner(
  storage: DurableObjectStorage,
  now: Milliseconds,
  isAwaited: boolean,
): ShownPause | undefined {
  return currentPause(storage, now) ?? (isAwaited ? storage.kv.get<Pause>('pause') : undefined);
}

/** Returns the pause of a lane, which lasts until a call of the lane would succeed. */
export function pauseOfLane(sql: SqlStorage, lane: string): ShownPause | undefined {
  const query = 'SELECT why, paused_until AS until FROM lane WHERE gatekeeper_network = ? AND why IS NOT NULL';
  return sql.exec<{ why: string; until: number }>(query, lane).toArray()[0];
}

export function ceilingOfSigner({ spending }: Signer, now: Milliseconds): ShownPause | undefined {
  return spending.isSignerCeilingReached(now) ? { why: WHY_SIGNER_CEILING, until: nextMidnight(now) } : undefined;
}

/** Returns the ceiling of a lane; undefined also if the ceiling of the whole signer is reached. */
export function ceilingOfLane(signer: Signer, lane: GatekeeperNetwork, now: Milliseconds): ShownPause | undefined {
  const { spending } = signer;
  const isReached = spending.reachedBy(lane, now) !== undefined && !spending.isSignerCeilingReached(now);
  return isReached ? { why: WHY_LANE_CEILING, until: nextMidnight(now) } : undefined;
}
