import type { BlockReference, Signed } from '../chain/port.ts';
import { type Milliseconds, type NanoCoins, SECOND_MS } from '../lib/units.ts';
import type { Network } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { OnChain } from '../pass/pass.ts';
import type { Answer, Step, StepStatus, SubmittedStep } from '../pass/step.ts';
import { CHAIN_RULES, type Rank, type StepKind } from '../pass/step-kinds.ts';
import type { Reason, WaitCode } from '../pass/wait-reasons.ts';

/** The store of a signer: its tables, a row of `step` as the code sees it, and the store before this one. */

/**
 * The signer's tables. Append-only from the first release on: a released entry never changes, and a new one is added below it.
 * The previous release must keep running on the tables of the new entry, so an entry only adds columns with defaults, tables or
 * indexes. docs/storage.md describes each column.
 *
 * The table is in the order of the ids, because an index of them would cost another row for each step.
 * An index costs a row for each entry that it gets, and for each entry whose columns a statement names. So `step_open` holds a
 * step from its signature to its end, and no statement in between names its columns.
 */
export const RELEASES: readonly string[] = [
  `CREATE TABLE step (
     id TEXT PRIMARY KEY,
     seq INTEGER NOT NULL,
     gatekeeper_network TEXT NOT NULL,
     wallet TEXT NOT NULL,
     contract TEXT NOT NULL,
     kind TEXT NOT NULL,
     rank INTEGER NOT NULL,
     expiry INTEGER,
     client TEXT,
     known TEXT,
     status TEXT NOT NULL CHECK (status IN ('waiting', 'signed', 'confirmed', 'final')),
     is_open INTEGER NOT NULL DEFAULT 0,
     revision INTEGER NOT NULL,
     answer TEXT NOT NULL,
     unacknowledged INTEGER NOT NULL DEFAULT 0,
     not_before INTEGER NOT NULL,
     wait TEXT,
     detail TEXT,
     tries INTEGER NOT NULL DEFAULT 0,
     may_be_signed INTEGER NOT NULL DEFAULT 0,
     ineffective_attempts INTEGER NOT NULL DEFAULT 0,
     nonces_given_up INTEGER NOT NULL DEFAULT 0,
     cost INTEGER NOT NULL DEFAULT 0,
     cost_day INTEGER,
     first_signed_at INTEGER,
     nonce INTEGER,
     included_in TEXT,
     forget_at INTEGER,
     signed TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX step_waiting ON step (gatekeeper_network, rank, not_before, seq) WHERE status = 'waiting';
   CREATE UNIQUE INDEX step_open ON step (nonce) WHERE is_open = 1;
   CREATE TABLE wait (
     scope TEXT NOT NULL,
     reason TEXT NOT NULL,
     detail TEXT,
     until INTEGER NOT NULL,
     tries INTEGER NOT NULL,
     PRIMARY KEY (scope, reason)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE gap_filler (
     nonce INTEGER PRIMARY KEY,
     cost INTEGER NOT NULL,
     cost_day INTEGER NOT NULL
   ) STRICT;`,
  'ALTER TABLE gap_filler ADD COLUMN signed TEXT',
];

/**
 * Applies the entries that the tables lack. It leaves tables of a newer release and their stored number unchanged: with a
 * smaller number, the newer release would apply its entries a second time and fail.
 */
export function migrate(storage: DurableObjectStorage, releases = RELEASES): void {
  const done = storage.kv.get<number>('schema') ?? 0;
  if (done >= releases.length) return;
  storage.transactionSync(() => {
    for (const release of releases.slice(done)) storage.sql.exec(release);
    if (done === 0) expectEarlierStore(storage.kv, Date.now());
    storage.kv.put('schema', releases.length);
  });
}

/** A signed transaction as the signer stores it. */
export interface StoredTransaction extends Signed {
  /** On-chain state after the transaction. */
  readonly expectedOnChain: OnChain;
  /** Whether an earlier step for the wallet was not final when the chain was read. The reading may lack its effect. */
  readonly basedOnNonFinal?: boolean | undefined;
  readonly signedAtMs: Milliseconds;
}

/** A signed step is `sent` if a node has accepted its transaction since the object started, and `unsent` otherwise. */
export type InFlightStage = 'unsent' | 'sent' | 'confirmed';

/** All stages of steps in flight. */
export const ALL_STAGES: readonly InFlightStage[] = ['unsent', 'sent', 'confirmed'];
/** The stages whose outcome a request may wait for. */
export const UNCONFIRMED_STAGES: readonly InFlightStage[] = ['unsent', 'sent'];

/** A step as its row and the memory of the object show it. */
export interface StepEntry {
  readonly seq: number;
  readonly step: Step;
  readonly stage: 'waiting' | InFlightStage | 'final';
  readonly answer: Answer;
  /** Earliest time at which the signer prepares the step, or sends its bytes again. */
  readonly notBefore: Milliseconds;
  /** Why it waits, other than for its turn. */
  readonly reason: Reason | undefined;
  /** How often it was postponed in a row. */
  readonly tries: number;
  /** Whether an earlier store of the signer, now lost, may have signed for it. Only the chain shows that. */
  readonly mayBeSigned: boolean;
  /** How many of its transactions were mined without effect. */
  readonly ineffectiveAttempts: number;
  /** How many nonces, or on Solana expired transactions, were signed for it and given up. */
  readonly noncesGivenUp: number;
  /** Amount counted for its transactions on `costDay`, in days since 1970 (UTC). */
  readonly cost: NanoCoins;
  readonly costDay: number | undefined;
  /** When the first of all its transactions was signed; undefined: none was. */
  readonly firstSignedAtMs: Milliseconds | undefined;
  /** All transactions that were signed for the step and may still count, the newest last. */
  readonly signed: readonly StoredTransaction[];
  /**
   * Undefined until the step is signed, and on chains without nonces. A step that waits to be signed again keeps the nonce
   * that it gave up until that nonce is final.
   */
  readonly nonce: number | undefined;
  /** The block that included its transaction when it was last seen. */
  readonly includedIn: BlockReference | undefined;
}

export interface Row extends Record<string, SqlStorageValue> {
  seq: number;
  id: string;
  gatekeeper_network: GatekeeperNetwork;
  wallet: Wallet;
  contract: string;
  kind: string;
  rank: Rank;
  expiry: number | null;
  client: string | null;
  known: string | null;
  status: 'waiting' | 'signed' | 'confirmed' | 'final';
  revision: number;
  answer: string;
  not_before: number;
  wait: string | null;
  detail: string | null;
  tries: number;
  may_be_signed: number;
  ineffective_attempts: number;
  nonces_given_up: number;
  cost: number;
  cost_day: number | null;
  first_signed_at: number | null;
  nonce: number | null;
  included_in: string | null;
  signed: string | null;
}

/** The network that this signer serves. It completes the keys of its passes. */
export type Served = Pick<Step['key'], 'chain' | 'network'>;

export function entryOf(row: Row, { chain, network }: Served): StepEntry {
  return {
    seq: row.seq,
    step: {
      id: row.id,
      contract: row.contract,
      kind: row.kind as StepKind,
      rank: row.rank,
      expiry: row.expiry ?? undefined,
      client: row.client ?? undefined,
      known: row.known === null ? undefined : JSON.parse(row.known),
      key: { gatekeeperNetwork: row.gatekeeper_network, chain, network, wallet: row.wallet },
    },
    stage: row.status === 'signed' ? 'unsent' : row.status,
    answer: answerOf(row),
    notBefore: row.not_before,
    reason: row.wait === null ? undefined : { code: row.wait as WaitCode, detail: row.detail ?? undefined },
    tries: row.tries,
    mayBeSigned: row.may_be_signed === 1,
    ineffectiveAttempts: row.ineffective_attempts,
    noncesGivenUp: row.nonces_given_up,
    cost: row.cost,
    costDay: row.cost_day ?? undefined,
    firstSignedAtMs: row.first_signed_at ?? undefined,
    signed: row.signed === null ? [] : JSON.parse(row.signed),
    nonce: row.nonce ?? undefined,
    includedIn: row.included_in === null ? undefined : JSON.parse(row.included_in),
  };
}

/**
 * Returns the answer of a stored step. The row of a signed step already holds the answer that it gets once a node accepts its
 * transaction, so that acceptance writes no row. Until then the step counts as waiting, with the revision before.
 */
export function answerOf({ id, status, revision, answer }: Pick<Row, 'id' | 'status' | 'revision' | 'answer'>): Answer {
  const stored = JSON.parse(answer) as StepStatus;
  return status === 'signed' && stored.type === 'sent'
    ? { step: id, revision: revision - 1, status: { type: 'waiting' } }
    : { step: id, revision, status: stored };
}

/** Whether the signer holds the step for the operator: it prepares the step, which may end it, but never signs it. */
export function isHeld({ reason }: Pick<StepEntry, 'reason'>): boolean {
  return reason?.code === 'held';
}

/** A step and the transaction to broadcast for it. */
export interface Outgoing {
  readonly entry: StepEntry;
  readonly signed: StoredTransaction;
}

/** Returns the newest transaction of each step that has one. */
export function newestTransactions(entries: readonly StepEntry[]): Outgoing[] {
  return entries.flatMap((entry) => entry.signed.slice(-1).map((signed) => ({ entry, signed })));
}

/**
 * A signer whose store was lost does not know which transactions the earlier store signed, and the nodes may have forgotten
 * them. A block may include such a transaction as long as its nonce is free, and the contract lets a wallet have a second
 * token. So an issuance that the earlier store may have signed waits until all nonces that the earlier store can have used
 * are final. Then the chain shows its token, or no block ever will.
 */

/** The store before this one. Stored under `earlierStore` until its nonces are final; most signers never had one. */
export interface EarlierStore {
  /** When this store began (milliseconds). */
  readonly until: Milliseconds;
  /** Whether an issuance waits until the nonces of the earlier store are final. */
  readonly isAwaited?: boolean;
  /** All its nonces are below this one; undefined: not known yet. */
  readonly endNonce?: number;
  /** When free nonces below `endNonce` were filled last (milliseconds). */
  readonly filledAt?: Milliseconds;
}

type KeyValues = DurableObjectStorage['kv'];

interface Storing {
  readonly network: Pick<Network, 'chain'>;
  readonly storage: Pick<DurableObjectStorage, 'kv'>;
}

export const EARLIER_STORE = 'earlierStore';
/** Maximum difference between two clocks: of two objects, or of a signer and its chain. */
export const CLOCK_SKEW_MS = SECOND_MS;

/** Records that this store began at `now` (milliseconds). */
export function expectEarlierStore(kv: KeyValues, now: Milliseconds): void {
  kv.put(EARLIER_STORE, { until: now });
}

/** Returns the record of the earlier store; undefined once its nonces are final. */
export function earlierStoreOf(kv: KeyValues): EarlierStore | undefined {
  return kv.get<EarlierStore>(EARLIER_STORE);
}

/**
 * Whether an earlier store may have signed for a step that is new to this one. That is the case if a signer has already
 * answered the pass about the step, or if the pass pinned the step before this store began.
 */
export function mayBeSigned(kv: KeyValues, { revision = 0, pinnedAt }: SubmittedStep): boolean {
  const until = earlierStoreOf(kv)?.until ?? 0;
  return revision > 0 || (pinnedAt ?? until) < until - CLOCK_SKEW_MS;
}

/** Whether the chain shows everything that the earlier store signed. */
export function isEarlierStoreOver({ network, storage: { kv } }: Storing): boolean {
  // Without an order of transactions there are no nonces, and a second issuance fails at the address of the first.
  return earlierStoreOf(kv) === undefined || !CHAIN_RULES[network.chain].transactionsAreOrdered;
}

/** Whether an issuance must wait for the nonces of the earlier store. If so, the signer then makes sure they become final. */
export function needsEarlierStore(signer: Storing): boolean {
  if (isEarlierStoreOver(signer)) return false;
  const { kv } = signer.storage;
  const earlier = earlierStoreOf(kv);
  if (earlier && !earlier.isAwaited) kv.put(EARLIER_STORE, { ...earlier, isAwaited: true });
  return true;
}

/** Totals of a signer since its store exists. They only grow. */
export interface Totals {
  /** Number of confirmed issuances. */
  readonly issued: number;
  /** Number of steps that the chain refuses for good. */
  readonly failed: number;
  /** Number of transactions whose block left the chain. */
  readonly reorged: number;
  /** Confirmed steps, by the time from the first signature to the confirmation. */
  readonly confirmations: {
    readonly count: number;
    readonly seconds: number;
    /** Number of steps by the upper bound of the bucket in seconds. A step counts in one bucket. A step beyond the last bound counts in none. */
    readonly buckets: Readonly<Record<string, number>>;
  };
}

/** Upper bounds of the buckets. A block takes from half a second to twelve seconds, and a stuck transaction minutes. */
export const BUCKETS_SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800] as const;

const NONE: Totals = { issued: 0, failed: 0, reorged: 0, confirmations: { count: 0, seconds: 0, buckets: {} } };

export function readTotals({ kv }: Pick<DurableObjectStorage, 'kv'>): Totals {
  return kv.get<Totals>('totals') ?? NONE;
}

/** The growth of the totals by one commit. */
export interface Growth {
  issued: number;
  failed: number;
  reorged: number;
  /** Seconds from the first signature to the confirmation, one entry for each step. */
  readonly confirmedAfter: number[];
}

export const noGrowth = (): Growth => ({ issued: 0, failed: 0, reorged: 0, confirmedAfter: [] });

/** Adds to the totals, with one row at most. The caller runs it in the commit of the work that it counts. */
export function addToTotals(storage: Pick<DurableObjectStorage, 'kv'>, growth: Growth): void {
  const { issued, failed, reorged, confirmedAfter } = growth;
  if (issued + failed + reorged + confirmedAfter.length === 0) return;
  const before = readTotals(storage);
  const buckets: Record<string, number> = { ...before.confirmations.buckets };
  for (const seconds of confirmedAfter) {
    const bound = BUCKETS_SECONDS.find((each) => seconds <= each);
    if (bound !== undefined) buckets[bound] = (buckets[bound] ?? 0) + 1;
  }
  const { count, seconds } = before.confirmations;
  storage.kv.put('totals', {
    issued: before.issued + issued,
    failed: before.failed + failed,
    reorged: before.reorged + reorged,
    confirmations: {
      count: count + confirmedAfter.length,
      seconds: seconds + confirmedAfter.reduce((sum, each) => sum + each, 0),
      buckets,
    },
  } satisfies Totals);
}
