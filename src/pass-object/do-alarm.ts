import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { appendExpiryEvents } from '../pass/expiry-events.ts';
import { raiseEventsInFeed } from '../pass/feed-events.ts';
import { isSettled } from '../pass/next-step.ts';
import type { Pass } from '../pass/pass.ts';
import { BULK_ISSUANCE } from '../pass/step-kinds.ts';
import type { Publication } from '../store/passes.ts';
import type { Store } from '../store/store.ts';
import { expiryNoticeSeconds } from './alarm-delay.ts';
import { expiryAlarmAt, isPublishedWith } from './alarm-times.ts';
import type { PassAndAlarm } from './pass-and-alarm.ts';
import { isWritten, loadPass, type StoredPass, savePass } from './pass-store.ts';
import { publicationOf } from './publication.ts';
import type { Waiters } from './waiters.ts';

/** The parts of a pass object that an alarm needs. */
interface PassObjectParts {
  readonly storage: DurableObjectStorage;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly passAndAlarm: PassAndAlarm;
  readonly env: () => Env;
}

/** Does everything that is due when the alarm of a pass fires. Logs faults, because a later alarm tries again. */
export async function doAlarm(stored: StoredPass, parts: PassObjectParts): Promise<void> {
  const { passAndAlarm, env } = parts;
  const isDone = isSettled(stored.pass);
  const announced = appendExpiryEvents(stored.pass, Math.floor(Date.now() / 1000), expiryNoticeSeconds(env()));
  const isExpiry = announced !== stored.pass;
  // Schedule the next alarm before the work: a crash below must not end the retries. An expiry event is no attempt.
  const attempt = isExpiry ? stored : { ...stored, listed: stored.listed || !isDone, tries: stored.tries + 1 };
  const pass = await passAndAlarm.save(announced, { stored: attempt, alarm: undefined }, attempt.tries);
  const works = await Promise.allSettled([
    isDone && !isExpiry ? undefined : sendProcessPasses(queueFor(pass, env()), [{ pass: pass.key }]),
    // The queue publishes many expiry events in one batch.
    isExpiry ? undefined : (isDone ? publishSettled : publishUnsettled)({ ...stored, pass }, parts),
  ]);
  for (const work of works)
    if (work.status === 'rejected') logFault('pass.alarm_failed', work.reason, { pass: pass.id });
}

/** A retry of a bulk issuance must not be before the pass of a waiting user either. */
function queueFor({ issuanceRank }: Pass, { LOOKS, BULK_LOOKS }: Env): Queue {
  return issuanceRank === BULK_ISSUANCE ? BULK_LOOKS : LOOKS;
}

/** Publishes a settled pass, takes it off the operator's list, and ends its retry. */
async function publishSettled({ pass, listed }: StoredPass, parts: PassObjectParts): Promise<void> {
  const { store, waiters } = parts;
  const publication = publicationOf(pass);
  await store.publishBatch([publication]);
  waiters.markPublished(pass.version, publication.eventsInFeed);
  if (listed) await store.unlistUnsettled(pass);
  await endRetry(publication, parts);
}

/** Publishes an unsettled pass and puts it on the operator's list, unless an earlier alarm did so. */
async function publishUnsettled(before: StoredPass, { storage, store, waiters }: PassObjectParts): Promise<void> {
  const { pass, since = Math.floor(Date.now() / 1000), written } = before;
  const [isPublished, isListed] = [isWritten(before), written?.since === since];
  if (isPublished && isListed) return;
  const { version, eventsInFeed = 0, ...publication } = publicationOf(pass);
  if (!isPublished) await store.publishBatch([{ version, eventsInFeed, ...publication }]);
  waiters.markPublished(version, eventsInFeed);
  if (!isListed) await store.listUnsettled({ ...pass, since });
  const stored = loadPass(storage);
  if (stored === undefined) return;
  savePass(storage, { ...stored, pass: raiseEventsInFeed(stored.pass, eventsInFeed), written: { version, since } });
}

/**
 * Ends the retry of a settled pass that is published: its alarm becomes that of its expiry. Does nothing if the pass has another
 * version by now, or further events for the feed.
 */
export async function endRetry(
  { version, eventsInFeed = 0 }: Pick<Publication, 'version' | 'eventsInFeed'>,
  { storage, env }: Pick<PassObjectParts, 'storage' | 'env'>,
): Promise<void> {
  const alarm = await storage.getAlarm();
  const stored = loadPass(storage);
  if (stored?.pass.version !== version || (stored.pass.feed?.last ?? 0) > eventsInFeed) return;
  if (stored.listed) savePass(storage, { ...stored, listed: undefined, written: undefined });
  if (isPublishedWith(alarm)) return;
  const expiry = expiryAlarmAt(stored.pass, Date.now(), expiryNoticeSeconds(env()));
  await (expiry === undefined ? storage.deleteAlarm() : storage.setAlarm(expiry));
}
