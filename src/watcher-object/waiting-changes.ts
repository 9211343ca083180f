import type { ChainChange, Place, TokenOwner } from '../chain/watch-port.ts';
import { backoff, type Milliseconds, type UnixSeconds } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';

/** The changes by others of one token, transaction, role or contract that are not decided yet. */
export interface WaitingChange {
  /** Names the token, transaction, role or contract. */
  readonly subject: string;
  /** The newest change of each kind, in order. */
  readonly changes: readonly ChainChange[];
  /** The block (Solana: slot) of the newest change. */
  readonly at: number;
  /** The time of a place before the oldest change (Unix seconds). */
  readonly timeBefore: UnixSeconds;
  /** Whether the pass has seen the confirmed state. It may have noted a loss, which another observation takes back. */
  readonly isObserved: boolean;
  /** The turn of the endpoint by whose word the change belongs to no pass, or is known; undefined: none has said so. */
  readonly endedBy: number | undefined;
  readonly tries: number;
}

interface Row extends Record<string, SqlStorageValue> {
  subject: string;
  changes: string;
  at: number;
  time_before: number;
  is_observed: number;
  ended_by: number | null;
  tries: number;
}

/** Number of rows from which on the watcher scans nothing more. One scan may exceed it. */
export const WAITING_MAX = 5_000;

/** Values of `is_observed`. A change that was observed in a block that has left the chain is observed again. */
const [UNOBSERVED, OBSERVED, OBSERVED_BEFORE] = [0, 1, 2];

const TABLE = `CREATE TABLE IF NOT EXISTS foreign_change (
  subject TEXT PRIMARY KEY,
  is_loss INTEGER NOT NULL,
  changes TEXT NOT NULL,
  at INTEGER NOT NULL,
  time_before INTEGER NOT NULL,
  is_observed INTEGER NOT NULL DEFAULT 0,
  ended_by INTEGER,
  not_before INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID`;

/** The changes that wait, as one row for each subject. Every method is synchronous: calls without an `await` commit together. */
export class WaitingChanges {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  createTable(): void {
    this.#sql.exec(TABLE);
  }

  /** @param timeBefore The time of a place before the change. */
  add(change: ChainChange, timeBefore: UnixSeconds): void {
    const subject = subjectOf(change);
    const [known] = this.#sql.exec<Row>('SELECT * FROM foreign_change WHERE subject = ?', subject).toArray();
    const earlier = known === undefined ? [] : (JSON.parse(known.changes) as ChainChange[]);
    const changes = [...earlier.filter((each) => kindOf(each) !== kindOf(change)), change];
    this.#sql.exec(
      `INSERT INTO foreign_change (subject, is_loss, changes, at, time_before) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (subject) DO UPDATE SET is_loss = max(is_loss, ?2), changes = ?3, at = max(at, ?4),
         time_before = min(time_before, ?5), is_observed = iif(is_observed, ${OBSERVED_BEFORE}, ${UNOBSERVED}),
         ended_by = NULL, not_before = 0, tries = 0`,
      subject,
      Number(mayBeLoss(change)),
      JSON.stringify(changes),
      change.at,
      timeBefore,
    );
  }

  /** Returns the waiting changes of the token, transaction, role or contract of a change; undefined: there are none. */
  find(change: ChainChange): WaitingChange | undefined {
    return this.#sql
      .exec<Row>('SELECT * FROM foreign_change WHERE subject = ?', subjectOf(change))
      .toArray()
      .map(waitingIn)[0];
  }

  count(): number {
    return this.#sql.exec<{ n: number }>('SELECT count(*) AS n FROM foreign_change').one().n;
  }

  /**
   * Returns the time before the oldest change whose pass has not seen the confirmed state; undefined if there is none. Once it has, a
   * loss is refused, and only the record waits for the final block.
   */
  oldestTime(): UnixSeconds | undefined {
    const query = 'SELECT min(time_before) AS time FROM foreign_change WHERE is_observed <> 1';
    return this.#sql.exec<{ time: number | null }>(query).one().time ?? undefined;
  }

  /**
   * Returns the changes of that type that are due, losses of access first, and before all others those that are known to be of a partner:
   * a stranger may change any number of tokens. A change is due once its block is confirmed. If its pass has
   * seen the confirmed state, it is due once its block is final.
   */
  due(
    { confirmedAt, finalAt }: { readonly confirmedAt: number; readonly finalAt: number },
    now: Milliseconds,
    type: ChainChange['type'],
    limit: number,
  ): WaitingChange[] {
    const query = `SELECT * FROM foreign_change
      WHERE subject LIKE ?5 AND not_before <= ?1 AND at <= iif(is_observed = 1, ?2, ?3) 
      ORDER BY is_loss DESC, instr(changes, '"gatekeeperNetwork"') > 0 DESC, not_before, at LIMIT ?4`;
    return this.#sql.exec<Row>(query, now, finalAt, confirmedAt, limit, `${type} %`).toArray().map(waitingIn);
  }

  delete(subjects: readonly string[]): void {
    for (const subject of subjects) this.#sql.exec('DELETE FROM foreign_change WHERE subject = ?', subject);
  }

  /** Records that the pass of this owner has seen the confirmed state. If the token vanishes, nothing else may name the owner. */
  setObserved({ subject, changes }: WaitingChange, holder: TokenOwner): void {
    const named = changes.map((change) => (change.type === 'token' ? { ...change, holder } : change));
    this.#sql.exec(
      `UPDATE foreign_change SET is_observed = ${OBSERVED}, changes = ?, not_before = 0, tries = 0
       WHERE subject = ? AND is_observed <> ${OBSERVED}`,
      JSON.stringify(named),
      subject,
    );
  }

  /** Lets another endpoint look at a change that ends by the word of one. */
  setEndedBy({ subject }: WaitingChange, turn: number): void {
    this.#sql.exec('UPDATE foreign_change SET ended_by = ? WHERE subject = ?', turn, subject);
  }

  /** Lets a change wait for its next try, longer each time in a row. */
  postpone({ subject, tries }: WaitingChange, from: Milliseconds, to: Milliseconds, now: Milliseconds): void {
    const notBefore = now + backoff(from, tries, to);
    const query = 'UPDATE foreign_change SET not_before = ?, tries = tries + 1 WHERE subject = ?';
    this.#sql.exec(query, notBefore, subject);
  }

  /**
   * Forgets the changes after that place, because their blocks have left the chain: the next scan finds those that are back. A pass that
   * has seen one of them is asked again, because it may have noted a loss. Changes before the place wait on.
   */
  forgetAfter({ at, time }: Place): void {
    this.#sql.exec(
      `UPDATE foreign_change SET is_observed = ${OBSERVED_BEFORE}, ended_by = NULL, not_before = 0, tries = 0
       WHERE at > ? AND is_observed <> ${UNOBSERVED}`,
      at,
    );
    const query = `SELECT * FROM foreign_change WHERE at > ? AND is_observed = ${UNOBSERVED}`;
    for (const { subject, changes, time_before } of this.#sql.exec<Row>(query, at).toArray()) {
      const known = JSON.parse(changes) as ChainChange[];
      if (time_before >= time && known.every((change) => change.at > at)) this.delete([subject]);
      else {
        // A change after the place may have replaced one before it.
        const kept = known.map((change) => ({ ...change, at: Math.min(change.at, at) }));
        this.#sql.exec(
          'UPDATE foreign_change SET changes = ?, at = ?, not_before = 0, tries = 0 WHERE subject = ?',
          JSON.stringify(kept),
          at,
          subject,
        );
      }
    }
  }

  /** Returns how many changed roles of that gatekeeper network wait. */
  countRoles(contract: string, gatekeeperNetwork: string): number {
    const query = 'SELECT count(*) AS n FROM foreign_change WHERE instr(subject, ?) = 1';
    return this.#sql.exec<{ n: number }>(query, `role ${contract} ${gatekeeperNetwork} `).one().n;
  }
}

const waitingIn = ({ changes, time_before, is_observed, ended_by, ...row }: Row): WaitingChange => ({
  ...row,
  changes: JSON.parse(changes),
  timeBefore: time_before,
  isObserved: is_observed !== UNOBSERVED,
  endedBy: ended_by ?? undefined,
});

export function subjectOf(change: ChainChange): string {
  const { type, contract } = change;
  switch (type) {
    case 'token':
      return `token ${contract} ${change.token}`;
    case 'transaction':
      return `transaction ${change.transaction}`;
    case 'role':
      return `role ${contract} ${change.gatekeeperNetwork} ${change.account}`;
    case 'upgraded':
      return `upgraded ${contract}`;
  }
}

/** Returns the gatekeeper network of a change; undefined: nothing has named it. */
export function networkIn(change: ChainChange): GatekeeperNetwork | undefined {
  if (change.type === 'role') return change.gatekeeperNetwork;
  return change.type === 'token' ? (change.holder?.gatekeeperNetwork ?? change.gatekeeperNetwork) : undefined;
}

const kindOf = (change: ChainChange) => (change.type === 'token' ? change.change : change.type);

/** Whether the change may take access away. An unread transaction and a new expiry may do so. */
function mayBeLoss(change: ChainChange): boolean {
  return change.type !== 'token' || (change.change !== 'TOKEN_ISSUED' && change.change !== 'TOKEN_UNFROZEN');
}
