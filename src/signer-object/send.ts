import {
  KmsFault,
  type Lifetime,
  type Pairs,
  type PrepareResult,
  type ReadyCall,
  SigningRefused,
} from '../chain/port.ts';
import { type NotNow, notNow, refused } from '../chain/reasons.ts';
import { backoff, type Milliseconds } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { type SignerName, urgentRoomOf } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { passIdOf, type Step } from '../pass/step.ts';
import { RANKS, STEP_KINDS, URGENT } from '../pass/step-kinds.ts';
import { isKmsCode, isUnknownError, reasonRow } from '../pass/wait-reasons.ts';
import { MAX_INEFFECTIVE_ATTEMPTS } from './confirm.ts';
import { recordUnknownErrors } from './lanes.ts';
import { nextSteps, unpreparableReason, unsignableReason } from './queue.ts';
import { finishEarlierStore, nextNonce, storeNextNonce } from './recover.ts';
import {
  addToTotals,
  isEarlierStoreOver,
  newestTransactions,
  noGrowth,
  type Outgoing,
  type StepEntry,
} from './schema.ts';
import { applyFailures, pauseOf, pauseSigner, resumeSigner, type Signer } from './signer.ts';
import { hasNonFinalStep } from './step-queries.ts';

/** Maximum number of steps that are prepared and broadcast together. */
const BATCH_MAX_STEPS = 100;
/** Maximum number of batches in one run. The next run takes the rest, so that no caller waits for a whole backlog. */
const RUN_MAX_BATCHES = 10;
/** Maximum number of steps that one run of a compromised signer withdraws. */
const RUN_MAX_WITHDRAWALS = 1_000;

/**
 * Prepares, signs, stores and broadcasts waiting steps. Returns the steps whose transaction a node has accepted. Runs must
 * not overlap, because a run assigns nonces. Throws RpcFault if the nodes fail; the next run continues from the stored
 * steps. A compromised signer withdraws its waiting steps, or holds them until it has its new variables. It still broadcasts its signed transactions, because blocks may
 * include them anyway.
 */
export async function sendWaiting(signer: Signer): Promise<Step[]> {
  const { network, steps, suspended, contracts } = signer;
  // This also happens while the signer is paused.
  withdrawSteps(signer);
  // Also for a compromised signer, which asks nobody: it may start with another list of an emergency, or other accepted code.
  suspended.resume(Date.now());
  contracts?.learn(Date.now());
  if (signer.isCompromised && !signer.holdsSteps)
    steps.withdrawWaiting(RUN_MAX_WITHDRAWALS, !isEarlierStoreOver(signer));
  const pause = pauseOf(signer, Date.now());
  // Stored bytes need no KMS.
  if (pause !== undefined && !isKmsCode(pause.code)) return [];
  const unsent = newestTransactions(steps.unsent(Date.now(), BATCH_MAX_STEPS));
  const sent = await broadcastTransactions(signer, unsent);
  if (signer.isCompromised) {
    // Steps that were not withdrawn wait until the nonces of the earlier store are final.
    postponeUnpreparable(signer, nextSteps(signer, BATCH_MAX_STEPS, Date.now()));
    await finishEarlierStore(signer, Date.now());
    return sent;
  }
  for (let batch = 0; batch < RUN_MAX_BATCHES && pauseOf(signer, Date.now()) === undefined; batch += 1) {
    withdrawSteps(signer);
    if (steps.lanes.inTurn().length === 0) break;
    await suspended.refresh(Date.now());
    const room = network.unmined - steps.unminedCount + withheldCount(signer);
    const urgentRoom = room + urgentRoomOf(network);
    if (urgentRoom <= 0) break;
    // A batch leaves room only if some of its steps were not ready. The next batch prepares more steps, so that those do
    // not delay the steps behind them.
    const limit = Math.min(BATCH_MAX_STEPS, (room > 0 ? room : urgentRoom) * 2 ** batch);
    const entries = nextSteps(signer, limit, Date.now(), room > 0 ? RANKS : [URGENT]);
    // Also without an entry: all steps may wait for the code of a contract.
    await contracts?.refresh(Date.now(), entries);
    if (entries.length === 0) break;
    const free = postponeUnpreparable(signer, entries);
    if (free.length === 0) continue;
    const signed = await signSteps(signer, free, room);
    // The nodes answered, and nothing stops the whole signer: an earlier pause must not be shown any longer.
    if (signed.length === 0 && pauseOf(signer, Date.now()) === undefined) resumeSigner(signer);
    sent.push(...(await broadcastTransactions(signer, signed)));
  }
  await finishEarlierStore(signer, Date.now());
  return sent;
}

/** Withdraws what partners and the operator have ended. Between two batches no step is being signed. */
function withdrawSteps({ steps, withdrawals }: Signer): void {
  for (const [id, status] of withdrawals) steps.withdraw(id, status);
  withdrawals.clear();
}

/**
 * Number of transactions that blocks seem to include, and whose receipts the nodes withhold. They take no room among the unmined ones:
 * `signSteps` compares that with the nonces.
 */
function withheldCount({ withheld, steps }: Signer): number {
  return [...withheld.keys()].filter((id) => steps.inMemory(id)?.nonce !== undefined).length;
}

/** Postpones the steps that the signer does not prepare now. Returns the other steps. */
function postponeUnpreparable(signer: Signer, entries: readonly StepEntry[]): StepEntry[] {
  const now = Date.now();
  return entries.filter((entry) => {
    const code = unpreparableReason(signer, entry);
    if (code !== undefined) signer.steps.postpone(entry, { code }, now);
    return code === undefined;
  });
}

interface SignedStep extends Outgoing {
  readonly nonce: number | undefined;
}

/**
 * Prepares the steps, signs at most `room` ready ones, with room of their own for freezes and revocations, and stores the results.
 * Returns the stored transactions. A ready step beyond the room or beyond a daily ceiling keeps its place. If a KMS does not sign, the signer pauses with the KMS's reason.
 */
export async function signSteps(
  signer: Signer,
  entries: readonly StepEntry[],
  room: number,
): Promise<readonly Outgoing[]> {
  const { storage, network, chain, steps } = signer;
  const prepared = await chain.prepare(entries, steps.unminedCount);
  const concluded = prepared.results.map(([entry, result]) => [entry, concludeResult(signer, result, entry)] as const);
  const first = nextNonce(signer, prepared.nonces);
  if (typeof first === 'object') {
    pauseSigner(signer, first);
    return [];
  }
  const { latest = 0 } = prepared.nonces ?? {};
  const chosen = chooseReady(signer, concluded, first, Math.min(room, network.unmined - steps.countUnmined(latest)));
  const { signed, forbidden, fault } = await signChosen(signer, chosen.ready, first, prepared.lifetime);
  // A KMS may take longer than the list of suspended clients is fresh.
  await signer.suspended.refresh(Date.now());
  // No `await` in here: bytes and nonces must be stored together, before any transaction is sent.
  return steps.commit(() => {
    const now = Date.now();
    const { allowed, stopped } = checkAgain(signer, signed, first !== undefined);
    const stored = takeAffordable(signer, allowed, now);
    for (const step of stored) steps.storeSigned(step.entry, step.signed, step.nonce, now);
    // Advance the counter only for signed transactions. Otherwise a lying node could raise it without end.
    if (first !== undefined && stored.length > 0) storeNextNonce(storage, first + stored.length);
    // A KMS that signs some steps does not make the pauses longer. Those that it did not sign keep their place.
    if (fault !== undefined && stored.length > 0) resumeSigner(signer);
    recordResults(signer, [...chosen.results, ...forbidden, ...stopped], now);
    if (fault !== undefined) pauseSigner(signer, { code: fault.code, detail: fault.message }, now);
    return stored;
  });
}

/**
 * Asks for each signed step again whether the signer may sign it, as it is by now: another client may have requested it meanwhile. On a
 * chain with nonces, the first one that must not be stored takes those behind it along, because they would wait for its nonce.
 */
function checkAgain(
  signer: Signer,
  signed: readonly SignedStep[],
  hasNonces: boolean,
): { allowed: readonly SignedStep[]; stopped: Pairs<StepEntry, NotNow> } {
  const checked = signed.map((each) => {
    const entry = signer.steps.find(each.entry.step.id) ?? each.entry;
    return { signed: { ...each, entry }, reason: unsignableReason(signer, entry) };
  });
  const end = hasNonces ? checked.findIndex(({ reason }) => reason !== undefined) : -1;
  const kept = end < 0 ? checked : checked.slice(0, end);
  return {
    allowed: kept.flatMap((each) => (each.reason === undefined ? [each.signed] : [])),
    stopped: checked.flatMap(({ signed: { entry }, reason }) => (reason ? [[entry, notNow(reason)] as const] : [])),
  };
}

/**
 * Returns the transactions before the first that exceeds a ceiling: while a KMS signed them, replacements and fillers may have spent
 * what was left.
 */
function takeAffordable({ spending }: Signer, signed: readonly SignedStep[], now: Milliseconds): readonly SignedStep[] {
  const batch = spending.openBatch(now);
  const over = signed.findIndex(
    ({ entry: { step }, signed: { maxCost } }) =>
      !batch.take(step.key.gatekeeperNetwork, STEP_KINDS[step.kind].mayUseReserve, maxCost),
  );
  return over < 0 ? signed : signed.slice(0, over);
}

/** Returns the result for a step, given what the signer knows of the step and of other steps. */
function concludeResult(signer: Signer, result: PrepareResult, entry: StepEntry): PrepareResult {
  if (result.type === 'not-now') return result;
  if (result.type === 'ready') {
    const reason = unsignableReason(signer, entry);
    if (reason !== undefined) return notNow(reason);
    // The call succeeds in simulation, but its transactions had no effect. Refuse it only here, after one more reading.
    return entry.ineffectiveAttempts < MAX_INEFFECTIVE_ATTEMPTS ? result : refused('without-effect');
  }
  // While an earlier step is not final, its reorg looks like somebody else's change, and its transaction may come back.
  return hasNonFinalStep(signer.storage.sql, passIdOf(entry.step.id)) ? notNow('earlier-step-not-final') : result;
}

/** A call that the signer is about to sign. */
interface Chosen {
  readonly entry: StepEntry;
  readonly call: ReadyCall;
  readonly nonce: number | undefined;
  /** Whether the call is based on a state that is not final. */
  readonly basedOnNonFinal: boolean;
}

/**
 * Chooses at most `room` ready calls, and more of freezes and revocations, that the signing policy and the ceilings allow, in order, and gives them nonces from `first`
 * on. All of this happens before the first signature, because a call that is left out later would leave a gap. A forbidden step is
 * postponed.
 */
function chooseReady(
  { name, network, storage: { sql }, spending }: Signer,
  concluded: Pairs<StepEntry, PrepareResult>,
  first: number | undefined,
  room: number,
): { ready: Chosen[]; results: Pairs<StepEntry, PrepareResult> } {
  const ready: Chosen[] = [];
  const batch = spending.openBatch(Date.now());
  const minted = new Set<string>();
  const results: (readonly [StepEntry, PrepareResult])[] = [];
  for (const [entry, result] of concluded) {
    if (result.type !== 'ready') {
      results.push([entry, result]);
      continue;
    }
    const { kind, key, id, rank } = entry.step;
    const mint = `${key.gatekeeperNetwork} ${key.wallet}`;
    if (kind === 'issue' && minted.has(mint)) {
      results.push([entry, notNow('issuance-in-flight')]);
      continue;
    }
    if (ready.length >= (rank === URGENT ? room + urgentRoomOf(network) : room)) continue;
    const nonce = first === undefined ? undefined : first + ready.length;
    const violation = result.findViolation(nonce);
    if (violation !== undefined) {
      results.push([entry, forbid(name, entry, new SigningRefused(violation))]);
      continue;
    }
    if (!batch.take(key.gatekeeperNetwork, STEP_KINDS[kind].mayUseReserve, result.maxCost)) continue;
    ready.push({ entry, call: result, nonce, basedOnNonFinal: hasNonFinalStep(sql, passIdOf(id)) });
    if (kind === 'issue') minted.add(mint);
    results.push([entry, result]);
  }
  return { ready, results };
}

/** Logs that the signing policy refuses the transaction of a step, and returns why the step waits. */
function forbid(name: SignerName, { step }: StepEntry, fault: SigningRefused): NotNow {
  logFault('signer.signing_forbidden', fault, { signer: name, step: step.id });
  return notNow('signing-forbidden', fault.message);
}

/**
 * Signs all chosen calls in parallel. On a chain with nonces it returns only those before the first failure, because a transaction
 * behind an unused nonce would wait for it. A signature that is not returned is stored and sent nowhere, and its step keeps its
 * place.
 */
async function signChosen(
  { name }: Signer,
  chosen: readonly Chosen[],
  first: number | undefined,
  lifetime: Lifetime | undefined,
): Promise<{ signed: SignedStep[]; forbidden: Pairs<StepEntry, NotNow>; fault: KmsFault | undefined }> {
  const outcomes = await Promise.all(chosen.map(async (each) => ({ ...each, outcome: await signOne(each, lifetime) })));
  const failed = outcomes.findIndex(({ outcome }) => outcome instanceof Error);
  const kept = first === undefined || failed < 0 ? outcomes : outcomes.slice(0, failed);
  const signed = kept.flatMap(({ entry, nonce, outcome, call: { expectedOnChain }, basedOnNonFinal }): SignedStep[] => {
    if (outcome instanceof Error) return [];
    const { transaction, signedAtMs } = outcome;
    const based = basedOnNonFinal && { basedOnNonFinal: true as const };
    return [{ entry, nonce, signed: { ...transaction, expectedOnChain, ...based, signedAtMs } }];
  });
  return {
    signed,
    forbidden: outcomes.flatMap(({ entry, outcome }) =>
      outcome instanceof SigningRefused ? [[entry, forbid(name, entry, outcome)] as const] : [],
    ),
    fault: outcomes.map(({ outcome }) => outcome).find((outcome) => outcome instanceof KmsFault),
  };
}

/** Returns a refusal and the fault of a KMS. Throws any other fault. */
async function signOne({ call, nonce }: Chosen, lifetime: Lifetime | undefined) {
  try {
    return { transaction: await call.sign(nonce, lifetime), signedAtMs: Date.now() };
  } catch (fault) {
    if (fault instanceof SigningRefused || fault instanceof KmsFault) return fault;
    throw fault;
  }
}

/**
 * Records the results of `prepare`, except for ready calls, which the signer signs. An obstacle that concerns many steps
 * pauses their lane, or the signer, once. If another call of the lane succeeds in simulation, only the affected steps wait:
 * a contract that refuses to mint must not delay a revocation.
 */
export function recordResults(signer: Signer, results: Pairs<StepEntry, PrepareResult>, now: Milliseconds): void {
  const { steps, storage, waits } = signer;
  const laneOf = ({ step }: StepEntry) => step.key.gatekeeperNetwork;
  const succeeding = new Set(results.flatMap(([entry, { type }]) => (type === 'ready' ? laneOf(entry) : [])));
  for (const lane of succeeding) waits.end(lane, 'success');
  logPostponed(signer, results, now);
  const paused = new Map<GatekeeperNetwork, NotNow>();
  let wholeSigner: NotNow | undefined;
  const growth = noGrowth();
  for (const [entry, result] of results) {
    switch (result.type) {
      case 'ready':
        break;
      case 'found':
        steps.setEnded(entry, { type: 'found', onChain: result.onChain });
        break;
      case 'refused':
        steps.setEnded(entry, { type: 'failed', reason: result.reason });
        growth.failed += 1;
        break;
      case 'not-now': {
        const { from, to } = reasonRow(result.code);
        if (result.blocks === 'signer') wholeSigner = result;
        else if (result.blocks === 'step' || succeeding.has(laneOf(entry))) steps.postpone(entry, result, now);
        else {
          paused.set(laneOf(entry), result);
          // Other steps of the lane come first in the next try, even those of a lower rank.
          if (isUnknownError(result.code)) steps.postpone(entry, result, now, 2 * backoff(from, entry.tries, to));
        }
      }
    }
  }
  addToTotals(storage, growth);
  for (const [lane, reason] of paused) waits.begin(lane, reason, now);
  if (wholeSigner !== undefined) pauseSigner(signer, wholeSigner, now);
}

/** Logs why steps wait. An error that the service does not know may mean anything, so only a new one is logged. */
function logPostponed({ name, storage }: Signer, results: Pairs<StepEntry, PrepareResult>, now: Milliseconds): void {
  const postponed = results.flatMap(([{ step }, result]) => (result.type === 'not-now' ? [{ ...result, step }] : []));
  const [unknown, known] = [true, false].map((is) => postponed.filter(({ code }) => isUnknownError(code) === is));
  for (const { step, code, why, blocks } of known ?? [])
    log('signer.step_postponed', { signer: name, step: step.id, code, reason: why, blocks });
  for (const { step, code, why } of recordUnknownErrors(storage, unknown ?? [], now))
    logFault('signer.contract_error_unknown', why, { signer: name, step: step.id, code });
}

/** Sends stored transactions to the nodes. Postpones refused ones. Returns the steps whose transaction a node accepted. */
async function broadcastTransactions(signer: Signer, outgoing: readonly Outgoing[]): Promise<Step[]> {
  if (outgoing.length === 0) return [];
  const { chain, steps } = signer;
  const results = await chain.broadcast(outgoing);
  const accepted = results.flatMap(([sent, { type }]) => (type === 'accepted' ? [sent] : []));
  for (const { entry } of accepted) steps.setSent(entry);
  for (const [{ entry }, result] of results) if (result.type === 'not-now') steps.postpone(entry, result, Date.now());
  const canPay = applyFailures(signer, results);
  // `prepare` may have just paused the signer because of other steps of the batch: keep that pause.
  if (canPay && accepted.length > 0 && !pauseOf(signer, Date.now())) resumeSigner(signer);
  return accepted.map(({ entry }) => entry.step);
}
