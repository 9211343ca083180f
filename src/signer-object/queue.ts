import type { Milliseconds } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { type Answer, passIdOf, type Step, type SubmittedStep } from '../pass/step.ts';
import { CHAIN_RULES, RANKS, type Rank, RESERVE_RANKS, STEP_KINDS } from '../pass/step-kinds.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import { SIGNER } from './lanes.ts';
import { isHeld, mayBeSigned, needsEarlierStore, type StepEntry } from './schema.ts';
import type { Signer } from './signer.ts';
import { hasNonFinalStep, waitingSteps } from './step-queries.ts';

/**
 * Adds steps and returns those that are new. It does not add a step that the signer has already: if that one waits in a lower
 * rank than it is submitted with, it moves up, even if the higher rank is full, because the lane does not grow. And it does not
 * add a step whose rank has no room in its lane.
 */
export function addSteps(
  { storage, steps: table, contracts }: Pick<Signer, 'storage' | 'steps' | 'contracts'>,
  steps: readonly SubmittedStep[],
  now: Milliseconds = Date.now(),
): SubmittedStep[] {
  return steps.filter((step) => {
    const hasRoom = table.lanes.hasRoom(step.key.gatekeeperNetwork, step.rank);
    const reason =
      hasRoom && waitsForMint({ storage, contracts }, step) ? ({ code: 'mint-not-final' } as const) : undefined;
    const isNew = hasRoom && table.add(step, { mayBeSigned: mayBeSigned(storage.kv, step), reason }, now);
    if (!isNew) {
      table.lift(step);
      table.changeClient(step, now);
    }
    return isNew;
  });
}

/**
 * Whether the mint of the step's own pass is signed and not final. If a reorg can give the token of a mint to another wallet, a change
 * of the token waits for that.
 */
export function waitsForMint(
  { storage: { sql }, contracts }: Pick<Signer, 'storage' | 'contracts'>,
  step: Step,
): boolean {
  const { id, kind, key, contract } = step;
  const idsMove = CHAIN_RULES[key.chain].tokenIdsMove && !contracts?.derivesTokenIds(contract);
  return kind !== 'issue' && idsMove && hasNonFinalStep(sql, passIdOf(id), 'issue');
}

/** Whether the signer does not have the step because its rank has no room. */
export function isWithoutRoom({ steps }: Pick<Signer, 'steps'>, { id, key, rank }: SubmittedStep): boolean {
  return !steps.lanes.hasRoom(key.gatekeeperNetwork, rank) && steps.answerFor(id) === undefined;
}

/**
 * For a step that the signer did not add: its lane had no room, or the signer is not configured. The pass asks again, soon if
 * there was no room.
 */
export function waitingAnswer(id: string, noRoom: boolean): Answer {
  return { step: id, revision: 0, status: { type: 'waiting', ...(noRoom && { noRoom }) } };
}

/** For a step that left the chain and whose signer lost the bytes with its store: its pass derives the next step. */
export function withdrawnAnswer(step: string): Answer {
  return { step, revision: Number.MAX_SAFE_INTEGER, status: { type: 'withdrawn' } };
}

/** Of ten turns of a lane, eight serve the highest rank that has waiting steps, one serves the second, and one the lowest. */
const TURNS = 10;
const TURN_OF_SECOND = 4;
const TURN_OF_LOWEST = 9;

/**
 * Returns the next steps to prepare, at most `limit`: one of each lane in turn, starting after the lane that was served
 * last. Within a lane the rank decides, then `not_before`. Postpones steps whose mint is not final.
 * @param served Leaves out the steps of other ranks.
 */
export function nextSteps(
  signer: Signer,
  limit: number,
  now: Milliseconds,
  served: readonly Rank[] = RANKS,
): StepEntry[] {
  const inTurn = signer.steps.lanes.inTurn();
  const page = Math.ceil(limit / inTurn.length);
  const next: StepEntry[] = [];
  let open = inTurn.map((lane) => stepsOfLane(signer, lane, page, now, served));
  while (open.length > 0 && next.length < limit) {
    open = open.filter((steps) => {
      if (next.length >= limit) return true;
      const { value, done } = steps.next();
      if (!done) next.push(value);
      return !done;
    });
  }
  return next;
}

function* stepsOfLane(
  signer: Signer,
  lane: GatekeeperNetwork,
  page: number,
  now: Milliseconds,
  served: readonly Rank[],
): Generator<StepEntry, undefined> {
  const { waits } = signer;
  const { lanes } = signer.steps;
  if (waits.blocking(lane, now) !== undefined || waits.blocking(SIGNER, now) !== undefined) return;
  const isCeilingReached = ([SIGNER, lane] as const).some((scope) => waits.active(scope, now).length > 0);
  const ranks = lanes
    .waitingRanks(lane)
    .filter((rank) => served.includes(rank) && (!isCeilingReached || RESERVE_RANKS.includes(rank)));
  const isServed = ({ step }: StepEntry) => !isCeilingReached || STEP_KINDS[step.kind].mayUseReserve;
  const queues = ranks.map((rank) => rankQueue(signer, { gatekeeperNetwork: lane, rank }, isServed, page, now));
  for (;;) {
    const step = chooseQueue(queues, lanes.turnsOf(lane) % TURNS)?.take();
    if (step === undefined) return;
    lanes.countTurn(lane);
    yield step;
  }
}

/** Returns the queue to serve in this turn; undefined if all are empty. `queues` has the highest rank first. */
function chooseQueue(queues: readonly RankQueue[], turn: number): RankQueue | undefined {
  if (turn === TURN_OF_LOWEST) return queues.findLast((queue) => queue.hasNext());
  if (turn !== TURN_OF_SECOND) return queues.find((queue) => queue.hasNext());
  const [first, second] = queues.filter((queue) => queue.hasNext());
  return second ?? first;
}

interface RankQueue {
  hasNext(): boolean;
  take(): StepEntry | undefined;
}

/** Returns the waiting steps of one rank of a lane, which it reads a page at a time. */
function rankQueue(
  signer: Signer,
  lane: { readonly gatekeeperNetwork: GatekeeperNetwork; readonly rank: Rank },
  isServed: (entry: StepEntry) => boolean,
  pageSteps: number,
  now: Milliseconds,
): RankQueue {
  const { network, steps: table } = signer;
  const { sql } = signer.storage;
  let page: StepEntry[] = [];
  /** Number of steps that were read and still wait. */
  let offset = 0;

  function readPage(): StepEntry[] {
    for (;;) {
      const steps = waitingSteps(sql, network, lane, now, pageSteps, offset);
      // A postponed step no longer matches the query, so the offset counts only the others.
      const ready = steps.filter(({ step }) => !waitsForMint(signer, step));
      for (const entry of steps) if (!ready.includes(entry)) table.postpone(entry, { code: 'mint-not-final' }, now);
      offset += ready.length;
      const served = ready.filter(isServed);
      if (served.length > 0 || steps.length < pageSteps) return served;
    }
  }

  function hasNext(): boolean {
    if (page.length === 0) page = readPage();
    return page.length > 0;
  }

  return { hasNext, take: () => (hasNext() ? page.shift() : undefined) };
}

/**
 * Why the signer must not sign a step, whatever the chain shows. Nodes and a KMS take seconds, in which the operator suspends clients,
 * contracts change and blocks leave the chain. So the signer asks before it signs, and again before it stores the signature.
 */

/** Returns why the signer does not even prepare the step; undefined: it does. The chain may still end a held step. */
export function unpreparableReason(signer: Signer, entry: StepEntry): WaitCode | undefined {
  const { step, mayBeSigned, nonce } = entry;
  if (step.kind === 'issue' && mayBeSigned && needsEarlierStore(signer)) return 'earlier-store';
  if (nonce !== undefined) return 'nonce-not-final';
  // The end of a suspension must not release a held step.
  if (isHeld(entry)) return undefined;
  const isAllowed = signer.suspended.allows(step);
  if (isAllowed === 'unknown') return 'suspensions-unread';
  if (!isAllowed) return 'client-suspended';
  return signer.contracts?.reasonFor(step);
}

/** Returns why the signer does not sign the step, or does not store its signature; undefined: it does. */
export function unsignableReason(signer: Signer, entry: StepEntry): WaitCode | undefined {
  const reason = unpreparableReason(signer, entry);
  if (reason !== undefined) return reason;
  if (isHeld(entry)) return 'effect-not-shown';
  const { step } = entry;
  const { storage, steps, isCompromised } = signer;
  if (isCompromised) return 'key-compromised';
  // On a chain without an order of transactions, the two could take effect in either order.
  const isOrdered = CHAIN_RULES[step.key.chain].transactionsAreOrdered || !STEP_KINDS[step.kind].needsOrder;
  if (!isOrdered && hasNonFinalStep(storage.sql, passIdOf(step.id), step.kind)) return 'earlier-step-not-final';
  // The contract lets a wallet have a second token.
  return step.kind === 'issue' && steps.hasIssuanceInFlight(step) ? 'issuance-in-flight' : undefined;
}
