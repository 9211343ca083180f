import type { Milliseconds } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { RANKS, type Rank, RESERVE_RANKS, STEP_KINDS } from '../pass/step-kinds.ts';
import type { Signer } from './signer.ts';
import { waitingSteps, waitsForMint } from './step-queries.ts';
import type { StepEntry } from './step-row.ts';
import { SIGNER } from './waits.ts';

/** Of ten turns of a lane, eight serve the highest rank that has waiting steps, one serves the second, and one the lowest. */
const TURNS = 10;
const TURN_OF_SECOND = 4;
const TURN_OF_LOWEST = 9;

/**
 * Returns the next steps to prepare, at most `limit`: one of each lane in turn, starting after the lane that was served
 * last. Within a lane the rank decides, then `not_before`. Postpones steps whose mint is not final.
 * @param served Leaves out the steps of other ranks.
 */
export function nextSteps(
  signer: Signer,
  limit: number,
  now: Milliseconds,
  served: readonly Rank[] = RANKS,
): StepEntry[] {
  const inTurn = signer.steps.lanes.inTurn();
  const page = Math.ceil(limit / inTurn.length);
  const next: StepEntry[] = [];
  let open = inTurn.map((lane) => stepsOfLane(signer, lane, page, now, served));
  while (open.length > 0 && next.length < limit) {
    open = open.filter((steps) => {
      if (next.length >= limit) return true;
      const { value, done } = steps.next();
      if (!done) next.push(value);
      return !done;
    });
  }
  return next;
}

function* stepsOfLane(
  signer: Signer,
  lane: GatekeeperNetwork,
  page: number,
  now: Milliseconds,
  served: readonly Rank[],
): Generator<StepEntry, undefined> {
  const { waits } = signer;
  const { lanes } = signer.steps;
  if (waits.blocking(lane, now) !== undefined || waits.blocking(SIGNER, now) !== undefined) return;
  const isCeilingReached = ([SIGNER, lane] as const).some((scope) => waits.active(scope, now).length > 0);
  const ranks = lanes
    .waitingRanks(lane)
    .filter((rank) => served.includes(rank) && (!isCeilingReached || RESERVE_RANKS.includes(rank)));
  const isServed = ({ step }: StepEntry) => !isCeilingReached || STEP_KINDS[step.kind].mayUseReserve;
  const queues = ranks.map((rank) => new RankQueue(signer, { gatekeeperNetwork: lane, rank }, isServed, page, now));
  for (;;) {
    const step = chooseQueue(queues, lanes.turnsOf(lane) % TURNS)?.take();
    if (step === undefined) return;
    lanes.countTurn(lane);
    yield step;
  }
}

/** Returns the queue to serve in this turn; undefined if all are empty. `queues` has the highest rank first. */
function chooseQueue(queues: readonly RankQueue[], turn: number): RankQueue | undefined {
  if (turn === TURN_OF_LOWEST) return queues.findLast((queue) => queue.hasNext());
  if (turn !== TURN_OF_SECOND) return queues.find((queue) => queue.hasNext());
  const [first, second] = queues.filter((queue) => queue.hasNext());
  return second ?? first;
}

/** The waiting steps of one rank of a lane, read a page at a time. */
class RankQueue {
  readonly #signer: Signer;
  readonly #lane: { readonly gatekeeperNetwork: GatekeeperNetwork; readonly rank: Rank };
  readonly #isServed: (entry: StepEntry) => boolean;
  readonly #pageSteps: number;
  readonly #now: Milliseconds;
  #page: StepEntry[] = [];
  /** Number of steps that were read and still wait. */
  #offset = 0;

  constructor(
    signer: Signer,
    lane: { readonly gatekeeperNetwork: GatekeeperNetwork; readonly rank: Rank },
    isServed: (entry: StepEntry) => boolean,
    pageSteps: number,
    now: Milliseconds,
  ) {
    this.#signer = signer;
    this.#lane = lane;
    this.#isServed = isServed;
    this.#pageSteps = pageSteps;
    this.#now = now;
  }

  hasNext(): boolean {
    if (this.#page.length === 0) this.#page = this.#readPage();
    return this.#page.length > 0;
  }

  take(): StepEntry | undefined {
    return this.hasNext() ? this.#page.shift() : undefined;
  }

  #readPage(): StepEntry[] {
    const { storage, network, steps: table } = this.#signer;
    for (;;) {
      const steps = waitingSteps(storage.sql, network, this.#lane, this.#now, this.#pageSteps, this.#offset);
      // A postponed step no longer matches the query, so the offset counts only the others.
      const ready = steps.filter(({ step }) => !waitsForMint(storage.sql, step));
      for (const entry of steps)
        if (!ready.includes(entry)) table.postpone(entry, { code: 'mint-not-final' }, this.#now);
      this.#offset += ready.length;
      const served = ready.filter(this.#isServed);
      if (served.length > 0 || steps.length < this.#pageSteps) return served;
    }
  }
}
