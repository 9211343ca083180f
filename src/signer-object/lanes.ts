import type { GatekeeperNetwork } from '../network/slot.ts';
import { RANKS, type Rank } from '../pass/step-kinds.ts';

/** Maximum number of waiting steps of a rank in one lane. Beyond it, the passes wait in their own alarms. */
export const RANK_MAX_STEPS: Readonly<Record<Rank, number>> = { 0: 10_000, 1: 10_000, 2: 200_000 };

interface Lane {
  /** Number of waiting steps by rank. */
  readonly waiting: Record<Rank, number>;
  /** Number of steps taken from the lane since it was last empty. */
  turns: number;
}

/**
 * Counts the waiting steps of each lane by rank, and knows whose turn is next. The counts are in memory, because counting
 * rows reads each row. They are read from the table once, and every change of a waiting step adjusts them, after its row.
 */
export class Lanes {
  readonly #count: () => readonly { lane: GatekeeperNetwork; rank: Rank; n: number }[];
  #lanes: Map<GatekeeperNetwork, Lane> | undefined;
  #lastServed = '';

  /** @param count Returns the number of waiting steps by lane and rank, as stored. */
  constructor(count: () => readonly { lane: GatekeeperNetwork; rank: Rank; n: number }[]) {
    this.#count = count;
  }

  /** Returns the gatekeeper networks that have waiting steps, starting after the one that was served last. */
  inTurn(): GatekeeperNetwork[] {
    const all = [...this.#read().keys()].toSorted();
    const start = all.findIndex((lane) => lane > this.#lastServed);
    return start < 0 ? all : [...all.slice(start), ...all.slice(0, start)];
  }

  /** Returns the ranks that have waiting steps in the lane, the highest (0) first. */
  waitingRanks(lane: GatekeeperNetwork): Rank[] {
    return RANKS.filter((rank) => this.countOf(lane, rank) > 0);
  }

  countOf(lane: GatekeeperNetwork, rank: Rank): number {
    return this.#read().get(lane)?.waiting[rank] ?? 0;
  }

  /** Returns the number of waiting steps of all ranks. */
  countAll(lane: GatekeeperNetwork): number {
    return RANKS.reduce((sum: number, rank) => sum + this.countOf(lane, rank), 0);
  }

  hasRoom(lane: GatekeeperNetwork, rank: Rank): boolean {
    return this.countOf(lane, rank) < RANK_MAX_STEPS[rank];
  }

  turnsOf(lane: GatekeeperNetwork): number {
    return this.#read().get(lane)?.turns ?? 0;
  }

  countTurn(lane: GatekeeperNetwork): void {
    const served = this.#read().get(lane);
    if (served !== undefined) served.turns += 1;
    this.#lastServed = lane;
  }

  /** Counts a change that the rows have already. Counts that nobody has read yet will be read from those rows. */
  add(lane: GatekeeperNetwork, rank: Rank, steps = 1): void {
    const lanes = this.#lanes;
    if (lanes === undefined) return;
    const { waiting, turns } = lanes.get(lane) ?? emptyLane();
    waiting[rank] += steps;
    if (RANKS.some((each) => waiting[each] > 0)) lanes.set(lane, { waiting, turns });
    else lanes.delete(lane);
  }

  /** Drops the counts: the next call reads them from the table. Needed when they may differ from it, as after a rollback. */
  reload(): void {
    this.#lanes = undefined;
  }

  #read(): Map<GatekeeperNetwork, Lane> {
    if (this.#lanes === undefined) {
      this.#lanes = new Map();
      for (const { lane, rank, n } of this.#count()) {
        const { waiting, turns } = this.#lanes.get(lane) ?? emptyLane();
        this.#lanes.set(lane, { waiting: { ...waiting, [rank]: n }, turns });
      }
    }
    return this.#lanes;
  }
}

function emptyLane(): Lane {
  return { waiting: { 0: 0, 1: 0, 2: 0 }, turns: 0 };
}
