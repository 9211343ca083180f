import type { BlockReference } from '../chain/port.ts';
import { backoff, DAY_MS, HOUR_MS, type Milliseconds, type NanoCoins } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { OnChain, StepRevision } from '../pass/pass.ts';
import { type Answer, passIdOf, type Step, type StepStatus, type SubmittedStep, stepIdRange } from '../pass/step.ts';
import { CHAIN_RULES, type Rank } from '../pass/step-kinds.ts';
import { describeReason, type Reason, reasonRow, reasonsEndedBy, type WaitEnd } from '../pass/wait-reasons.ts';
import { Lanes } from './lanes.ts';
import { type InFlightStage, isHeld, type Row, type Served, type StepEntry, type StoredTransaction } from './schema.ts';
import { addedCost, costCorrection, dayOf, type Spending } from './spending.ts';
import * as queries from './step-queries.ts';

/** How long a step stays in the table after it is final and its outcome is acknowledged. */
const KEEP_FINAL_MS = DAY_MS;
/** How often the table is searched for steps to forget. The search reads every row. */
const FORGET_EVERY_MS = 6 * HOUR_MS;
/** Enough for the minutes in which a watcher asks about a transaction. */
const OWN_MAX = 10_000;

/** The open steps, from the signature to the end: a copy of their rows in memory. */
interface Memory {
  /** Steps in no known block, by id: signed ones, and waiting ones that keep a nonce. At most `unmined` of the network. */
  readonly unmined: Map<string, StepEntry>;
  /** Steps whose outcome is unacknowledged, by id, in the order of their outcomes. */
  readonly outcomes: Map<string, Outcome>;
  /** Number of the newest outcome. Outcomes count 1, 2, 3 … */
  lastOutcome: number;
  /** All nonces below this one were used by final transactions. */
  finalNonces: number;
  /** The place of the newest step in the order of arrival. */
  lastSeq: number;
}

/** A step whose outcome its pass may lack, and the number of the outcome. */
type Outcome = Pick<Step, 'id' | 'key'> & { readonly n: number };

/** The knowledge of the signer about a step that it has not prepared yet. */
interface Beginning {
  readonly mayBeSigned: boolean;
  /** Why it waits from the start. */
  readonly reason?: Reason | undefined;
}

const FINISH = "status = 'final', is_open = 1, answer = ?, revision = revision + 1, unacknowledged = ?";
/** Key of the number up to which all outcomes are acknowledged. */
const ACKNOWLEDGED_TO = 'acknowledgedTo';

/**
 * The steps of the signer. Only this class changes the table `step`: waiting → unsent (signed and stored) → sent (a node
 * accepted it) → confirmed → final. Every method is synchronous: calls without an `await` between them commit together.
 * It counts waiting steps (`lanes`) and costs (`spending`) as it changes them. After a rollback, `commit` calls `reload`.
 */
export class StepTable {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #served: Served;
  readonly #spending: Spending;
  readonly lanes: Lanes;
  #memory: Memory | undefined;
  /**
   * The newest transactions that the signer has signed since the object started, so that a watcher can tell them from those of
   * others. After a restart, an own transaction costs the watcher one reading, which finds nothing new.
   */
  readonly #own = new Set<string>();
  #forgottenAt: Milliseconds | undefined;

  constructor(storage: DurableObjectStorage, served: Served, spending: Spending) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#served = served;
    this.#spending = spending;
    this.lanes = new Lanes(() => queries.waitingCounts(storage.sql));
  }

  /** Runs the work in one transaction. If it throws, storage rolls back, and all that is in memory is read again. */
  commit<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (fault) {
      this.reload();
      throw fault;
    }
  }

  /** Reads all that is in memory from the tables again. */
  reload(): void {
    this.#memory = undefined;
    this.lanes.reload();
    this.#spending.reload();
  }

  // Reading

  /** Returns the steps in that stage, at most `limit`, in the order of their nonces or of their arrival. */
  inFlight(stage: InFlightStage, limit: number): StepEntry[] {
    if (stage === 'confirmed') return queries.confirmedSteps(this.#sql, this.#served, limit);
    const order = ({ nonce, seq }: StepEntry) => nonce ?? seq;
    const entries = [...this.#read().unmined.values()].filter((entry) => entry.stage === stage);
    return entries.toSorted((a, b) => order(a) - order(b)).slice(0, limit);
  }

  /** Returns signed steps whose transaction no node has accepted and that are due at `now`. */
  unsent(now: Milliseconds, limit: number): StepEntry[] {
    return this.inFlight('unsent', Number.POSITIVE_INFINITY)
      .filter(({ notBefore }) => notBefore <= now)
      .slice(0, limit);
  }

  /** Returns the entry of a step in no known block; undefined if the step is none. */
  inMemory(id: string): StepEntry | undefined {
    return this.#read().unmined.get(id);
  }

  /** Returns a step; undefined if the signer does not have it. */
  find(id: string): StepEntry | undefined {
    return this.inMemory(id) ?? queries.findStep(this.#sql, this.#served, id);
  }

  /** Number of transactions in no known block. A step that gave up its nonce counts until the nonce is final. */
  get unminedCount(): number {
    return this.#read().unmined.size;
  }

  /** Returns the number of transactions in no known block that have no nonce, or at least this one. */
  countUnmined(from: number): number {
    return [...this.#read().unmined.values()].filter(({ nonce = from }) => nonce >= from).length;
  }

  /** Steps that wait and keep the nonce that they gave up, until it is final. */
  requeued(): StepEntry[] {
    return [...this.#read().unmined.values()].filter(({ stage }) => stage === 'waiting');
  }

  /** Returns the lowest nonce of a transaction in no known block; undefined if there is none. */
  oldestUnminedNonce(): number | undefined {
    const nonces = [...this.#read().unmined.values()].flatMap(({ nonce }) => nonce ?? []);
    return nonces.length === 0 ? undefined : Math.min(...nonces);
  }

  /** Whether an issuance for the wallet, other than `step`, has a transaction in no known block. */
  hasIssuanceInFlight({ id, key }: Pick<Step, 'id' | 'key'>): boolean {
    for (const { step } of this.#read().unmined.values()) {
      const isSame = step.key.wallet === key.wallet && step.key.gatekeeperNetwork === key.gatekeeperNetwork;
      if (isSame && step.kind === 'issue' && step.id !== id) return true;
    }
    return false;
  }

  /**
   * Returns the nonces from `from` up to, but not including, `to` for which this store keeps no signed transaction. At any
   * other nonce, a filler would replace a transaction of the signer. A step that gave up its nonce keeps no transaction for
   * it, also if the step was withdrawn afterwards.
   */
  unusedNonces(from: number, to: number): number[] {
    const start = Math.max(from, this.#read().finalNonces);
    const used = queries.usedNonces(this.#sql, start, to);
    return Array.from({ length: Math.max(0, to - start) }, (_, index) => start + index).filter((n) => !used.has(n));
  }

  /** Returns the status of a step; undefined if the signer does not have the step. */
  answerFor(id: string): Answer | undefined {
    return this.#read().unmined.get(id)?.answer ?? queries.storedAnswer(this.#sql, id);
  }

  /** Returns the unacknowledged outcomes of a pass, in the order of its steps. */
  outcomesOf(pass: string): Answer[] {
    return queries.outcomesOf(this.#sql, pass).filter(({ step }) => this.#read().outcomes.has(step));
  }

  /** Returns the steps whose outcome is unacknowledged. */
  outcomes(): Iterable<Pick<Step, 'id' | 'key'>> {
    return this.#read().outcomes.values();
  }

  hasOutcome(id: string): boolean {
    return this.#read().outcomes.has(id);
  }

  get hasOutcomes(): boolean {
    return this.#read().outcomes.size > 0;
  }

  /** Returns which of these transactions the signer has signed, as far as its memory shows. */
  ownAmong(identifiers: readonly string[]): string[] {
    const open = new Set(
      [...this.#read().unmined.values()].flatMap(({ signed }) => signed.map((each) => each.identifier)),
    );
    return identifiers.filter((each) => this.#own.has(each) || open.has(each));
  }

  // Waiting

  /** Adds a step. Returns false if the signer has it already. */
  add(step: SubmittedStep, { mayBeSigned, reason }: Beginning, now: Milliseconds): boolean {
    const { id, key, contract, kind, rank, expiry, client, known, revision = 0 } = step;
    const memory = this.#read();
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO step (id, seq, gatekeeper_network, wallet, contract, kind, rank, expiry, client, known, status, answer,
         revision, may_be_signed, not_before, wait, detail, nonces_given_up)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?)`,
      id,
      memory.lastSeq + 1,
      key.gatekeeperNetwork,
      key.wallet,
      contract,
      kind,
      rank,
      expiry ?? null,
      client ?? null,
      known === undefined ? null : JSON.stringify(known),
      WAITING,
      revision + 1,
      mayBeSigned ? 1 : 0,
      reason === undefined ? now : now + reasonRow(reason.code).from,
      reason?.code ?? null,
      reason?.detail ?? null,
      queries.noncesGivenUpBefore(this.#sql, passIdOf(id)),
    );
    if (rowsWritten === 0) return false;
    memory.lastSeq += 1;
    this.lanes.add(key.gatekeeperNetwork, rank);
    return true;
  }

  /** Moves a step that waits in a lower rank up to the rank of its new submission: a single request now asks for its pass. */
  lift({ id, key, rank }: SubmittedStep): void {
    const query = "SELECT rank FROM step WHERE id = ? AND status = 'waiting' AND rank > ?";
    const [lower] = this.#sql.exec<{ rank: Rank }>(query, id, rank).toArray();
    if (lower === undefined) return;
    this.#sql.exec('UPDATE step SET rank = ? WHERE id = ?', rank, id);
    this.#change(id, (known) => ({ ...known, step: { ...known.step, rank } }));
    this.lanes.add(key.gatekeeperNetwork, lower.rank, -1);
    this.lanes.add(key.gatekeeperNetwork, rank);
  }

  /** Records that another client now requests a waiting step. The step no longer waits for a suspended client. */
  changeClient({ id, client }: Pick<Step, 'id' | 'client'>, now: Milliseconds): void {
    if (client === undefined) return;
    const query = "UPDATE step SET client = ?1 WHERE id = ?2 AND status = 'waiting' AND client IS NOT ?1";
    if (this.#sql.exec(query, client, id).rowsWritten === 0) return;
    this.#change(id, (known) => ({ ...known, step: { ...known.step, client } }));
    this.#endWaits('client-resumed', now, 'id = ?', id);
  }

  /**
   * Lets a step wait for that reason, longer each time in a row. A held step stays held: the signer must not sign it because
   * another reason ends.
   */
  postpone(entry: StepEntry, reason: Reason, now: Milliseconds, atLeast: Milliseconds = 0): void {
    const stays: Reason =
      isHeld(entry) && reason.code !== 'held' ? { code: 'held', detail: describeReason(reason) } : reason;
    const { from, to } = reasonRow(stays.code);
    const tries = this.#read().unmined.get(entry.step.id)?.tries ?? entry.tries;
    const notBefore = now + Math.max(atLeast, backoff(from, tries, to));
    // A held step that the operator has redriven since it was read is due, and so is a step that another client now requests.
    const { rowsWritten } = this.#sql.exec(
      `UPDATE step SET not_before = ?, tries = tries + 1, wait = ?, detail = ?
       WHERE id = ? AND client IS ? ${isHeld(entry) ? "AND wait = 'held'" : ''}`,
      notBefore,
      stays.code,
      stays.detail ?? null,
      entry.step.id,
      entry.step.client ?? null,
    );
    if (rowsWritten > 0)
      this.#change(entry.step.id, (known) => ({ ...known, notBefore, tries: known.tries + 1, reason: stays }));
  }

  /** Makes the waiting steps of the pass due if its mint is final or no longer counts. Does nothing if `step` is no mint. */
  #endMintWaits({ id, kind, key }: Step, now: Milliseconds): void {
    if (kind !== 'issue' || !CHAIN_RULES[key.chain].tokenIdsMove) return;
    this.#endWaits('mint-final', now, 'id > ? AND id < ?', ...stepIdRange(passIdOf(id)));
  }

  /** Makes the steps due that wait until the nonces of the earlier store are final. */
  endEarlierStoreWaits(now: Milliseconds): void {
    this.#endWaits('earlier-store-final', now, 'true');
  }

  /** Makes the steps of clients that are no longer suspended due. */
  endSuspensions(suspended: readonly string[], now: Milliseconds): void {
    const isResumed = 'client NOT IN (SELECT value FROM json_each(?))';
    this.#endWaits('client-resumed', now, isResumed, JSON.stringify(suspended));
  }

  /** Makes the steps due that wait until the code of their contract is known. */
  endCodeWaits(now: Milliseconds): void {
    this.#endWaits('code-known', now, 'true');
  }

  /** Makes steps that wait or are not sent due, whatever they wait for, except the steps of suspended clients. */
  retryNow(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#read().unmined.get(id)?.stage === 'sent') continue;
      const { rowsWritten } = this.#sql.exec(
        `UPDATE step SET not_before = 0, wait = NULL, detail = NULL
         WHERE id = ? AND status IN ('waiting', 'signed') AND wait IS NOT 'client-suspended'`,
        id,
      );
      if (rowsWritten > 0) this.#change(id, (known) => ({ ...known, notBefore: 0, reason: undefined }));
    }
  }

  #endWaits(end: WaitEnd, now: Milliseconds, condition: string, ...bindings: SqlStorageValue[]): void {
    const codes = JSON.stringify(reasonsEndedBy(end));
    const rows = this.#sql
      .exec<{ id: string }>(
        `UPDATE step SET not_before = ?, tries = 0, wait = NULL, detail = NULL
         WHERE status = 'waiting' AND wait IN (SELECT value FROM json_each(?)) AND ${condition} RETURNING id`,
        now,
        codes,
        ...bindings,
      )
      .toArray();
    for (const { id } of rows) this.#change(id, (known) => ({ ...known, notBefore: now, tries: 0, reason: undefined }));
  }

  // In flight

  /** Stores the signed bytes and counts their maximum cost. The signer sends bytes only after this. */
  storeSigned(entry: StepEntry, signed: StoredTransaction, nonce: number | undefined, now: Milliseconds): void {
    const { step, answer } = entry;
    const { maxCost } = signed;
    const lane = step.key.gatekeeperNetwork;
    const all = [...entry.signed, signed];
    this.#addOwn(signed);
    this.#spending.change(lane, now, () => {
      const [row] = this.#sql
        .exec<{ rank: Rank; cost: number; first_signed_at: number }>(
          `UPDATE step SET status = 'signed', is_open = 1, nonce = ?1, signed = ?2, tries = 0, wait = NULL, detail = NULL,
             answer = ?3, revision = revision + 1, cost = iif(cost_day = ?4, cost, 0) + ?5, cost_day = ?4,
             first_signed_at = coalesce(first_signed_at, ?6)
           WHERE id = ?7 AND status = 'waiting' RETURNING rank, cost, first_signed_at`,
          nonce ?? null,
          JSON.stringify(all),
          sentWith(signed.identifier),
          dayOf(now),
          maxCost,
          signed.signedAtMs,
          step.id,
        )
        .toArray();
      // A step must never get two independent transactions: both could take effect.
      if (row === undefined) throw new Error(`step ${step.id} is no longer waiting: its new bytes are discarded`);
      this.lanes.add(lane, row.rank, -1);
      this.#read().unmined.set(step.id, {
        ...entry,
        stage: 'unsent',
        answer,
        signed: all,
        nonce,
        tries: 0,
        reason: undefined,
        cost: row.cost,
        costDay: dayOf(now),
        firstSignedAtMs: row.first_signed_at,
      });
      return maxCost;
    });
  }

  /**
   * Stores a replacement at the same nonce before the signer sends it: a block may include any of the transactions. Returns
   * false if the step is no longer signed at that nonce. The answer to the pass names the newest replacement.
   */
  storeReplacement({ step, nonce }: StepEntry, raised: StoredTransaction, now: Milliseconds): boolean {
    const known = this.#read().unmined.get(step.id);
    if (known === undefined || known.stage === 'waiting' || known.nonce !== nonce) return false;
    const added = addedCost(known, raised, now);
    const signed = [...known.signed, raised];
    this.#addOwn(raised);
    const isNamed = known.answer.status.type !== 'vanished';
    this.#spending.change(step.key.gatekeeperNetwork, now, () => {
      const { cost } = this.#sql
        .exec<{ cost: number }>(
          `UPDATE step SET signed = ?1, revision = revision + ?2, answer = iif(?2, ?3, answer),
             cost = iif(cost_day = ?4, cost, 0) + ?5, cost_day = ?4 WHERE id = ?6 RETURNING cost`,
          JSON.stringify(signed),
          isNamed ? 1 : 0,
          sentWith(raised.identifier),
          dayOf(now),
          added,
          step.id,
        )
        .one();
      const answer = isNamed ? named(known.answer, raised.identifier) : known.answer;
      this.#read().unmined.set(step.id, { ...known, signed, answer, cost, costDay: dayOf(now) });
      return added;
    });
    return true;
  }

  /** Records that a node accepted the transaction. In memory only: after a restart, the signer sends it again. */
  setSent({ step }: StepEntry): void {
    this.#change(step.id, (known) => {
      if (known.stage !== 'unsent') return known;
      const newest = known.signed.at(-1)?.identifier;
      const { answer } = known;
      const isNews = answer.status.type === 'waiting' && newest !== undefined;
      const status: StepStatus = isNews ? { type: 'sent', transaction: newest } : answer.status;
      return { ...known, stage: 'sent', answer: { ...answer, revision: answer.revision + (isNews ? 1 : 0), status } };
    });
  }

  /**
   * Records that a block includes the transaction. Another block than before is a new outcome as well: a node that is behind
   * that block does not show the effect.
   */
  setConfirmed({ step }: StepEntry, status: StepStatus, includedIn: BlockReference): void {
    this.#sql.exec(
      `UPDATE step SET status = 'confirmed', included_in = ?, answer = ?, revision = revision + 1, unacknowledged = ?
       WHERE id = ?`,
      JSON.stringify(includedIn),
      JSON.stringify(status),
      this.#noteOutcome(step),
      step.id,
    );
    this.#read().unmined.delete(step.id);
  }

  /**
   * Records that the block of a step left the chain. The signer sends the same bytes again and announces this to the pass. If
   * another issuance for the wallet is in flight, the step stays confirmed, and the next run tries again. Returns whether
   * anything changed.
   */
  setVanished({ step, signed }: StepEntry, transaction: string, now: Milliseconds): boolean {
    if (step.kind === 'issue' && this.hasIssuanceInFlight(step)) return false;
    // The transaction waits for a block from now on.
    const again = signed.map((each, index) => (index === signed.length - 1 ? { ...each, signedAtMs: now } : each));
    const { rowsWritten } = this.#sql.exec(
      `UPDATE step SET status = 'signed', included_in = NULL, not_before = 0, answer = ?, revision = revision + 1,
         unacknowledged = ?, signed = ? WHERE id = ? AND status = 'confirmed'`,
      JSON.stringify({ type: 'vanished', transaction } satisfies StepStatus),
      this.#read().lastOutcome + 1,
      JSON.stringify(again),
      step.id,
    );
    if (rowsWritten === 0) return false;
    this.#noteOutcome(step);
    const entry = queries.findStep(this.#sql, this.#served, step.id);
    if (entry !== undefined) this.#read().unmined.set(step.id, entry);
    return true;
  }

  /**
   * Makes a signed step wait again, because its transactions no longer count, or holds it. Returns false if the signer has
   * signed for it since the entry was read.
   */
  requeue(
    { step, signed }: StepEntry,
    to: Pick<StepEntry, 'nonce' | 'notBefore' | 'reason' | 'noncesGivenUp' | 'ineffectiveAttempts'> & {
      readonly known: OnChain;
      readonly correction: NanoCoins;
    },
    now: Milliseconds,
  ): boolean {
    const lane = step.key.gatekeeperNetwork;
    let isRequeued = false;
    this.#spending.change(lane, now, () => {
      const [row] = this.#sql
        .exec<{ rank: Rank }>(
          `UPDATE step SET status = 'waiting', is_open = ?, nonce = ?, signed = NULL, included_in = NULL, not_before = ?,
             wait = ?, detail = ?, known = ?, revision = revision + 1, answer = ?, unacknowledged = 0,
             nonces_given_up = ?, ineffective_attempts = ?, cost = cost + ?
           WHERE id = ? AND status = 'signed' AND json_array_length(signed) = ? RETURNING rank`,
          to.nonce === undefined ? 0 : 1,
          to.nonce ?? null,
          to.notBefore,
          to.reason?.code ?? null,
          to.reason?.detail ?? null,
          JSON.stringify(to.known),
          WAITING,
          to.noncesGivenUp,
          to.ineffectiveAttempts,
          to.correction,
          step.id,
          signed.length,
        )
        .toArray();
      if (row === undefined) return 0;
      isRequeued = true;
      this.lanes.add(lane, row.rank);
      this.#read().outcomes.delete(step.id);
      this.#read().unmined.delete(step.id);
      const waiting = to.nonce === undefined ? undefined : queries.findStep(this.#sql, this.#served, step.id);
      if (waiting !== undefined) this.#read().unmined.set(step.id, waiting);
      return to.correction;
    });
    if (isRequeued) this.#endMintWaits(step, now);
    return isRequeued;
  }

  /** Frees the steps whose given up nonce is below the final one. Returns how many these are. */
  releaseNonces(final: number, now: Milliseconds): number {
    const released = this.requeued().filter(({ nonce = final }) => nonce < final);
    for (const { step } of released) {
      this.#sql.exec('UPDATE step SET nonce = NULL, is_open = 0 WHERE id = ?', step.id);
      this.#read().unmined.delete(step.id);
      this.#endWaits('nonce-final', now, 'id = ?', step.id);
    }
    return released.length;
  }

  // The end

  /** Ends a step that has no valid transaction: it was adopted or refused, or its transaction left the chain irreversibly. */
  setEnded({ step, stage }: StepEntry, status: StepStatus, now: Milliseconds = Date.now()): void {
    const query = `UPDATE step SET ${FINISH} WHERE id = ? RETURNING rank`;
    const outcome = this.#read().lastOutcome + 1;
    const { rank } = this.#sql.exec<{ rank: Rank }>(query, JSON.stringify(status), outcome, step.id).one();
    if (stage === 'waiting') this.lanes.add(step.key.gatekeeperNetwork, rank, -1);
    this.#end(step);
    this.#endMintWaits(step, now);
  }

  /**
   * Ends a waiting step that is superseded or abandoned. It does nothing if a block may still include a transaction for the
   * step: an earlier store may have signed one, or the nonce of the last one is not final.
   */
  withdraw(id: string, status: StepStatus = { type: 'withdrawn' }): void {
    const condition = `id = ? AND ${queries.IS_UNSIGNED}`;
    this.#withdrawAll(condition, status, id);
  }

  /**
   * Withdraws at most `limit` waiting steps: another signer does the next steps of their passes. Any change but an issuance may
   * be made twice.
   * @param keepsIssuances Whether it keeps issuances that an earlier store may have signed: a second mint would succeed.
   */
  withdrawWaiting(limit: number, keepsIssuances: boolean): void {
    this.#withdrawAll(
      `id IN (SELECT id FROM step INDEXED BY step_waiting
         WHERE status = 'waiting' AND nonce IS NULL AND (may_be_signed = 0 OR kind <> 'issue' OR ?) LIMIT ?)`,
      { type: 'withdrawn' },
      keepsIssuances ? 0 : 1,
      limit,
    );
  }

  #withdrawAll(condition: string, status: StepStatus, ...bindings: SqlStorageValue[]): void {
    const outcome = this.#read().lastOutcome + 1;
    const rows = this.#sql
      .exec<{ id: string; lane: GatekeeperNetwork; wallet: Wallet; rank: Rank }>(
        `UPDATE step SET ${FINISH} WHERE ${condition} RETURNING id, gatekeeper_network AS lane, wallet, rank`,
        JSON.stringify(status),
        outcome,
        ...bindings,
      )
      .toArray();
    for (const { id, lane, wallet, rank } of rows) {
      this.lanes.add(lane, rank, -1);
      this.#end({ id, key: { gatekeeperNetwork: lane, ...this.#served, wallet } }, outcome);
    }
  }

  /** Keeps the end of a step in memory: it has no transaction in flight, and its outcome is unacknowledged. */
  #end(step: Pick<Step, 'id' | 'key'>, outcome?: number): void {
    this.#read().unmined.delete(step.id);
    this.#noteOutcome(step, outcome);
  }

  /** Keeps the step among those whose outcome is unacknowledged, as the newest. Returns the number of the outcome, as its row has it. */
  #noteOutcome({ id, key }: Pick<Step, 'id' | 'key'>, n = this.#read().lastOutcome + 1): number {
    const memory = this.#read();
    memory.lastOutcome = n;
    memory.outcomes.delete(id);
    memory.outcomes.set(id, { id, key, n });
    return n;
  }

  /**
   * Records that a step is final. Its row is deleted a day after its outcome is also acknowledged.
   * @param cost Actual cost of its transaction. If it is unknown (undefined), the maximum cost stays counted.
   */
  setFinal(entry: StepEntry, now: Milliseconds, cost?: NanoCoins): void {
    const correction = costCorrection(entry, cost, now);
    const isAcknowledged = !this.#read().outcomes.has(entry.step.id);
    this.#spending.change(entry.step.key.gatekeeperNetwork, now, () => {
      this.#sql.exec(
        `UPDATE step SET status = 'final', signed = NULL, cost = cost + ?
           ${isAcknowledged ? ', unacknowledged = 0, is_open = 0, forget_at = ?' : ''} WHERE id = ?`,
        ...[correction, ...(isAcknowledged ? [now + KEEP_FINAL_MS] : []), entry.step.id],
      );
      return correction;
    });
    const memory = this.#read();
    memory.unmined.delete(entry.step.id);
    memory.finalNonces = Math.max(memory.finalNonces, (entry.nonce ?? -1) + 1);
    this.#endMintWaits(entry.step, now);
  }

  /**
   * Records that the passes have stored these outcomes. The row of a step that is not final learns it with its next write, which saves
   * a row for each. Until then, one row for all has the number up to which the passes have all outcomes, so that a restart announces
   * only later ones once more.
   */
  acknowledge(marks: readonly StepRevision[], now: Milliseconds): void {
    for (const mark of marks) this.#markAcknowledged(mark, now);
    const { outcomes, lastOutcome } = this.#read();
    const [oldest] = outcomes.values();
    const to = oldest === undefined ? lastOutcome : oldest.n - 1;
    if (to > this.#acknowledgedTo()) this.#storage.kv.put(ACKNOWLEDGED_TO, to);
  }

  #markAcknowledged({ id, revision }: StepRevision, now: Milliseconds): void {
    const { outcomes } = this.#read();
    if (!outcomes.has(id)) return;
    const query = 'SELECT revision, status FROM step WHERE id = ?';
    const [row] = this.#sql.exec<{ revision: number; status: Row['status'] }>(query, id).toArray();
    if (row?.revision !== revision) return;
    outcomes.delete(id);
    if (row.status === 'final')
      this.#sql.exec(
        'UPDATE step SET unacknowledged = 0, is_open = 0, forget_at = ? WHERE id = ?',
        now + KEEP_FINAL_MS,
        id,
      );
  }

  #acknowledgedTo(): number {
    return this.#storage.kv.get<number>(ACKNOWLEDGED_TO) ?? 0;
  }

  /**
   * Deletes the steps whose time is over, at most every `FORGET_EVERY_MS`. It keeps the newest step, which names a gatekeeper
   * network in which the signer can simulate an issuance.
   */
  forget(now: Milliseconds): void {
    if (this.#forgottenAt !== undefined && now < this.#forgottenAt + FORGET_EVERY_MS) return;
    this.#forgottenAt = now;
    this.#sql.exec('DELETE FROM step WHERE forget_at <= ? AND seq < (SELECT max(seq) FROM step)', now);
  }

  /** Returns when to search for steps to forget; undefined if the table has none but the newest. */
  nextForget(): Milliseconds | undefined {
    if (this.#forgottenAt === undefined) return undefined;
    const isMore = this.#sql.exec('SELECT 1 FROM step LIMIT 2').toArray().length > 1;
    return isMore ? this.#forgottenAt + FORGET_EVERY_MS : undefined;
  }

  #read(): Memory {
    this.#memory ??= this.#readMemory();
    return this.#memory;
  }

  #readMemory(): Memory {
    const acknowledgedTo = this.#acknowledgedTo();
    const outcomes = queries.unacknowledgedSteps(this.#sql, this.#served, acknowledgedTo);
    return {
      unmined: new Map(queries.unminedSteps(this.#sql, this.#served).map((entry) => [entry.step.id, entry])),
      outcomes: new Map(outcomes.map((outcome) => [outcome.id, outcome])),
      lastOutcome: outcomes.at(-1)?.n ?? acknowledgedTo,
      ...queries.endsOf(this.#sql),
    };
  }

  #change(id: string, change: (known: StepEntry) => StepEntry): void {
    const { unmined } = this.#read();
    const known = unmined.get(id);
    if (known !== undefined) unmined.set(id, change(known));
  }

  #addOwn({ identifier }: StoredTransaction): void {
    this.#own.add(identifier);
    const [oldest] = this.#own;
    if (this.#own.size > OWN_MAX && oldest !== undefined) this.#own.delete(oldest);
  }
}

const WAITING = JSON.stringify({ type: 'waiting' } satisfies StepStatus);

const sentWith = (transaction: string) => JSON.stringify({ type: 'sent', transaction } satisfies StepStatus);

/** Returns the answer after a replacement: the pass learns of it with the next revision. */
function named(answer: Answer, transaction: string): Answer {
  const { status, revision } = answer;
  return {
    ...answer,
    revision: revision + 1,
    status: status.type === 'sent' ? { type: 'sent', transaction } : status,
  };
}
