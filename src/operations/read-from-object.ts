import { logFault } from '../log/log.ts';
import type { PassKey } from '../pass/pass.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { FoundPass } from '../store/passes.ts';
import type { Backend } from './backend.ts';

/** A pass, and the bookmark for a caller who has seen it. */
export interface PassView extends FoundPass {
  readonly bookmark: string;
  /** Maximum number of seconds that the request waited for the pass to settle; undefined if it did not wait. */
  readonly waitedSeconds?: number | undefined;
}

/**
 * Returns the pass from its object, the source of truth, and repairs its row. For use when the read model lacks the pass or does
 * not answer. Undefined if there is no such pass.
 */
export async function readPassFromObject(key: PassKey, { store, passObject }: Backend): Promise<PassView | undefined> {
  const publication = await passObject(key).readPublication();
  if (publication === undefined) return undefined;
  const bookmark = await store.publishPasses([publication]).catch((fault) => {
    logFault('pass.publish_failed', fault);
    return READ_PRIMARY;
  });
  return { ...publication, bookmark };
}
