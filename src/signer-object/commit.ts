import type { StepQueue } from './step-table.ts';

/** Runs the work in one transaction. If it throws, the transaction is rolled back, and the lanes are counted again. */
export function commit<T>({ storage, lanes }: StepQueue, work: () => T): T {
  try {
    return storage.transactionSync(work);
  } catch (fault) {
    lanes.recount();
    throw fault;
  }
}
