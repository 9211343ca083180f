import type { Observation } from '../pass/adopt.ts';
import type { Requester } from '../pass/audit-entries.ts';
import type { Cause, OnChain, PassKey } from '../pass/pass.ts';
import { reachObject } from './call-object.ts';
import { type Arrival, type HandedOver, handOver, type Receivers } from './hand-over.ts';

/** A pass, and what the chain shows of its wallet. */
export interface ShownPass {
  readonly key: PassKey;
  /** Its id. */
  readonly pass: string;
  readonly observation: Observation;
  /** The changes by others that led to the observation, in order. */
  readonly causes?: readonly Cause[];
  /** The requester of the reading; undefined: nobody requested it. */
  readonly by?: Requester;
  /** The version of its row, if that is known: an older row gets the pass, also if the pass changes nothing. */
  readonly rowVersion?: number;
}

/** The answer of a pass object to the shown state. */
export interface Adopted extends HandedOver {
  readonly changed: boolean;
  /** The known state after it. */
  readonly onChain: OnChain;
  /** Whether a step of the pass is under way, so that it could not adopt a final state. */
  readonly isBusy: boolean;
}

/** The answers of the passes, in order. */
interface Adoption extends Arrival {
  readonly answers: readonly (Adopted | 'no-pass' | 'unreachable')[];
}

/**
 * Lets passes adopt what the chain shows, publishes what has changed, and enqueues the work that is left. The one way of a change by
 * others into a pass: of a partner's sync, of the reconciliation, of the watcher, and of a sandbox. Never throws.
 */
export async function adoptFromChain(shown: readonly ShownPass[], receivers: Receivers): Promise<Adoption> {
  const answers = await Promise.all(
    shown.map(async ({ key, pass, observation, causes, by, rowVersion = Number.POSITIVE_INFINITY }) => {
      const adopt = async (): Promise<Adopted | 'no-pass'> => {
        const answer = await receivers.passObject(key).adopt(observation, causes, by);
        if (answer === undefined) return 'no-pass';
        const isBehind = answer.publish === 'nothing' && answer.publication.version > rowVersion;
        return isBehind ? { ...answer, publish: 'record' } : answer;
      };
      return (await reachObject(adopt, 'pass', pass)) ?? 'unreachable';
    }),
  );
  const changes = answers.flatMap((each) => (typeof each === 'string' ? [] : each));
  return { answers, ...(await handOver(changes, receivers)) };
}
