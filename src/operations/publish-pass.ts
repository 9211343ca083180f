import { waitUntil } from 'cloudflare:workers';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { Accepted } from '../pass-object/results.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Backend } from './backend.ts';

/**
 * Publishes what a pass object accepted, as far as it asks for that, and enqueues the work that is left. Best effort: the
 * object's alarm guarantees both. Returns the bookmark of a caller who has seen the pass.
 */
export async function publishPass({ publication, publish }: Accepted, backend: Backend): Promise<string> {
  if (publish === 'nothing' || publish === 'if-wait-fails') return READ_PRIMARY;
  const { store, queue, passObject } = backend;
  const { key, id, version } = publication;
  const logFailure = (fault: unknown) => logFault('publish', fault, { pass: id });
  const enqueue = () => sendProcessPasses(queue, [{ pass: key }]).catch(logFailure);
  const publishRecord = async () => {
    try {
      const bookmark = await store.publishPass(publication);
      // Whoever waits for the settlement is notified, and the alarm is deleted.
      if (publish === 'record') waitUntil(passObject(key).markPublished(version).catch(logFailure));
      return bookmark;
    } catch (fault) {
      logFailure(fault);
      // A message brings the read model up to date sooner than the alarm of a settled pass, which is in no hurry.
      if (publish === 'record') await enqueue();
      return READ_PRIMARY;
    }
  };
  const [bookmark] = await Promise.all([publishRecord(), publish === 'record-and-work' ? enqueue() : undefined]);
  return bookmark;
}
