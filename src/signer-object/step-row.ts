import type { BlockReference, Signed } from '../chain/port.ts';
import type { Milliseconds, NanoCoins } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { OnChain } from '../pass/pass.ts';
import type { Answer, Step, StepStatus } from '../pass/step.ts';
import type { Rank, StepKind } from '../pass/step-kinds.ts';
import type { Reason, WaitCode } from '../pass/wait-reasons.ts';
import type { Day } from './step-cost.ts';

/** A row of the table `step`, as the code sees it. */

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
  /** Amount counted for its transactions on `costDay`. */
  readonly cost: NanoCoins;
  readonly costDay: Day | undefined;
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
