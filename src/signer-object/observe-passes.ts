import { RpcFault } from '../chain/port.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { Observation } from '../pass/adopt.ts';
import type { OnChain } from '../pass/pass.ts';
import type { PassQuestion } from './read-passes.ts';
import type { Signer } from './signer.ts';
import { hasNonFinalStep, isUnderWay, lacksOwnSteps, oldestOpenOutcome } from './step-queries.ts';

/** An observation of a pass's wallet, as far as it says something about changes by others. */
export interface PassObservation extends Observation {
  /** Whether a step of the pass is under way. The final state is then absent, because it may lack the effect of that step. */
  readonly isBusy: boolean;
  /** When the oldest transaction was signed that may be in a block, and whose outcome the pass has not recorded; undefined: there is none. */
  readonly openSince: Milliseconds | undefined;
}

/**
 * Observes the wallets of these passes: one observation each, in order. A step that waits for days must not hide that others took
 * access away, so the confirmed state is present all the same. Throws RpcFault if the nodes do not answer.
 * @param trackConfirmed Checks whether confirmed transactions are still in their blocks.
 */
export async function observePasses(
  signer: Signer | undefined,
  questions: readonly PassQuestion[],
  trackConfirmed: (signer: Signer) => Promise<unknown>,
): Promise<PassObservation[]> {
  if (signer === undefined) throw new RpcFault('the signer of the pass is not configured');
  const { chain, storage, steps } = signer;
  const { sql } = storage;
  const observed = await chain.observe(questions);
  // A block may have left the chain before the reading: then its step is in flight again.
  if (questions.some(({ pass }) => hasNonFinalStep(sql, pass))) await trackConfirmed(signer);
  return observed.map(([{ pass, known }, { confirmed, final }]) => {
    const isBusy = isUnderWay(sql, pass) || lacks(confirmed) || lacks(final);
    // A state from before the known one says nothing.
    const isOld = (confirmed?.asOf ?? 0) < (known?.asOf ?? 0);
    const unrecorded = steps.outcomesOf(pass).map(({ step }) => step);
    const openSince = oldestOpenOutcome(sql, pass, unrecorded);
    return { confirmed: isOld ? undefined : confirmed, final: isBusy ? undefined : final, isBusy, openSince };

    function lacks(shown: OnChain | undefined): boolean {
      return shown !== undefined && lacksOwnSteps(sql, pass, shown);
    }
  });
}
