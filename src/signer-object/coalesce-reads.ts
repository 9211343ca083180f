import { type PassQuestion, type PassReading, unreadable } from './read-passes.ts';

type Read = (questions: readonly PassQuestion[]) => Promise<PassReading[]>;

interface Waiting {
  readonly asked: string;
  readonly question: PassQuestion;
  readonly answer: PromiseWithResolvers<PassReading>;
}

/** Different questions that one reading answers. */
const READ_MAX_QUESTIONS = 100;
/** Different questions of a gatekeeper network that may wait: as many as a client may ask in ten seconds. */
export const READS_MAX_WAITING = 1_000;

/**
 * Reads for all who ask, one reading at a time: what is asked meanwhile goes together in the next ones, each question
 * once. Gatekeeper networks take turns, or one that asks without end would have all others wait. What is asked of one
 * that has `WAITING_LIMIT` waiting is unreadable now. In memory only: who asks waits for the answer.
 */
export function coalesceReads(read: Read): Read {
  /** By gatekeeper network, the one whose turn is next first; none is empty. */
  const lanes = new Map<string, Waiting[]>();
  let isReading = false;

  async function readOn(): Promise<void> {
    if (isReading) return;
    isReading = true;
    for (let next = takeNext(lanes); next.length > 0; next = takeNext(lanes)) {
      const readings = read(next.map(({ question }) => question));
      for (const [index, { answer }] of next.entries()) {
        answer.resolve(readings.then((all) => all[index] ?? unreadable('it was not read')));
      }
      // Who asked hears of a fault; the others go on.
      await Promise.allSettled([readings]);
    }
    isReading = false;
  }

  return (questions) => {
    const answers = questions.map((question) => enqueueQuestion(lanes, question));
    void readOn();
    return Promise.all(answers);
  };
}

/** Not the same as one that is being read: what became of the pass since then would not show. */
function enqueueQuestion(lanes: Map<string, Waiting[]>, question: PassQuestion): Promise<PassReading> | PassReading {
  const { gatekeeperNetwork } = question.key;
  const lane = lanes.get(gatekeeperNetwork) ?? [];
  // Also what is known of the pass: of several tokens, that says which one counts.
  const asked = JSON.stringify(question);
  const same = lane.find((waiting) => waiting.asked === asked);
  if (same !== undefined) return same.answer.promise;
  if (lane.length >= READS_MAX_WAITING) return unreadable('too many questions of its gatekeeper network wait');
  const answer = Promise.withResolvers<PassReading>();
  lane.push({ asked, question, answer });
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
