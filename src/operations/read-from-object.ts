import { logFault } from '../log/log.ts';
import type { PassKey } from '../pass/pass.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { FoundPass } from '../store/passes.ts';
import type { Backend } from './backend.ts';

/** A pass, and the bookmark of a caller who has seen it. */
export interface PassView extends FoundPass {
  readonly bookmark: string;
  /** How many seconds the request would have waited for the pass to settle; undefined if it did not wait. */
  readonly waitedSeconds?: number | undefined;
}

/**
 * Reads the pass from its object, the source of truth, when the read model lacks it or does not answer. Repairs the row.
 * Undefined if there is no such pass.
 */
export async function readPassFromObject(key: PassKey, { store, passObject }: Backend): Promise<PassView | undefined> {
  const publication = await passObject(key).readPublication();
  if (publication === undefined) return undefined;
  const bookmark = await store.publishPass(publication).catch((fault) => {
    logFault('read-model', fault);
    return READ_PRIMARY;
  });
  return { ...publication, bookmark };
}
