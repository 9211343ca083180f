import type { Signer } from './signer.ts';

/** Runs the work in one transaction. If it throws, storage rolls back, and lanes and spending are counted again. */
export function commit<T>(
  { storage, lanes, spending }: Pick<Signer, 'storage' | 'lanes' | 'spending'>,
  work: () => T,
): T {
  try {
    return storage.transactionSync(work);
  } catch (fault) {
    lanes.recount();
    spending.recount();
    throw fault;
  }
}
