import { waitUntil } from 'cloudflare:workers';
import { countSettlement } from '../counts/counts.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/queue.ts';
import type { Accepted } from '../pass-object/results.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Backend } from './backend.ts';

/** Longer than the pass waits for its signer. */
const HURRY_TIMEOUT_MS = 20_000;
/** A request waits as long for the queue as for D1. */
const QUEUE_TIMEOUT_MS = 2_000;

/**
 * Publishes accepted changes in one batch and enqueues the remaining work in one call, as far as the pass objects request it. Best
 * effort: the alarms of the objects guarantee both. Returns the bookmark for the caller, who has seen the passes.
 */
export async function publishAccepted(
  accepted: readonly Accepted[],
  backend: Backend,
  queue = backend.queue,
): Promise<string> {
  // The work that takes access away waits for no message.
  for (const { publication, publish, isUrgent } of accepted) {
    const hurry = () => backend.passObject(publication.key, HURRY_TIMEOUT_MS).hurry();
    if (isUrgent && publish === 'record-and-work')
      waitUntil(hurry().catch((fault) => logFault('pass.unreachable', fault, { pass: publication.id })));
  }
  const [settled, unsettled] = [publicationsOf(accepted, 'record'), publicationsOf(accepted, 'record-and-work')];
  if (settled.length + unsettled.length === 0) return READ_PRIMARY;
  const { store, passObject } = backend;
  const logFailure = (fault: unknown) =>
    logFault('pass.publish_failed', fault, { pass: [...settled, ...unsettled][0]?.id, passes: accepted.length });
  const enqueue = (publications: typeof settled) =>
    sendProcessPasses(
      queue,
      publications.map(({ key: pass }) => ({ pass })),
      QUEUE_TIMEOUT_MS,
    ).catch(logFailure);
  const publishRecords = async () => {
    try {
      const bookmark = await store.publishPasses([...settled, ...unsettled]);
      // The objects notify requests that wait for the settlement, and delete their alarms.
      for (const { key, version, eventsInFeed } of settled)
        waitUntil(passObject(key).markPublished({ version, eventsInFeed }).then(countSettlement, logFailure));
      return bookmark;
    } catch (fault) {
      logFailure(fault);
      // A message updates the read model sooner than the alarm of a settled pass, which is not urgent.
      waitUntil(enqueue(settled));
      return READ_PRIMARY;
    }
  };
  const [bookmark] = await Promise.all([publishRecords(), enqueue(unsettled)]);
  return bookmark;
}

function publicationsOf(accepted: readonly Accepted[], publish: Accepted['publish']) {
  return accepted.filter((each) => each.publish === publish).map(({ publication }) => publication);
}
