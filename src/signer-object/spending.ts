import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import { logFault } from '../log/log.ts';
import { type Network, RESERVE_SHARE } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';

/**
 * Counts the spending of a signer per UTC day and applies its ceilings. Storing a signed transaction counts its maximum cost
 * in the row of its step. The cost that the final block shows replaces it. The sums are in memory and are read from the rows
 * when the day or the object begins, so only nonce fillers write a row for counting.
 */

/** Days since 1970 (UTC). */
export type Day = number;

const DAY_MS = 24 * 3_600_000;
/** Share of a ceiling at which the log warns the operator. */
const WARN_SHARE = 0.8;
/** How soon a reached ceiling is tested again: prices fall, and the operator may have raised the ceiling. */
export const CEILING_RETRY_MS = 5 * 60_000;

/** The amount that may be spent in a day, and the amount that is spent. */
export interface Budget {
  readonly spent: NanoCoins;
  readonly ceiling: NanoCoins;
  /** Amount that revocations may spend beyond the ceiling. */
  readonly reserve: NanoCoins;
}

/** The steps that wait until midnight UTC, or until the operator raises the ceiling: all but revocations, or all. */
export type ReachedCeiling = 'all-but-revocations' | 'all';

export const WHY_SIGNER_CEILING = 'the daily ceiling of the signer is reached';
export const WHY_LANE_CEILING = 'the daily ceiling of the gatekeeper network is reached';

export function dayOf(now: Milliseconds): Day {
  return Math.floor(now / DAY_MS);
}

/** Returns when the day after that of `now` begins. */
export function nextMidnight(now: Milliseconds): Milliseconds {
  return (dayOf(now) + 1) * DAY_MS;
}

type Ceilings = Pick<Network, 'dailyCeiling' | 'dailyLaneCeiling'>;

interface CountedDay {
  readonly day: Day;
  total: NanoCoins;
  readonly byLane: Map<GatekeeperNetwork, NanoCoins>;
  /** By lane; undefined means the whole signer. */
  readonly reached: Map<
    GatekeeperNetwork | undefined,
    { readonly waits: ReachedCeiling; readonly until: Milliseconds }
  >;
  /** Warnings that were logged today. Each is logged once a day. */
  readonly logged: Set<string>;
}

export class Spending {
  readonly #sql: SqlStorage;
  readonly #name: SignerName;
  readonly #ceilings: Ceilings;
  #counted: CountedDay | undefined;

  constructor(sql: SqlStorage, name: SignerName, ceilings: Ceilings) {
    this.#sql = sql;
    this.#name = name;
    this.#ceilings = ceilings;
  }

  /** Returns the budget of the signer, or of one of its lanes. */
  budgetOf(lane: GatekeeperNetwork | undefined, now: Milliseconds): Budget {
    const { total, byLane } = this.#today(now);
    const { dailyCeiling, dailyLaneCeiling } = this.#ceilings;
    const ceiling = lane === undefined ? dailyCeiling : dailyLaneCeiling;
    const spent = lane === undefined ? total : (byLane.get(lane) ?? 0);
    return { spent, ceiling, reserve: Math.floor(ceiling / RESERVE_SHARE) };
  }

  /** Returns the lanes that have spent coins today. */
  lanes(now: Milliseconds): GatekeeperNetwork[] {
    return [...this.#today(now).byLane.keys()];
  }

  /** Returns which steps of the lane wait because its ceiling or that of the signer is reached; undefined if none wait. */
  reachedBy(lane: GatekeeperNetwork, now: Milliseconds): ReachedCeiling | undefined {
    const { reached } = this.#today(now);
    const waits = [undefined, lane].flatMap((each) => {
      const mark = reached.get(each);
      return mark !== undefined && now < mark.until ? mark.waits : [];
    });
    return waits.find((each) => each === 'all') ?? waits[0];
  }

  /** Whether the ceiling of the signer itself is reached. */
  isSignerCeilingReached(now: Milliseconds): boolean {
    return now < (this.#today(now).reached.get(undefined)?.until ?? 0);
  }

  /** Begins a batch of transactions that are stored together. */
  openBatch(now: Milliseconds): SpendingBatch {
    return new SpendingBatch((lane, mayUseReserve, pending, cost) =>
      this.#allows(lane, mayUseReserve, pending, cost, now),
    );
  }

  /**
   * Runs `write` and counts the amount that it returns. A negative amount means that a transaction cost less than its
   * maximum. The sums are read before `write` runs, because afterwards the rows include the amount.
   */
  change(lane: GatekeeperNetwork | undefined, now: Milliseconds, write: () => NanoCoins): void {
    const counted = this.#today(now);
    const amount = write();
    if (amount === 0) return;
    counted.total += amount;
    if (lane !== undefined) counted.byLane.set(lane, (counted.byLane.get(lane) ?? 0) + amount);
    for (const each of lane === undefined ? [undefined] : [undefined, lane]) this.#warn(counted, each, now);
  }

  /** Drops the sums: the next call reads them from the rows. Needed after a rollback. */
  recount(): void {
    this.#counted = undefined;
  }

  #allows(
    lane: GatekeeperNetwork | undefined,
    mayUseReserve: boolean,
    pending: Pending,
    cost: NanoCoins,
    now: Milliseconds,
  ): boolean {
    const lanes = lane === undefined ? [undefined] : [undefined, lane];
    const exceeded = lanes.filter((each) => {
      const { spent, ceiling, reserve } = this.budgetOf(each, now);
      return spent + pending(each) + cost > ceiling + (mayUseReserve ? reserve : 0);
    });
    for (const each of exceeded) this.#markReached(each, mayUseReserve ? 'all' : 'all-but-revocations', now);
    return exceeded.length === 0;
  }

  #markReached(lane: GatekeeperNetwork | undefined, reached: ReachedCeiling, now: Milliseconds): void {
    const counted = this.#today(now);
    const before = counted.reached.get(lane);
    if (before !== undefined && now < before.until && before.waits === 'all') return;
    counted.reached.set(lane, { waits: reached, until: now + CEILING_RETRY_MS });
    if (!isFirst(counted.logged, `${reached} ${lane}`)) return;
    const why = lane === undefined ? WHY_SIGNER_CEILING : WHY_LANE_CEILING;
    logFault('signer.ceiling_reached', why, {
      signer: this.#name,
      gatekeeper_network: lane,
      waits: reached,
      ...this.#amounts(lane, now),
    });
  }

  #warn(counted: CountedDay, lane: GatekeeperNetwork | undefined, now: Milliseconds): void {
    const { spent, ceiling } = this.budgetOf(lane, now);
    if (spent < ceiling * WARN_SHARE || !isFirst(counted.logged, `near ${lane}`)) return;
    logFault('signer.ceiling_near', 'most of the daily ceiling is spent', {
      signer: this.#name,
      gatekeeper_network: lane,
      ...this.#amounts(lane, now),
    });
  }

  #amounts(lane: GatekeeperNetwork | undefined, now: Milliseconds) {
    const { spent, ceiling, reserve } = this.budgetOf(lane, now);
    return { spent_nano_coins: spent, ceiling_nano_coins: ceiling, reserve_nano_coins: reserve };
  }

  #today(now: Milliseconds): CountedDay {
    const day = dayOf(now);
    if (this.#counted?.day !== day) this.#counted = countDay(this.#sql, day);
    return this.#counted;
  }
}

/** Returns the amount that a batch is about to spend in a lane, or in the whole signer (undefined). */
type Pending = (lane: GatekeeperNetwork | undefined) => NanoCoins;

type Allows = (
  lane: GatekeeperNetwork | undefined,
  mayUseReserve: boolean,
  pending: Pending,
  cost: NanoCoins,
) => boolean;

/** Transactions that are about to be stored together. The ceilings apply to their sum. */
export class SpendingBatch {
  readonly #allows: Allows;
  readonly #pending = new Map<GatekeeperNetwork | undefined, NanoCoins>();

  constructor(allows: Allows) {
    this.#allows = allows;
  }

  /**
   * Takes the cost of one more transaction from the budgets of its lane and of the signer. Returns false if the cost would
   * exceed a ceiling, or if it is negative or no number.
   * @param lane Undefined for a transaction that only fills a nonce.
   * @param mayUseReserve Whether the transaction is a revocation, or a revocation may wait behind it.
   */
  take(lane: GatekeeperNetwork | undefined, mayUseReserve: boolean, cost: NanoCoins): boolean {
    const pending: Pending = (each) => this.#pending.get(each) ?? 0;
    if (!(cost >= 0) || !this.#allows(lane, mayUseReserve, pending, cost)) return false;
    for (const each of new Set([undefined, lane])) this.#pending.set(each, pending(each) + cost);
    return true;
  }
}

function countDay(sql: SqlStorage, day: Day): CountedDay {
  const byLane = new Map(
    sql
      .exec<{ lane: GatekeeperNetwork; cost: number }>(
        'SELECT gatekeeper_network AS lane, sum(cost) AS cost FROM step WHERE cost_day = ? GROUP BY 1',
        day,
      )
      .toArray()
      .map(({ lane, cost }) => [lane, cost] as const),
  );
  const query = 'SELECT ifnull(sum(cost), 0) AS cost FROM gap_filler WHERE cost_day = ?';
  const fillers = sql.exec<{ cost: number }>(query, day).one().cost;
  const total = [...byLane.values()].reduce((sum, cost) => sum + cost, fillers);
  return { day, total, byLane, reached: new Map(), logged: new Set() };
}

/** Adds the text to the set. Returns whether it is new. */
function isFirst(texts: Set<string>, text: string): boolean {
  return !texts.has(text) && texts.add(text).has(text);
}
