import type { NanoCoins } from '../lib/brand.ts';
import { differsOnChain } from '../pass/pass.ts';
import type { Lifetime, Nonces, Prepared, PrepareResult, ReadyCall } from './port.ts';
import { notNow } from './reasons.ts';
import { commonRent } from './rent.ts';

export const DISPUTED = notNow('endpoints-disagree');

/** How a merge gets what the two preparations do not decide. */
interface More<R> {
  /** Prepares the disputed requests with a further endpoint. The map is empty if none answers. */
  askThird(disputed: readonly R[]): Promise<ReadonlyMap<R, PrepareResult>>;
  /** Reads the nonces from a further endpoint. Undefined: none answers. */
  readThirdNonces(): Promise<Nonces | undefined>;
  /** Undefined: the endpoints disagree about the lifetime. */
  chooseLifetime(): Promise<Lifetime | undefined>;
}

/** Returns what two endpoints show for each request. A third endpoint decides where they disagree. */
export async function mergePrepared<R>(
  first: Prepared<R>,
  second: Prepared<R>,
  { askThird, readThirdNonces, chooseLifetime }: More<R>,
): Promise<Prepared<R>> {
  const pairs = first.results.map(([request, a], index) => [request, a, second.results[index]?.[1]] as const);
  const disputed = pairs.flatMap(([request, a, b]) => (agreed(a, b) === undefined ? request : []));
  const thirds = disputed.length === 0 ? new Map<R, PrepareResult>() : await askThird(disputed);
  const results = pairs.map(([request, a, b]) => [request, mergeResults(a, b, thirds.get(request))] as const);
  const isReady = results.some(([, { type }]) => type === 'ready');
  if (first.lifetime !== undefined && isReady) {
    const lifetime = await chooseLifetime();
    if (lifetime !== undefined) return { results, lifetime };
    return { results: results.map(([request, result]) => [request, result.type === 'ready' ? DISPUTED : result]) };
  }
  if (first.nonces === undefined || second.nonces === undefined) return { results };
  // A signer trusts a nonce count only as far as all endpoints show it.
  const latest = Math.min(first.nonces.latest, second.nonces.latest);
  const shown = [first.nonces, second.nonces].flatMap(({ pending }) => pending ?? []);
  const third = new Set(shown).size > 1 ? await readThirdNonces() : undefined;
  // Pending transactions keep a signer from its first start. Two endpoints have to show them if a third one answers.
  const [highest, next = highest] = [...shown, third?.pending ?? []].flat().toSorted((a, b) => b - a);
  return { results, nonces: { latest, pending: third ? next : highest } };
}

/** Returns what two of the endpoints show. Otherwise the step waits. */
function mergeResults(a: PrepareResult, b: PrepareResult | undefined, third: PrepareResult | undefined): PrepareResult {
  const shown = agreed(a, b);
  if (shown !== undefined) return shown;
  if (third !== undefined && !isUnanswered(third)) {
    const majority = agreed(a, third) ?? (b && agreed(b, third));
    if (majority !== undefined) return majority;
  }
  return [a, b].find((result) => result?.type === 'not-now') ?? DISPUTED;
}

/** Returns the result that both endpoints show, or that of the one that answers for the step. Undefined: they disagree. */
function agreed(a: PrepareResult, b: PrepareResult | undefined): PrepareResult | undefined {
  // An endpoint that does not answer for the step confirms nothing and delays nothing.
  if (b === undefined || isUnanswered(b)) return a;
  if (isUnanswered(a)) return b;
  const [callOfA, callOfB] = [callOf(a), callOf(b)];
  if (callOfA !== undefined && callOfB !== undefined)
    return isSameCall(callOfA, callOfB) ? dearestWithinCaps(a, b) : undefined;
  if (a.type === 'found' && b.type === 'found' && differsOnChain(a.onChain, b.onChain)) return undefined;
  return a.type === b.type ? a : undefined;
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

/** Whether an endpoint answered the others of a batch, but not this one. */
export const isUnanswered = (answer: object) => 'isUnanswered' in answer;

/** Compares the call, which is signed, and the state after it, which the pass records. */
function isSameCall(a: ReadyCall, b: ReadyCall): boolean {
  return a.call === b.call && !differsOnChain(a.expectedOnChain, b.expectedOnChain);
}
