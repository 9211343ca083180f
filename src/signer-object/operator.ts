import type { Milliseconds } from '../lib/units.ts';
import { activeWithinMs, usualFinalityMs } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { type PartnerReason, QUEUE_MAX_STEPS, reasonForPartner } from '../pass/partner-reasons.ts';
import { ABANDONED, passIdOf, type StepStatus } from '../pass/step.ts';
import { RANKS, type Rank, STEP_KINDS, type StepKind } from '../pass/step-kinds.ts';
import {
  describeReason,
  explainLasting,
  firstReason,
  isUnknownError,
  progress,
  type Reason,
  reasonRow,
  type StuckReason,
  waitedMs,
} from '../pass/wait-reasons.ts';
import { describeLasting, type Scope, SIGNER } from './lanes.ts';
import type { StepEntry } from './schema.ts';
import { type Signer, WITHHELD_AFTER_MS } from './signer.ts';
import {
  countEndable,
  countWaitingBefore,
  findEndable,
  oldestOpenSignature,
  storedAnswer,
  type WaitingSteps,
  waitCounts,
} from './step-queries.ts';

/** A step that its signer may not know yet. */
export interface StuckStep {
  readonly id: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly kind: StepKind;
  readonly rank: Rank;
}

/** A reason, and the words in which the partner of the pass may read it; undefined: it reads none. */
export interface ExplainedReason extends StuckReason {
  readonly partner?: PartnerReason | undefined;
}

/** Returns why the step is not finished. `now` in milliseconds. */
export function stuckReasonFor(signer: Signer | undefined, step: StuckStep, now: number): ExplainedReason {
  const reason = signer === undefined ? reasonText({ code: 'not-configured' }) : reasonFor(signer, step, now);
  const entry = reason.code === 'turn' ? signer?.steps.find(step.id) : undefined;
  return { ...reason, partner: reasonForPartner(reason.code, signer && entry && countBefore(signer, entry)) };
}

function reasonFor(signer: Signer, step: StuckStep, now: number): StuckReason {
  const { storage, network, steps } = signer;
  const entry = steps.find(step.id);
  const reason = firstReason(reasonsFor(signer, step, entry));
  const found = reason === undefined ? progressOf(signer, step, entry) : describe(storage, reason, entry, now);
  const times = { inclusionMs: activeWithinMs(network), finalityMs: usualFinalityMs(network) };
  const withheld = withheldAbout(signer, step, now) ?? doubtAfterExpiry(entry);
  return explainLasting(found, times, heldMs(signer, entry, reason, now), withheld);
}

function describe(
  storage: DurableObjectStorage,
  reason: Reason,
  entry: StepEntry | undefined,
  now: Milliseconds,
): StuckReason {
  const lasting = isUnknownError(reason.code) ? describeLasting(storage, reason, entry?.tries ?? 0, now) : undefined;
  const { code, text } = reasonText(reason);
  return { code, text: lasting === undefined ? text : `${text} (${lasting})` };
}

/** Returns how long the step has waited: a signed one since its signature, one that waits for a signed one since the signature of that. */
function heldMs(
  { storage: { sql } }: Signer,
  entry: StepEntry | undefined,
  reason: Reason | undefined,
  now: Milliseconds,
): Milliseconds | undefined {
  if (entry === undefined) return undefined;
  if (reason !== undefined && reasonRow(reason.code).ends === 'success') return waitedMs(reason.code, entry.tries);
  const since = reason === undefined ? entry.firstSignedAtMs : oldestOpenSignature(sql, passIdOf(entry.step.id));
  return since === undefined ? undefined : now - since;
}

/** Returns what the nodes withhold about the signed steps of the pass, or about all; undefined while they may only be late. */
function withheldAbout({ withheld }: Signer, { id }: StuckStep, now: Milliseconds): string | undefined {
  const pass = passIdOf(id);
  const found = [...withheld].find(([of, { since }]) => {
    return (of === SIGNER || passIdOf(of) === pass) && now - since >= WITHHELD_AFTER_MS;
  });
  return found?.[1].why;
}

/** Returns what may have kept an expired transaction out of all blocks, for a step that was signed again after it. */
function doubtAfterExpiry(entry: StepEntry | undefined): string | undefined {
  const newest = entry?.stage === 'sent' ? entry.signed.at(-1) : undefined;
  if (newest?.lastValidBlockHeight === undefined || entry?.firstSignedAtMs === undefined) return undefined;
  if (newest.signedAtMs <= entry.firstSignedAtMs) return undefined;
  return (
    'its earlier transaction has expired: it paid too little, getLatestBlockhash names a wrong blockhash, ' +
    'or sendTransaction does not pass it on'
  );
}

/** Returns all reasons for which the step waits: its own, those of its lane and those of the signer. */
function reasonsFor(signer: Signer, { gatekeeperNetwork, kind }: StuckStep, entry: StepEntry | undefined): Reason[] {
  const own = entry?.reason === undefined ? [] : [entry.reason];
  switch (entry?.stage) {
    case 'waiting':
      return [...laneReasons(signer, gatekeeperNetwork, STEP_KINDS[kind].mayUseReserve), ...own];
    case 'unsent':
      return [...reasonsOf(signer, [SIGNER], true), ...own];
    default:
      return [];
  }
}

/** Returns the reasons of the lane and of the signer that concern a waiting step. */
function laneReasons(signer: Signer, lane: GatekeeperNetwork, mayUseReserve: boolean): Reason[] {
  const shared = reasonsOf(signer, [SIGNER, lane], mayUseReserve);
  return signer.isCompromised ? [{ code: 'key-compromised' }, ...shared] : shared;
}

function reasonsOf({ waits }: Signer, scopes: readonly Scope[], mayUseReserve: boolean): Reason[] {
  const all = scopes.flatMap((scope) => waits.of(scope));
  return all.filter(({ code }) => !(mayUseReserve && reasonRow(code).sparesReserve));
}

function progressOf({ steps }: Signer, step: StuckStep, entry: StepEntry | undefined): StuckReason {
  if (entry === undefined)
    return progress(steps.lanes.hasRoom(step.gatekeeperNetwork, step.rank) ? 'not-added' : 'no-room');
  switch (entry.stage) {
    case 'waiting':
      return progress('turn');
    case 'unsent':
      return progress(entry.answer.status.type === 'vanished' ? 'vanished' : 'unsent');
    default:
      return progress(entry.stage);
  }
}

/** Returns how many steps of its lane are before a waiting one. Some turns serve a lower rank, so it may come sooner. */
function countBefore({ storage: { sql }, steps: { lanes } }: Signer, entry: StepEntry): number {
  const { key, rank } = entry.step;
  const higher = RANKS.filter((each) => each < rank).map((each) => lanes.countOf(key.gatekeeperNetwork, each));
  const before = higher.reduce((sum, n) => sum + n, countWaitingBefore(sql, entry, QUEUE_MAX_STEPS));
  return Math.min(before, QUEUE_MAX_STEPS);
}

const reasonText = (reason: Reason): StuckReason => ({ code: reason.code, text: describeReason(reason) });

export interface EndedSteps {
  /** Passes whose step has ended. */
  readonly ended: readonly {
    readonly pass: string;
    readonly gatekeeperNetwork: GatekeeperNetwork;
    readonly wallet: Wallet;
  }[];
  /** Number of selected steps that still wait and can be ended by another call. */
  readonly waiting: number;
  /** Number of selected steps that cannot be ended, because a block may include a transaction for them. */
  readonly signed: number;
}

/** The status of a step that the operator ended. */
const ENDED: StepStatus = { type: 'failed', reason: ABANDONED };

/**
 * Ends at most `limit` of the selected steps as failed. It does not end steps that may have signed bytes.
 * @param run Starts the signer's next run, which ends the steps: between two runs the signer signs nothing. Undefined: the
 *   signer is not configured, so it has no runs.
 */
export async function endWaitingSteps(
  { storage: { sql }, steps, withdrawals }: Pick<Signer, 'storage' | 'steps' | 'withdrawals'>,
  which: WaitingSteps,
  limit: number,
  run: (() => Promise<unknown>) | undefined,
): Promise<EndedSteps> {
  const found = findEndable(sql, which, limit);
  if (run === undefined) for (const { id } of found) steps.withdraw(id, ENDED);
  else if (found.length > 0) {
    for (const { id } of found) withdrawals.set(id, ENDED);
    await run();
  }
  // The current run may have signed a step, or ended it for another reason.
  const ended = found.filter(({ id }) => {
    const status = storedAnswer(sql, id)?.status;
    return status?.type === 'failed' && status.reason === ABANDONED;
  });
  return {
    ended: ended.map(({ id, gatekeeperNetwork, wallet }) => ({ pass: passIdOf(id), gatekeeperNetwork, wallet })),
    ...countEndable(sql, which),
  };
}

/** Makes these steps due, ends their holds, and lets their lanes and the signer try again now. */
export function retryNow(
  { steps: table, waits }: Pick<Signer, 'steps' | 'waits'>,
  steps: readonly { readonly id: string; readonly gatekeeperNetwork: GatekeeperNetwork }[],
): void {
  table.retryNow(steps.map(({ id }) => id));
  for (const scope of new Set<Scope>([SIGNER, ...steps.map(({ gatekeeperNetwork }) => gatekeeperNetwork)]))
    waits.retryNow(scope);
}

/** Number of steps by the code of the reason for which they wait. */
export type WaitingByReason = Readonly<Partial<Record<StuckReason['code'], number>>>;

/** Maximum number of rows that one count reads. Beyond it, steps count with the reasons of their lane and the signer, or `turn`. */
const MAX_ROWS = 1_000;

/**
 * Returns the number of unsigned steps, and of signed ones that no node has accepted, by reason. A step with several reasons counts
 * with the first one, as `stuckReasonFor` shows it; one without a reason waits for its turn.
 */
export function waitingByReason(signer: Signer): WaitingByReason {
  const { storage, steps } = signer;
  const sums: Partial<Record<StuckReason['code'], number>> = {};
  const add = (code: StuckReason['code'], n: number) => {
    if (n > 0) sums[code] = (sums[code] ?? 0) + n;
  };
  const known = Map.groupBy(waitCounts(storage.sql, MAX_ROWS), ({ lane }) => lane);
  for (const lane of steps.lanes.inTurn()) {
    let others = steps.lanes.countAll(lane);
    for (const { kind, code, n } of known.get(lane) ?? []) {
      const shared = laneReasons(signer, lane, STEP_KINDS[kind].mayUseReserve);
      add(firstReason([...shared, ...(code === null ? [] : [{ code }])])?.code ?? 'turn', n);
      others -= n;
    }
    add(firstReason(laneReasons(signer, lane, false))?.code ?? 'turn', others);
  }
  for (const { reason } of steps.inFlight('unsent', Number.POSITIVE_INFINITY))
    add(firstReason([...reasonsOf(signer, [SIGNER], true), ...(reason ? [reason] : [])])?.code ?? 'unsent', 1);
  return sums;
}
