import { waitUntil } from 'cloudflare:workers';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { Accepted } from '../pass-object/results.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Backend } from './backend.ts';

/**
 * Publishes an accepted change and enqueues the remaining work, as far as the pass object requests it. Best effort: the alarm of
 * the object guarantees both. Returns the bookmark for the caller, who has seen the pass.
 */
export async function publishPass({ publication, publish }: Accepted, backend: Backend): Promise<string> {
  if (publish === 'nothing' || publish === 'if-wait-fails') return READ_PRIMARY;
  const { store, queue, passObject } = backend;
  const { key, id, version, handedOver } = publication;
  const logFailure = (fault: unknown) => logFault('pass.publish_failed', fault, { pass: id });
  const enqueue = () => sendProcessPasses(queue, [{ pass: key }]).catch(logFailure);
  const publishRecord = async () => {
    try {
      const bookmark = await store.publishPass(publication);
      // The object notifies requests that wait for the settlement, and deletes its alarm.
      if (publish === 'record') waitUntil(passObject(key).markPublished(version, handedOver).catch(logFailure));
      return bookmark;
    } catch (fault) {
      logFailure(fault);
      // A message updates the read model sooner than the alarm of a settled pass, which is not urgent.
      if (publish === 'record') await enqueue();
      return READ_PRIMARY;
    }
  };
  const [bookmark] = await Promise.all([publishRecord(), publish === 'record-and-work' ? enqueue() : undefined]);
  return bookmark;
}
