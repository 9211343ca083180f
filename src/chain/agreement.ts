import type { NanoCoins } from '../lib/units.ts';
import { differsOnChain, hasValidToken, type OnChain } from '../pass/pass.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import {
  commonRent,
  type FinalNonce,
  type InclusionStatus,
  type Nonces,
  type Pairs,
  type PrepareResult,
  type Question,
  type Reading,
  type ReadyCall,
  type SenderAccount,
} from './port.ts';
import { notNow, unreadable } from './reasons.ts';

/** The agreement of several endpoints. Pure. An endpoint that does not answer confirms nothing and delays nothing. */

/** Number of endpoints that must show what nothing else proves. If fewer are configured, all of them. */
export const neededOf = ({ length }: readonly unknown[]): number => Math.min(2, length);

/** The value that the endpoints of a network show, each asked alone. */
export type Agreed<T> =
  /** `isConfirmed`: at least two endpoints show the same. */
  | { readonly type: 'read'; readonly value: T; readonly isConfirmed: boolean }
  /** The endpoints contradict each other, and no value has the most of them. */
  | { readonly type: 'disputed' }
  | { readonly type: 'unanswered' };

/** Returns the answer that most endpoints give. The answers are JSON. Pure. */
export function agree<T>(answers: readonly T[]): Agreed<T> {
  const [most = [], second = []] = [...Map.groupBy(answers, (answer) => JSON.stringify(answer)).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const [value] = most;
  if (value === undefined) return { type: 'unanswered' };
  return second.length === most.length ? { type: 'disputed' } : { type: 'read', value, isConfirmed: most.length > 1 };
}

const DISPUTED = notNow('endpoints-disagree');

/** Returns the result that two of the endpoints show. Otherwise the step waits. */
export function mergeResults(
  a: PrepareResult,
  b: PrepareResult | undefined,
  third: PrepareResult | undefined,
): PrepareResult {
  const shown = agreedResult(a, b);
  if (shown !== undefined) return shown;
  if (third !== undefined && !isUnanswered(third)) {
    const majority = agreedResult(a, third) ?? (b && agreedResult(b, third));
    if (majority !== undefined) return majority;
  }
  return [a, b].find((result) => result?.type === 'not-now') ?? DISPUTED;
}

/** Returns the result that both endpoints show, or that of the one that answers for the step. Undefined: they disagree. */
export function agreedResult(a: PrepareResult, b: PrepareResult | undefined): PrepareResult | undefined {
  // An endpoint that does not answer for the step confirms nothing and delays nothing.
  if (b === undefined || isUnanswered(b)) return a;
  if (isUnanswered(a)) return b;
  const [callOfA, callOfB] = [callOf(a), callOf(b)];
  if (callOfA !== undefined && callOfB !== undefined)
    return isSameCall(callOfA, callOfB) ? dearestWithinCaps(a, b) : undefined;
  if (a.type !== 'found' || b.type !== 'found') return a.type === b.type ? a : undefined;
  const onChain = commonState(a.onChain, b.onChain);
  return onChain && showing(a, onChain);
}

const showing = <T extends { readonly onChain: OnChain }>(reading: T, onChain: OnChain): T =>
  reading.onChain === onChain ? reading : { ...reading, onChain };

/**
 * Returns the first state with the burn that both show, if they are of the same token. A side that has not read the burns agrees with
 * the other one if its block has that burn.
 */
function commonState(a: OnChain, b: OnChain): OnChain | undefined {
  const burnedAt = a.burnedAt ?? b.burnedAt;
  const mayShow = (each: OnChain) =>
    each.burnedAt === undefined ? (each.asOf ?? 0) >= (burnedAt ?? 0) : each.burnedAt === burnedAt;
  if (differsOnChain(a, b) || !mayShow(a) || !mayShow(b)) return undefined;
  return a.burnedAt === burnedAt ? a : { ...a, burnedAt };
}

const callOf = (result: PrepareResult): ReadyCall | undefined => {
  if (result.type === 'ready') return result;
  return 'ready' in result ? result.ready : undefined;
};

/**
 * Returns the dearer call: a gas limit or a price that is too low would cost more in the end. A call above the network's caps does not
 * count beside one below them, because a single endpoint could otherwise stop the network with a price or a gas limit.
 */
function dearestWithinCaps(a: PrepareResult, b: PrepareResult): PrepareResult {
  const [rentOfA, rentOfB] = [callOf(a)?.rent, callOf(b)?.rent];
  const rent = rentOfA && rentOfB && commonRent(rentOfA, rentOfB);
  const calls = [a, b].filter(isWithinCaps).map((call) => (rent === undefined ? call : atRent(call, rent)));
  const [dearest = a] = calls.toSorted((x, y) => y.maxCost - x.maxCost);
  return dearest;
}

/** Returns the call with this rent in its cost. */
function atRent(call: ReadyCall, rent: NanoCoins): ReadyCall {
  const maxCost = call.maxCost - (call.rent?.highest ?? 0) + rent;
  return {
    ...call,
    rent: undefined,
    maxCost,
    sign: async (...signing) => ({ ...(await call.sign(...signing)), maxCost }),
  };
}

/** Any nonce will do, because no rule of the signing policy compares it. */
const isWithinCaps = (result: PrepareResult): result is ReadyCall =>
  result.type === 'ready' && result.findViolation(0) === undefined;

/** Compares the call, which is signed, and the state after it, which the pass records. */
const isSameCall = (a: ReadyCall, b: ReadyCall): boolean =>
  a.call === b.call && !differsOnChain(a.expectedOnChain, b.expectedOnChain);

/** Whether an endpoint answered the others of a batch, but not this one. */
const isUnanswered = (answer: object) => 'isUnanswered' in answer;

/** Returns the results of a preparation whose transactions have no lifetime. */
export const withoutLifetime = <R>(results: Pairs<R, PrepareResult>): Pairs<R, PrepareResult> =>
  results.map(([request, result]) => [request, result.type === 'ready' ? DISPUTED : result]);

/** Returns the higher nonces, since a nonce that one endpoint shows as used needs no gap filler. */
export function highestNonces(account: SenderAccount, a: Nonces | undefined, b: Nonces | undefined): SenderAccount {
  if (a === undefined || b === undefined) return account;
  return {
    ...account,
    nonces: { latest: Math.max(a.latest, b.latest), pending: Math.max(a.pending ?? 0, b.pending ?? 0) },
  };
}

/**
 * Returns the nonces for new transactions. A signer trusts a count only as far as all endpoints show it. Pending transactions keep a
 * signer from its first start, so two endpoints have to show them if a third one answers.
 */
export async function mergeNonces(a: Nonces, b: Nonces, readThird: () => Promise<Nonces | undefined>): Promise<Nonces> {
  const shown = [a, b].flatMap(({ pending }) => pending ?? []);
  const third = new Set(shown).size > 1 ? await readThird() : undefined;
  const [highest, next = highest] = [...shown, third?.pending ?? []].flat().toSorted((x, y) => y - x);
  return { latest: Math.min(a.latest, b.latest), pending: third ? next : highest };
}

/** Returns the lowest nonce. An endpoint that shows no final block confirms nothing. */
export function lowestFinalNonce(shown: readonly (FinalNonce | undefined)[]): FinalNonce | undefined {
  const found = shown.flatMap((each) => each ?? []);
  if (found.length === 0) return undefined;
  const lowest = (of: (each: FinalNonce) => number) => Math.min(...found.map(of));
  return { nonce: lowest(({ nonce }) => nonce), time: lowest(({ time }) => time), asOf: lowest(({ asOf }) => asOf) };
}

/** Returns the state that at least that many readings show, as of the oldest of their blocks. Undefined: they do not agree. */
export function agreedState(readings: readonly Reading[], needed: number): OnChain | undefined {
  const states = readings.flatMap((reading) => (reading.type === 'read' ? [reading.onChain] : []));
  const [first, ...others] = states.toSorted((a, b) => (a.asOf ?? 0) - (b.asOf ?? 0));
  if (first === undefined || states.length < needed) return undefined;
  return others.reduce<OnChain | undefined>((shown, each) => shown && commonState(shown, each), first);
}

/** Returns the first readings, and the second endpoint's reading if the first one did not answer for the question. */
export function mergeReadings<Q>(first: Pairs<Q, Reading>, second: Pairs<Q, Reading> | undefined): Pairs<Q, Reading> {
  return first.map(([question, reading], index) => {
    const other = second?.[index]?.[1];
    return [question, isUnanswered(reading) && other !== undefined ? other : reading];
  });
}

export function isNewAbsence({ known }: Question, reading: Reading): boolean {
  return (
    reading.type === 'read' && !hasValidToken(reading.onChain) && reading.onChain.state !== (known?.state ?? 'NONE')
  );
}

/** Returns the reading, unless it is a change that the other endpoint contradicts. */
export function undisputed({ known }: Question, reading: Reading, other: Reading | undefined): Reading {
  if (reading.type !== 'read' || other?.type !== 'read') return reading;
  const onChain = commonState(reading.onChain, other.onChain);
  if (onChain !== undefined) return showing(reading, onChain);
  const isNews = known === undefined || differsOnChain(known, reading.onChain) || reading.onChain.burnedAt;
  return isNews ? unreadable('endpoints-disagree') : reading;
}

/** Why an absence is not confirmed. */
export type Doubt = Extract<WaitCode, 'absence-not-final' | 'absence-unconfirmed'>;

/** Returns the state without a token, or a doubt. One final block with a valid token, or an older one, contradicts an absence. */
export function confirmedAbsence({ known }: Question, shown: readonly OnChain[], needed: number): OnChain | Doubt {
  if (shown.some((each) => hasValidToken(each) || (each.asOf ?? 0) < (known?.asOf ?? 0))) return 'absence-not-final';
  return shown.length < needed ? 'absence-unconfirmed' : (shown[0] as OnChain);
}

type Conclusion = Extract<InclusionStatus, { readonly type: 'expired' | 'without-effect' | 'final' }>;

export const mayBeSignedAgain = ({ type }: InclusionStatus) => type === 'expired' || type === 'without-effect';

export function isConclusion(status: InclusionStatus): status is Conclusion {
  return mayBeSignedAgain(status) || status.type === 'final';
}

/** Returns the status that all endpoints show together, if one shows this status. */
export function mergeInclusion(status: InclusionStatus, shown: readonly InclusionStatus[]): InclusionStatus {
  // An endpoint that withholds the status has no opinion. But it contradicts another one that shows an ineffective transaction.
  const isHeard = status.type === 'without-effect';
  const opinions = shown.filter(({ type }) => type !== 'unknown' || isHeard);
  return isConclusion(status) ? mergeConclusions(status, opinions) : mergeChanges(status, opinions);
}

const UNDECIDED: InclusionStatus = { type: 'unknown', why: DISPUTED.why };

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
