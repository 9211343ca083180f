import type { Store } from '../store/store.ts';
import { loadPass, type StoredPass, savePass } from './pass-store.ts';
import { publicationOf } from './publication.ts';
import { deleteRetry } from './retry-alarm.ts';
import type { Waiters } from './waiters.ts';

/** The parts of a pass object that an alarm needs. */
interface PassObjectParts {
  readonly storage: DurableObjectStorage;
  readonly store: Store;
  readonly waiters: Waiters;
}

/** Publishes a settled pass, takes it off the operator's list, and removes its retry. */
export async function publishSettled(
  { pass, listed }: StoredPass,
  { storage, store, waiters }: PassObjectParts,
): Promise<void> {
  await store.publishBatch([publicationOf(pass)]);
  waiters.markPublished(pass.version);
  if (listed) await store.unlistUnsettled(pass);
  await deleteRetry(storage, pass.version);
}

/** Publishes an unsettled pass and puts it on the operator's list, unless an earlier alarm did so. */
export async function publishUnsettled(
  { pass, since = Math.floor(Date.now() / 1000), written }: StoredPass,
  { storage, store, waiters }: PassObjectParts,
): Promise<void> {
  const { version } = pass;
  const [isPublished, isListed] = [written?.version === version, written?.since === since];
  if (isPublished && isListed) return;
  if (!isPublished) await store.publishBatch([publicationOf(pass)]);
  waiters.markPublished(version);
  if (!isListed) await store.listUnsettled({ ...pass, since });
  const stored = loadPass(storage);
  if (stored !== undefined) savePass(storage, { ...stored, written: { version, since } });
}
