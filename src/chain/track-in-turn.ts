import { MINUTE_MS } from '../lib/time.ts';
import { DISPUTED } from './merge-prepared.ts';
import type { ChainPort, InclusionStatus, InFlightTransaction, Pairs } from './port.ts';
import { answerOf, inOrder, inTime, type Witness } from './witness.ts';

/**
 * Tracks transactions by several endpoints. The first endpoint shows when a new transaction is confirmed. All endpoints take turns
 * with the other transactions, so that none of them can hide a block or its finality for long. If the asked endpoint shows a change
 * there, all endpoints are asked.
 */

/** Age of a transaction from which on the endpoints take turns with it, even if no block includes it yet. */
const LATE_MS = MINUTE_MS;

export async function trackInTurn<T extends InFlightTransaction>(
  port: Pick<ChainPort, 'track'>,
  witnesses: readonly Witness[],
  transactions: readonly T[],
  turn: number,
): Promise<Pairs<T, InclusionStatus>> {
  const now = Date.now();
  const isNew = ({ includedIn, signedAtMs }: T) => includedIn === undefined && now - signedAtMs <= LATE_MS;
  const next = witnessInTurn(witnesses, turn);
  const others = next === undefined ? [] : transactions.filter((each) => !isNew(each));
  const answer = next && others.length > 0 ? await inTime(answerOf(next.track(others))) : undefined;
  const byNext = new Map<T, InclusionStatus>(answer);
  const left = transactions.filter((each) => !byNext.has(each));
  const byFirst = new Map<T, InclusionStatus>(left.length > 0 ? await port.track(left) : []);
  const tracked = transactions.map(
    (each) => [each, (byNext.get(each) ?? byFirst.get(each)) as InclusionStatus] as const,
  );
  const claims = tracked.filter(([each, status]) => isConclusion(status) || isClaim(each, status, byNext.has(each)));
  const confirmed = claims.length === 0 ? new Map<T, InclusionStatus>() : await confirmClaims(witnesses, claims);
  return tracked.map(([each, status]) => [each, confirmed.get(each) ?? status]);
}

/** Asks all endpoints about statuses that need more than one of them, and returns what they show together. */
async function confirmClaims<T extends InFlightTransaction>(
  witnesses: readonly Witness[],
  claims: Pairs<T, InclusionStatus>,
): Promise<ReadonlyMap<T, InclusionStatus>> {
  // An endpoint that hangs must not delay every final block. But before a step may be signed again, ask every endpoint.
  const isRisky = claims.some(([, status]) => mayBeSignedAgain(status));
  const asked = isRisky ? witnesses : witnesses.filter((witness) => !witness.isHanging());
  const transactions = claims.map(([transaction]) => transaction);
  const answers = await Promise.all(asked.map((witness) => answerOf(witness.track(transactions))));
  const statuses = answers.flatMap((answer) => (answer === undefined ? [] : [new Map<T, InclusionStatus>(answer)]));
  return new Map(
    claims.map(([transaction, status]) => {
      // An endpoint that withholds the status has no opinion. But it contradicts another one that shows an ineffective transaction.
      const isHeard = status.type === 'without-effect';
      const opinions = statuses
        .flatMap((each) => each.get(transaction) ?? [])
        .filter(({ type }) => type !== 'unknown' || isHeard);
      const merged = isConclusion(status) ? mergeConclusions(status, opinions) : mergeChanges(status, opinions);
      return [transaction, merged];
    }),
  );
}

const mayBeSignedAgain = ({ type }: InclusionStatus) => type === 'expired' || type === 'without-effect';

/** Returns the endpoint whose turn it is; undefined: the first one. */
function witnessInTurn(witnesses: readonly Witness[], turn: number): Witness | undefined {
  const available = inOrder(witnesses).filter((witness) => !witness.isCooling());
  return available.slice(1)[(turn % (available.length || 1)) - 1];
}

const UNDECIDED: InclusionStatus = { type: 'unknown', why: DISPUTED.why };

type Conclusion = Extract<InclusionStatus, { readonly type: 'expired' | 'without-effect' | 'final' }>;

function isConclusion(status: InclusionStatus): status is Conclusion {
  return mayBeSignedAgain(status) || status.type === 'final';
}

/**
 * Whether other endpoints have to show the same: that its block left the chain, or an inclusion that another
 * endpoint than the first one shows.
 */
function isClaim({ includedIn }: InFlightTransaction, { type }: InclusionStatus, isByNext: boolean): boolean {
  if (includedIn === undefined) return isByNext && type === 'confirmed';
  return type === 'confirmed' || type === 'unconfirmed';
}

/**
 * If any endpoint disagrees, a block may still include the bytes: the signer keeps them and tracks them again. A transaction is final if
 * two endpoints show that, because one of two tells the truth.
 */
function mergeConclusions(status: Conclusion, opinions: readonly InclusionStatus[]): InclusionStatus {
  const agreeing = opinions.filter(({ type }) => type === status.type);
  const isUnanimous = opinions.length > 0 && agreeing.length === opinions.length;
  if (status.type !== 'final') return isUnanimous ? status : UNDECIDED;
  // Usually the other endpoint is only later.
  if (!isUnanimous && agreeing.length < 2) return { type: 'still-included' };
  const costs = [status, ...agreeing].flatMap((each) => (each.type === 'final' ? (each.cost ?? []) : []));
  return costs.length === 0 ? status : { type: 'final', cost: Math.max(...costs) };
}

/** A change counts if most endpoints show it. */
function mergeChanges(status: InclusionStatus, opinions: readonly InclusionStatus[]): InclusionStatus {
  const agreeing = opinions.filter(({ type }) => type === status.type).length;
  return 2 * agreeing > opinions.length ? status : UNDECIDED;
}
