import type { UnixSeconds } from '../lib/brand.ts';
import { eventsInFeedOf } from '../pass/feed-events.ts';
import { isSettled } from '../pass/next-step.ts';
import { type Pass, stateOf } from '../pass/pass.ts';
import { recordOf } from '../pass/record.ts';
import type { Publication } from '../store/passes.ts';
import type { RestoredPass } from '../store/restore-list.ts';
import type { StoredPass } from './pass-store.ts';
import type { Publishing } from './results.ts';

/** Returns the pass as the read model should have it. */
export function publicationOf(pass: Pass): Publication {
  const { id, key, shard, version, feed } = pass;
  const events = feed?.pending ?? [];
  // Claim no event that this publication does not carry: an object may store later ones in rows of their own.
  const eventsInFeed = events.at(-1)?.n ?? (feed ? eventsInFeedOf(feed) : 0);
  const record = JSON.stringify(recordOf(pass));
  const validity = { onChainState: pass.onChain.state, until: endOf(pass) };
  return { id, key, shard, version, state: stateOf(pass), record, validity, events, eventsInFeed };
}

/** Returns the earlier one of the expiry on chain and the wanted one; null: never. They differ while a change is under way. */
function endOf({ onChain, wanted }: Pass): UnixSeconds | null {
  const expiries = [onChain.expiry, wanted.expiry].filter((expiry) => expiry !== undefined);
  return expiries.length === 0 ? null : Math.min(...expiries);
}

/** Returns the pass as a restored database should have it. */
export function restoredPassOf({ pass, since, listed }: StoredPass, now: UnixSeconds): RestoredPass {
  const publication = publicationOf(pass);
  return isSettled(pass) ? { publication, settledAt: now } : { publication, listedSince: listed ? since : undefined };
}

/**
 * Returns what the caller of the pass object must publish and enqueue. A settled pass that did not change is published
 * already, or its alarm will publish it. An unsettled pass is published again even if it did not change, because a partner's
 * repeated request is a reason to try again. The exception is a request that waits with another one that has just published.
 */
export function publishingOf(pass: Pass, changed: boolean, waitsWithOthers: boolean): Publishing {
  if (isSettled(pass)) return changed ? 'record' : 'nothing';
  return waitsWithOthers ? 'if-wait-fails' : 'record-and-work';
}
