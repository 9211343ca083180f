import { type Pairs, pairAll, type Reading, RpcFault } from '../chain/port.ts';
import type { Milliseconds } from '../lib/units.ts';
import type { Observation } from '../pass/adopt.ts';
import type { OnChain, PassQuestion } from '../pass/pass.ts';
import type { Signer } from './signer.ts';
import { hasNonFinalStep, isUnderWay, lacksOwnSteps, oldestOpenOutcome } from './step-queries.ts';

/** `busy`: a step of the pass is under way, so a difference on the chain may be its effect and not a change by others. */
export type PassReading = Reading | { readonly type: 'busy' };

/**
 * Reads the on-chain state of these passes.
 * @param trackConfirmed Checks whether confirmed transactions are still in their blocks.
 */
export async function readPasses<Q extends PassQuestion>(
  signer: Signer | undefined,
  questions: readonly Q[],
  trackConfirmed: (signer: Signer) => Promise<unknown>,
): Promise<Pairs<Q, PassReading>> {
  if (signer === undefined) return pairAll(questions, unreadable('its signer is not configured'));
  const { storage, chain } = signer;
  const { sql } = storage;
  const idle = questions.filter(({ pass }) => !isOpen(signer, pass));
  try {
    const readings = new Map<Q, Reading>(idle.length === 0 ? [] : await chain.read(idle));
    // A block may have left the chain before the reading: then its step is in flight again.
    if (idle.some(({ pass }) => hasNonFinalStep(sql, pass))) await trackConfirmed(signer);
    return questions.map((question) => {
      const reading = readings.get(question) ?? unreadable('a step of the pass was under way a moment ago');
      const lacksOurs = reading.type === 'read' && lacksOwnSteps(sql, question.pass, reading.onChain);
      return [question, lacksOurs || isOpen(signer, question.pass) ? { type: 'busy' } : reading];
    });
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return pairAll(questions, unreadable(fault.message));
  }
}

/**
 * Whether the chain may differ from the pass by its own steps: one is under way, or the pass has not recorded that one ended otherwise than
 * confirmed. A reorg may so end a step that the pass has recorded as confirmed.
 */
function isOpen({ storage, steps }: Signer, pass: string): boolean {
  return isUnderWay(storage.sql, pass) || steps.outcomesOf(pass).some(({ status }) => status.type !== 'confirmed');
}

export function unreadable(why: string): Reading {
  return { type: 'unreadable', why };
}

type Read = <Q extends PassQuestion>(questions: readonly Q[]) => Promise<Pairs<Q, PassReading>>;

/** A question that waits for a reading. Callers with the same question share its answer. */
interface Waiting extends PassQuestion {
  /** The question as a text, for comparison. */
  readonly text: string;
  readonly answer: PromiseWithResolvers<PassReading>;
}

/** Maximum number of different questions in one reading. */
const READ_MAX_QUESTIONS = 100;
/** Maximum number of different questions that wait per gatekeeper network: as many as a client may ask in ten seconds. */
export const READS_MAX_WAITING = 1_000;

/**
 * Returns a function that reads for all callers and returns the readings in the order of the questions. One reading runs at
 * a time. Questions that arrive meanwhile share the next readings; equal questions are read once. Gatekeeper networks take
 * turns, so that one network with many questions does not delay the others. A gatekeeper network that already has
 * `READS_MAX_WAITING` waiting questions gets `unreadable` for further ones. In memory only, because the callers wait.
 */
export function coalesceReads(read: Read): (questions: readonly PassQuestion[]) => Promise<PassReading[]> {
  /** Waiting questions by gatekeeper network. The network whose turn is next comes first, and no list is empty. */
  const lanes = new Map<string, Waiting[]>();
  let isReading = false;

  async function readWaiting(): Promise<void> {
    if (isReading) return;
    isReading = true;
    for (let next = takeNext(lanes); next.length > 0; next = takeNext(lanes)) {
      try {
        for (const [{ answer }, reading] of await read(next)) answer.resolve(reading);
      } catch (fault) {
        // Only the callers of this reading get the fault. The loop continues for the others.
        for (const { answer } of next) answer.reject(fault);
      }
    }
    isReading = false;
  }

  return (questions) => {
    const answers = questions.map((question) => enqueueQuestion(lanes, question));
    void readWaiting();
    return Promise.all(answers);
  };
}

/**
 * Adds the question to its lane, or shares an equal one that waits. It does not share a question that is being read now:
 * that reading may miss the latest change of the pass.
 */
function enqueueQuestion(lanes: Map<string, Waiting[]>, question: PassQuestion): Promise<PassReading> | PassReading {
  const { gatekeeperNetwork } = question.key;
  const lane = lanes.get(gatekeeperNetwork) ?? [];
  // The text includes the known on-chain state, because that decides which of several tokens counts.
  const text = JSON.stringify(question);
  const same = lane.find((waiting) => waiting.text === text);
  if (same !== undefined) return same.answer.promise;
  if (lane.length >= READS_MAX_WAITING) return unreadable('too many readings of its gatekeeper network are waiting');
  const answer = Promise.withResolvers<PassReading>();
  lane.push({ ...question, text, answer });
  lanes.set(gatekeeperNetwork, lane);
  return answer.promise;
}

/** Takes one question of each lane in turn, until the reading is full or no question waits. */
function takeNext(lanes: Map<string, Waiting[]>): Waiting[] {
  const next: Waiting[] = [];
  // The loop visits a lane that is added back at the end again, so it ends only when the map is empty or the reading full.
  for (const [gatekeeperNetwork, lane] of lanes) {
    if (next.length === READ_MAX_QUESTIONS) break;
    next.push(...lane.splice(0, 1));
    lanes.delete(gatekeeperNetwork);
    if (lane.length > 0) lanes.set(gatekeeperNetwork, lane);
  }
  return next;
}

/** An observation of a pass's wallet, as far as it says something about changes by others. */
export interface PassObservation extends Observation {
  /** Whether a step of the pass is under way. Then the final state, which may lack its effect, is absent, unless it is that of a later token. */
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
    const isBusy = isOpen(signer, pass) || lacks(confirmed) || lacks(final);
    // A state from before the known one says nothing.
    const isOld = (confirmed?.asOf ?? 0) < (known?.asOf ?? 0);
    const unrecorded = steps.outcomesOf(pass).map(({ step }) => step);
    const openSince = oldestOpenOutcome(sql, pass, unrecorded);
    // No step under way minted a later token with the same id.
    const isHidden = isBusy && !final?.burnedAt;
    return { confirmed: isOld ? undefined : confirmed, final: isHidden ? undefined : final, isBusy, openSince };

    function lacks(shown: OnChain | undefined): boolean {
      return shown !== undefined && lacksOwnSteps(sql, pass, shown);
    }
  });
}
