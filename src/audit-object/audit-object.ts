import { DurableObject } from 'cloudflare:workers';
import {
  type AuditEntry,
  type AuditOutcome,
  type ChainedEntry,
  chainEntry,
  TRAIL_START,
  type TrailPlace,
} from '../audit/entry.ts';
import { MINUTE_MS } from '../lib/time.ts';

/** An action that has begun. */
export type BegunEntry = Omit<AuditEntry, 'outcome'>;

/** A page of a trail. */
export interface TrailPage {
  readonly entries: readonly ChainedEntry[];
  /** The place after the newest entry. */
  readonly head: TrailPlace;
  /** The place before the oldest entry that is left. */
  readonly start: TrailPlace;
}

/** No request takes as long. An action that has not ended by then never reports its outcome. */
const ACTION_MAX_MS = 15 * MINUTE_MS;

/**
 * An audit trail: of a gatekeeper network, or of the operator. It is the only writer of its entries, so each has the hash of the one
 * before it. Entries never change.
 */
export class AuditObject extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS audit_entry (sequence INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, text TEXT NOT NULL, hash TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS begun_action (key TEXT PRIMARY KEY, entry TEXT NOT NULL, until_ms INTEGER NOT NULL) WITHOUT ROWID;`);
  }

  /** Appends the entries that the trail lacks, in their order. Safe to repeat. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#append(entries));
  }

  /** Stores an action before it happens. It becomes an entry when it ends, or with an unknown outcome if its end is lost. */
  async begin(entry: BegunEntry): Promise<void> {
    const until = Date.now() + ACTION_MAX_MS;
    this.#sql.exec(
      'INSERT INTO begun_action (key, entry, until_ms) VALUES (?, ?, ?)',
      entry.key,
      JSON.stringify(entry),
      until,
    );
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > until) await this.ctx.storage.setAlarm(until);
  }

  /** Ends a begun action. Undefined: it was refused and has changed nothing, so it leaves no entry. */
  async conclude(key: string, end: Pick<AuditEntry, 'before' | 'after' | 'outcome'> | undefined): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      const [row] = this.#sql
        .exec<{ entry: string }>('DELETE FROM begun_action WHERE key = ? RETURNING entry', key)
        .toArray();
      if (row !== undefined && end !== undefined) this.#append([{ ...(JSON.parse(row.entry) as BegunEntry), ...end }]);
    });
  }

  /** Returns the entries after that sequence, in their order. */
  async read(after: number, limit: number): Promise<TrailPage> {
    const query = 'SELECT text, hash FROM audit_entry WHERE sequence > ? ORDER BY sequence LIMIT ?';
    const entries = this.#sql.exec<{ text: string; hash: string }>(query, after, limit).toArray();
    return { entries, head: this.#head(), start: TRAIL_START };
  }

  override async alarm(): Promise<void> {
    const outcome: AuditOutcome = { type: 'unknown' };
    const lost = this.#sql
      .exec<{ key: string }>('SELECT key FROM begun_action WHERE until_ms <= ?', Date.now())
      .toArray();
    for (const { key } of lost) await this.conclude(key, { outcome });
    const [next] = this.#sql
      .exec<{ until_ms: number | null }>('SELECT min(until_ms) AS until_ms FROM begun_action')
      .toArray();
    if (next?.until_ms) await this.ctx.storage.setAlarm(next.until_ms);
  }

  #append(entries: readonly AuditEntry[]): void {
    let place = this.#head();
    for (const entry of entries) {
      const { sequence, text, hash } = chainEntry(place, entry);
      const insert =
        'INSERT INTO audit_entry (sequence, key, text, hash) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING';
      if (this.#sql.exec(insert, sequence, entry.key, text, hash).rowsWritten > 0) place = { sequence, hash };
    }
  }

  #head(): TrailPlace {
    const query = 'SELECT sequence, hash FROM audit_entry ORDER BY sequence DESC LIMIT 1';
    return this.#sql.exec<{ sequence: number; hash: string }>(query).toArray()[0] ?? TRAIL_START;
  }
}
