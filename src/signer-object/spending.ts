import type { Signed } from '../chain/port.ts';
import { DAY_MS, type Milliseconds, type NanoCoins } from '../lib/units.ts';
import { logFault } from '../log/log.ts';
import { type Network, RESERVE_SHARE, type SignerName } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { describeReason, type WaitCode } from '../pass/wait-reasons.ts';
import { type Scope, SIGNER, type Waits } from './lanes.ts';
import type { StepEntry } from './schema.ts';

/**
 * Counts the spending of a signer per UTC day and applies its ceilings. Storing a signed transaction counts its maximum cost
 * in the row of its step. The cost that the final block shows replaces it. The sums are in memory and are read from the rows
 * when the day or the object begins, so only nonce fillers write a row for counting.
 */

/** Share of a ceiling at which the log warns the operator. */
const WARN_SHARE = 0.8;
/**
 * A transaction counts at least its maximum cost divided by this number, even if it expired and cost nothing. An endpoint
 * that lies about the cost can hide spending only up to this factor. An honest receipt shows more than a third.
 */
const ACTUAL_MIN_PART = 4;

/** The amount counted for a step, and its transactions. Blocks include one transaction per nonce. */
type Counted = Pick<StepEntry, 'signed' | 'cost' | 'costDay'>;

/** The amount that may be spent in a day, and the amount that is spent. */
interface Budget {
  readonly spent: NanoCoins;
  readonly ceiling: NanoCoins;
  /** Amount that revocations may spend beyond the ceiling. */
  readonly reserve: NanoCoins;
}

/** Transactions that are about to be stored together. */
interface SpendingBatch {
  /**
   * Takes the cost of one more transaction from the budgets of its lane and of the signer. Returns false if the cost would
   * exceed a ceiling, or if it is negative or no number.
   * @param scope The lane of the transaction, or the signer for a transaction that only fills a nonce.
   * @param mayUseReserve Whether the transaction is a revocation, or a revocation may wait behind it.
   */
  take(scope: Scope, mayUseReserve: boolean, cost: NanoCoins): boolean;
}

type Ceilings = Pick<Network, 'dailyCeiling' | 'dailyLaneCeiling'>;

interface CountedDay {
  readonly day: number;
  total: NanoCoins;
  readonly byLane: Map<GatekeeperNetwork, NanoCoins>;
  /** Warnings that were logged today. Each is logged once a day. */
  readonly logged: Set<string>;
}

export class Spending {
  readonly #sql: SqlStorage;
  readonly #name: SignerName;
  readonly #ceilings: Ceilings;
  readonly #waits: Waits;
  #counted: CountedDay | undefined;

  constructor(sql: SqlStorage, name: SignerName, ceilings: Ceilings, waits: Waits) {
    this.#sql = sql;
    this.#name = name;
    this.#ceilings = ceilings;
    this.#waits = waits;
  }

  /** Returns the budget of the signer, or of one of its lanes. */
  budgetOf(scope: Scope, now: Milliseconds): Budget {
    const { total, byLane } = this.#today(now);
    const { dailyCeiling, dailyLaneCeiling } = this.#ceilings;
    const ceiling = scope === SIGNER ? dailyCeiling : dailyLaneCeiling;
    const spent = scope === SIGNER ? total : (byLane.get(scope) ?? 0);
    return { spent, ceiling, reserve: Math.floor(ceiling / RESERVE_SHARE) };
  }

  /** Returns the lanes that have spent coins today. */
  lanes(now: Milliseconds): GatekeeperNetwork[] {
    return [...this.#today(now).byLane.keys()];
  }

  /** Begins a batch of transactions that are stored together. The ceilings apply to their sum. */
  openBatch(now: Milliseconds): SpendingBatch {
    const pending = new Map<Scope, NanoCoins>();
    return {
      take: (scope, mayUseReserve, cost) => {
        const scopes = [...new Set<Scope>([SIGNER, scope])];
        if (!(cost >= 0) || !this.#allows(scopes, mayUseReserve, pending, cost, now)) return false;
        for (const each of scopes) pending.set(each, (pending.get(each) ?? 0) + cost);
        return true;
      },
    };
  }

  /**
   * Runs `write` and counts the amount that it returns. A negative amount means that a transaction cost less than its
   * maximum. The sums are read before `write` runs, because afterwards the rows include the amount.
   * @param scope The lane of the transaction, or the signer for a transaction that only fills a nonce.
   */
  change(scope: Scope, now: Milliseconds, write: () => NanoCoins): void {
    const counted = this.#today(now);
    const amount = write();
    if (amount === 0) return;
    counted.total += amount;
    if (scope !== SIGNER) counted.byLane.set(scope, (counted.byLane.get(scope) ?? 0) + amount);
    for (const each of new Set<Scope>([SIGNER, scope])) this.#warn(counted, each, now);
  }

  /** Drops the sums, and the reasons to wait with them: the next call reads them from the rows. Needed after a rollback. */
  reload(): void {
    this.#counted = undefined;
    this.#waits.reload();
  }

  #allows(
    scopes: readonly Scope[],
    mayUseReserve: boolean,
    pending: ReadonlyMap<Scope, NanoCoins>,
    cost: NanoCoins,
    now: Milliseconds,
  ): boolean {
    const isExceeded = (scope: Scope) => {
      const { spent, ceiling, reserve } = this.budgetOf(scope, now);
      return spent + (pending.get(scope) ?? 0) + cost > ceiling + (mayUseReserve ? reserve : 0);
    };
    const exceeded = scopes.filter(isExceeded);
    for (const scope of scopes) {
      const [ceiling, reserve] = CEILINGS[scope === SIGNER ? 'signer' : 'lane'];
      if (exceeded.includes(scope)) this.#markReached(scope, mayUseReserve ? reserve : ceiling, now);
      // A cheaper step may fit. Only a reason whose time is over ends, so that steps do not take turns at the ceiling.
      else for (const code of mayUseReserve ? [reserve] : [reserve, ceiling]) this.#waits.removeIfDue(scope, code, now);
    }
    return exceeded.length === 0;
  }

  /** Prices fall, and the operator may raise the ceiling, so the scope tries again before the day ends. */
  #markReached(scope: Scope, code: WaitCode, now: Milliseconds): void {
    if (this.#waits.active(scope, now).some((wait) => wait.code === code)) return;
    this.#waits.begin(scope, { code }, now, nextMidnight(now));
    if (!isFirst(this.#today(now).logged, `${code} ${scope}`)) return;
    logFault('signer.ceiling_reached', describeReason({ code }), {
      signer: this.#name,
      gatekeeper_network: scope === SIGNER ? undefined : scope,
      code,
      ...this.#amounts(scope, now),
    });
  }

  #warn(counted: CountedDay, scope: Scope, now: Milliseconds): void {
    const { spent, ceiling } = this.budgetOf(scope, now);
    if (spent < ceiling * WARN_SHARE || !isFirst(counted.logged, `near ${scope}`)) return;
    logFault('signer.ceiling_near', 'most of the daily ceiling is spent', {
      signer: this.#name,
      gatekeeper_network: scope === SIGNER ? undefined : scope,
      ...this.#amounts(scope, now),
    });
  }

  #amounts(scope: Scope, now: Milliseconds) {
    const { spent, ceiling, reserve } = this.budgetOf(scope, now);
    return { spent_nano_coins: spent, ceiling_nano_coins: ceiling, reserve_nano_coins: reserve };
  }

  #today(now: Milliseconds): CountedDay {
    const day = dayOf(now);
    if (this.#counted?.day !== day) {
      const byLane = costsOf(this.#sql, day);
      const total = [...byLane.values()].reduce((sum, cost) => sum + cost, costOfFillers(this.#sql, day));
      this.#counted = { day, total, byLane, logged: new Set() };
    }
    return this.#counted;
  }
}

/** The reasons to wait of a reached ceiling, and of one whose reserve is spent as well. */
const CEILINGS: Readonly<Record<'signer' | 'lane', readonly [WaitCode, WaitCode]>> = {
  signer: ['signer-ceiling', 'signer-reserve'],
  lane: ['lane-ceiling', 'lane-reserve'],
};

/** Returns the number of days since 1970 (UTC). */
export function dayOf(now: Milliseconds): number {
  return Math.floor(now / DAY_MS);
}

/** Returns when the day after that of `now` begins. */
export function nextMidnight(now: Milliseconds): Milliseconds {
  return (dayOf(now) + 1) * DAY_MS;
}

/** Returns the amount that a replacement adds: its maximum cost, less the amount counted today for the same nonce. */
export function addedCost(entry: Counted, { maxCost }: Pick<Signed, 'maxCost'>, now: Milliseconds): NanoCoins {
  return Math.max(0, maxCost - countedToday(entry, now));
}

/** Returns the amount to add once the actual cost is known: 0 or negative. An amount counted on an earlier day stays. */
export function costCorrection(entry: Counted, actual: NanoCoins | undefined, now: Milliseconds): NanoCoins {
  const counted = countedToday(entry, now);
  if (actual === undefined) return 0;
  return Math.min(0, Math.max(actual, Math.ceil(counted / ACTUAL_MIN_PART)) - counted);
}

/**
 * Returns the amount counted today for the nonce of the step's transactions. The row may also count earlier nonces, or only
 * a part of the most expensive transaction.
 */
function countedToday({ signed, cost, costDay }: Counted, now: Milliseconds): NanoCoins {
  if (costDay !== dayOf(now)) return 0;
  return Math.min(cost, Math.max(0, ...signed.map(({ maxCost }) => maxCost)));
}

/** Returns the cost of the steps of a day by lane. Reads every row. */
function costsOf(sql: SqlStorage, day: number): Map<GatekeeperNetwork, NanoCoins> {
  const query = 'SELECT gatekeeper_network AS lane, sum(cost) AS cost FROM step WHERE cost_day = ? GROUP BY 1';
  const rows = sql.exec<{ lane: GatekeeperNetwork; cost: number }>(query, day).toArray();
  return new Map(rows.map(({ lane, cost }) => [lane, cost]));
}

function costOfFillers(sql: SqlStorage, day: number): NanoCoins {
  const query = 'SELECT ifnull(sum(cost), 0) AS cost FROM gap_filler WHERE cost_day = ?';
  return sql.exec<{ cost: number }>(query, day).one().cost;
}

/** Adds the text to the set. Returns whether it is new. */
function isFirst(texts: Set<string>, text: string): boolean {
  return !texts.has(text) && texts.add(text).has(text);
}
