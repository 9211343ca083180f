import type { Milliseconds } from '../lib/brand.ts';
import type { Answer, Step } from '../pass/step.ts';
import * as queries from './step-queries.ts';
import type { InFlightStage, Served, StepEntry } from './step-row.ts';

/** The steps of which the object keeps a copy in memory. */
interface Memory {
  /** Steps in no known block, by id: signed ones, and waiting ones that keep a nonce. At most `unmined` of the network. */
  readonly unmined: Map<string, StepEntry>;
  /** Steps whose outcome is unacknowledged, by id. */
  readonly outcomes: Map<string, Pick<Step, 'id' | 'key'>>;
  /** All nonces below this one were used by final transactions. */
  finalNonces: number;
  /** The place of the newest step in the order of arrival. */
  lastSeq: number;
}

/**
 * The open steps of the signer, from the signature to the end: a copy of their rows in memory. `StepTable` changes both, the
 * rows and the copy.
 */
export class OpenSteps {
  protected readonly sql: SqlStorage;
  protected readonly served: Served;
  #memory: Memory | undefined;

  constructor(sql: SqlStorage, served: Served) {
    this.sql = sql;
    this.served = served;
  }

  /** Reads the rows again when they are needed. */
  reload(): void {
    this.#memory = undefined;
  }

  /** Returns the steps in that stage, at most `limit`, in the order of their nonces or of their arrival. */
  inFlight(stage: InFlightStage, limit: number): StepEntry[] {
    if (stage === 'confirmed') return queries.confirmedSteps(this.sql, this.served, limit);
    const order = ({ nonce, seq }: StepEntry) => nonce ?? seq;
    const entries = [...this.read().unmined.values()].filter((entry) => entry.stage === stage);
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
    return this.read().unmined.get(id);
  }

  /** Number of transactions in no known block. A step that gave up its nonce counts until the nonce is final. */
  get unminedCount(): number {
    return this.read().unmined.size;
  }

  /** Returns the number of transactions in no known block that have no nonce, or at least this one. */
  countUnmined(from: number): number {
    return [...this.read().unmined.values()].filter(({ nonce = from }) => nonce >= from).length;
  }

  /** Steps that wait and keep the nonce that they gave up, until it is final. */
  requeued(): StepEntry[] {
    return [...this.read().unmined.values()].filter(({ stage }) => stage === 'waiting');
  }

  /** Returns the lowest nonce of a transaction in no known block; undefined if there is none. */
  oldestUnminedNonce(): number | undefined {
    const nonces = [...this.read().unmined.values()].flatMap(({ nonce }) => nonce ?? []);
    return nonces.length === 0 ? undefined : Math.min(...nonces);
  }

  /** Whether an issuance for the wallet, other than `step`, has a transaction in no known block. */
  hasIssuanceInFlight({ id, key }: Pick<Step, 'id' | 'key'>): boolean {
    for (const { step } of this.read().unmined.values()) {
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
    const start = Math.max(from, this.read().finalNonces);
    const used = queries.usedNonces(this.sql, start, to);
    return Array.from({ length: Math.max(0, to - start) }, (_, index) => start + index).filter((n) => !used.has(n));
  }

  /** Returns the status of a step; undefined if the signer does not have the step. */
  answerFor(id: string): Answer | undefined {
    return this.read().unmined.get(id)?.answer ?? queries.storedAnswer(this.sql, id);
  }

  /** Returns the unacknowledged outcomes of a pass, in the order of its steps. */
  outcomesOf(pass: string): Answer[] {
    return queries.outcomesOf(this.sql, pass).filter(({ step }) => this.read().outcomes.has(step));
  }

  /** Returns the steps whose outcome is unacknowledged. */
  outcomes(): Iterable<Pick<Step, 'id' | 'key'>> {
    return this.read().outcomes.values();
  }

  get hasOutcomes(): boolean {
    return this.read().outcomes.size > 0;
  }

  protected read(): Memory {
    this.#memory ??= {
      unmined: new Map(queries.unminedSteps(this.sql, this.served).map((entry) => [entry.step.id, entry])),
      outcomes: new Map(queries.unacknowledgedSteps(this.sql, this.served).map((step) => [step.id, step])),
      ...queries.endsOf(this.sql),
    };
    return this.#memory;
  }

  protected change(id: string, change: (known: StepEntry) => StepEntry): void {
    const { unmined } = this.read();
    const known = unmined.get(id);
    if (known !== undefined) unmined.set(id, change(known));
  }
}
