import type { StepTable } from './step-table.ts';

/** The parts of a signer that a commit concerns. */
interface Committing {
  readonly storage: Pick<DurableObjectStorage, 'transactionSync'>;
  readonly steps: Pick<StepTable, 'reload'>;
}

/** Runs the work in one transaction. If it throws, storage rolls back, and all that is in memory is read again. */
export function commit<T>({ storage, steps }: Committing, work: () => T): T {
  try {
    return storage.transactionSync(work);
  } catch (fault) {
    steps.reload();
    throw fault;
  }
}
