import type { Pairs } from '../chain/pairs.ts';
import { type PassQuestion, type PassReading, unreadable } from './read-passes.ts';

type Read = <Q extends PassQuestion>(questions: readonly Q[]) => Promise<Pairs<Q, PassReading>>;

/** A question that all who ask the same wait for. */
interface Waiting extends PassQuestion {
  /** The question as a text, for comparison. */
  readonly text: string;
  readonly answer: PromiseWithResolvers<PassReading>;
}

/** Different questions that one reading answers. */
const READ_MAX_QUESTIONS = 100;
/** Different questions of a gatekeeper network that may wait: as many as a client may ask in ten seconds. */
export const READS_MAX_WAITING = 1_000;

/**
 * Reads for all callers, one reading at a time. Questions that arrive meanwhile go together into the next readings, each
 * once. Gatekeeper networks take turns, so that one that asks without end does not delay the others. A gatekeeper network
 * that has `READS_MAX_WAITING` questions waiting gets `unreadable` for more. In memory only: the callers wait.
 * Readings come in the order of the questions.
 */
export function coalesceReads(read: Read): (questions: readonly PassQuestion[]) => Promise<PassReading[]> {
  /** By gatekeeper network, the one whose turn is next first; none is empty. */
  const lanes = new Map<string, Waiting[]>();
  let isReading = false;

  async function readWaiting(): Promise<void> {
    if (isReading) return;
    isReading = true;
    for (let next = takeNext(lanes); next.length > 0; next = takeNext(lanes)) {
      try {
        for (const [{ answer }, reading] of await read(next)) answer.resolve(reading);
      } catch (fault) {
        // The callers of this reading get the fault; the others go on.
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

/** Not the same as one that is being read: what became of the pass since then would not show. */
function enqueueQuestion(lanes: Map<string, Waiting[]>, question: PassQuestion): Promise<PassReading> | PassReading {
  const { gatekeeperNetwork } = question.key;
  const lane = lanes.get(gatekeeperNetwork) ?? [];
  // Also what is known of the pass: of several tokens, that says which one counts.
  const text = JSON.stringify(question);
  const same = lane.find((waiting) => waiting.text === text);
  if (same !== undefined) return same.answer.promise;
  if (lane.length >= READS_MAX_WAITING) return unreadable('too many questions of its gatekeeper network wait');
  const answer = Promise.withResolvers<PassReading>();
  lane.push({ ...question, text, answer });
  lanes.set(gatekeeperNetwork, lane);
  return answer.promise;
}

/** One of each lane in turn, until they are enough or nobody waits. */
function takeNext(lanes: Map<string, Waiting[]>): Waiting[] {
  const next: Waiting[] = [];
  // A lane that is put back at the end comes to its turn again: the loop goes on until the map is empty.
  for (const [gatekeeperNetwork, lane] of lanes) {
    if (next.length === READ_MAX_QUESTIONS) break;
    next.push(...lane.splice(0, 1));
    lanes.delete(gatekeeperNetwork);
    if (lane.length > 0) lanes.set(gatekeeperNetwork, lane);
  }
  return next;
}
