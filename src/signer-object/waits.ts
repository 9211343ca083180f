import { backoff } from '../lib/backoff.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { firstReason, type Reason, reasonRow, type WaitCode, type WaitEnd } from '../pass/wait-reasons.ts';

/** The waiting part: the whole signer, or a lane, which holds the steps of one gatekeeper network. */
export type Scope = GatekeeperNetwork | typeof SIGNER;

/** The scope of reasons that concern the whole signer. */
export const SIGNER = '' as const;

export interface Wait extends Reason {
  /** When the next try is. The reason stays until an event ends it. */
  readonly until: Milliseconds;
  /** How often in a row. */
  readonly tries: number;
}

/** A restart may bring other ceilings, so these reasons are in memory only. */
const isStored = (code: WaitCode) => reasonRow(code).ends !== 'affordable';

interface Row extends Record<string, SqlStorageValue> {
  scope: Scope;
  reason: WaitCode;
  detail: string | null;
  until: number;
  tries: number;
}

/**
 * Why lanes and the signer wait. Only this class changes the table `wait`. The reasons of single steps are in their own rows.
 * All rows are also in memory, because there are few. After a rollback, `commit` has them read again.
 */
export class Waits {
  readonly #sql: SqlStorage;
  #memory: Map<Scope, Map<WaitCode, Wait>> | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Reads the reasons from the table again. */
  reload(): void {
    this.#memory = undefined;
  }

  /**
   * Lets the scope wait for that reason, longer each time in a row.
   * @param atMost The latest time of the next try.
   */
  begin(scope: Scope, { code, detail }: Reason, now: Milliseconds, atMost = Number.POSITIVE_INFINITY): Wait {
    const { from, to } = reasonRow(code);
    const tries = this.#find(scope, code)?.tries ?? 0;
    const until = Math.min(atMost, now + backoff(from, tries, to));
    return this.#put(scope, { code, detail, until, tries: tries + 1 });
  }

  /** Ends the reasons of the scope that the event ends. */
  end(scope: Scope, event: WaitEnd): void {
    for (const { code } of this.of(scope)) if (reasonRow(code).ends === event) this.#remove(scope, code);
  }

  /** Ends a reason if its next try is due. */
  removeIfDue(scope: Scope, code: WaitCode, now: Milliseconds): void {
    const wait = this.#find(scope, code);
    if (wait !== undefined && wait.until <= now) this.#remove(scope, code);
  }

  #remove(scope: Scope, code: WaitCode): void {
    if (isStored(code)) this.#sql.exec('DELETE FROM wait WHERE scope = ? AND reason = ?', scope, code);
    this.#read().get(scope)?.delete(code);
  }

  /** Makes the scope try again now. The number of tries stays: if the cause remains, the next wait must not be shorter. */
  retryNow(scope: Scope): void {
    for (const wait of this.of(scope)) this.#put(scope, { ...wait, until: 0 });
  }

  /** Returns the reasons of the scope, also those whose next try is due. */
  of(scope: Scope): Wait[] {
    return [...(this.#read().get(scope)?.values() ?? [])];
  }

  /** Returns the reasons for which the scope waits at `now`. */
  active(scope: Scope, now: Milliseconds): Wait[] {
    return this.of(scope).filter(({ until }) => now < until);
  }

  /** Returns the reason for which all steps of the scope wait at `now`; undefined if some may be tried. */
  blocking(scope: Scope, now: Milliseconds): Wait | undefined {
    return firstReason(this.active(scope, now).filter(({ code }) => !reasonRow(code).sparesReserve));
  }

  /**
   * Returns the reason to show. Between two tries a reason is briefly over, and it is still shown if steps wait for it.
   * @param isAwaited Whether steps of the scope wait.
   */
  shown(scope: Scope, now: Milliseconds, isAwaited: boolean): Wait | undefined {
    return firstReason(isAwaited ? this.of(scope) : this.active(scope, now));
  }

  /** Returns the lanes that have a reason. */
  lanes(): GatekeeperNetwork[] {
    const scopes = [...this.#read()].filter(([, waits]) => waits.size > 0).map(([scope]) => scope);
    return scopes.filter((scope): scope is GatekeeperNetwork => scope !== SIGNER);
  }

  #find(scope: Scope, code: WaitCode): Wait | undefined {
    return this.#read().get(scope)?.get(code);
  }

  #put(scope: Scope, wait: Wait): Wait {
    const { code, detail = null, until, tries } = wait;
    const query = `INSERT INTO wait (scope, reason, detail, until, tries) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT DO UPDATE SET detail = ?3, until = ?4, tries = ?5`;
    if (isStored(code)) this.#sql.exec(query, scope, code, detail, until, tries);
    const waits = this.#read().get(scope) ?? new Map<WaitCode, Wait>();
    this.#read().set(scope, waits.set(code, wait));
    return wait;
  }

  #read(): Map<Scope, Map<WaitCode, Wait>> {
    if (this.#memory === undefined) {
      this.#memory = new Map();
      for (const { scope, reason: code, detail, ...times } of this.#sql.exec<Row>('SELECT * FROM wait')) {
        const waits = this.#memory.get(scope) ?? new Map<WaitCode, Wait>();
        this.#memory.set(scope, waits.set(code, { code, detail: detail ?? undefined, ...times }));
      }
    }
    return this.#memory;
  }
}
