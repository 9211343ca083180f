import type { Secret } from '../lib/secret.ts';
import { MINUTE_MS } from '../lib/units.ts';
import type { Observation } from '../pass/adopt.ts';
import { hasValidToken, type OnChain } from '../pass/pass.ts';
import {
  agreedResult,
  agreedState,
  confirmedAbsence,
  type Doubt,
  highestNonces,
  isConclusion,
  isNewAbsence,
  lowestFinalNonce,
  mayBeSignedAgain,
  mergeInclusion,
  mergeNonces,
  mergeReadings,
  mergeResults,
  neededOf,
  undisputed,
  withoutLifetime,
} from './agreement.ts';
import { type Claim, chooseLifetime } from './choose-lifetime.ts';
import { type Identity, type JsonRpc, openEndpoints } from './json-rpc.ts';
import type {
  BroadcastResult,
  ChainPort,
  FinalNonce,
  InclusionStatus,
  InFlightTransaction,
  Pairs,
  Prepared,
  PrepareRequest,
  PrepareResult,
  Question,
  Reading,
  SenderAccount,
  Signed,
} from './port.ts';
import { notNow, unreadable } from './reasons.ts';
import { askOneByOne, askTogether, askUntilAnswered, endpointsFor, type Health } from './whom-to-ask.ts';

/**
 * Several endpoints of a network check each other, because one may lag, lack data, or lie. A result that lets the signer spend
 * money, end a step or forget a transaction counts only if every endpoint that answers shows the same. The daily ceilings limit the
 * damage of an endpoint that is the only one to answer.
 */

/** The functions of an adapter over one way to send calls. */
export interface Adapter extends Omit<ChainPort, 'observe'> {
  /** Reads the on-chain state of these passes from its newest final block. Throws RpcFault if it does not answer. */
  readFinal(questions: readonly Question[]): Promise<Pairs<Question, Reading>>;
  /**
   * Reads a height above which no block can include a transaction that names this block. Undefined: it does not know the block, or
   * such a transaction has expired. Always undefined on chains whose transactions do not expire.
   */
  lastHeightOf(blockhash: string): Promise<number | undefined>;
}

/** One of several endpoints of a network. */
export type Witness = Omit<Adapter, 'replaceTransactions' | 'signGapFillers'> & Health;

/** Opens the port of a network, which asks one endpoint after another until one answers, with a second opinion. */
export function openPort(
  urls: readonly Secret<string>[],
  identity: Identity,
  adapterOver: (send: JsonRpc) => Adapter,
): ChainPort {
  const { send, alone } = openEndpoints(urls, identity);
  const witnesses = alone.map(({ send: sendAlone, ...health }) => ({ ...adapterOver(sendAlone), ...health }));
  return withSecondOpinion(adapterOver(send), witnesses);
}

/** Adds the second opinion to a port that asks one endpoint after another until one answers. */
export function withSecondOpinion(port: Port, witnesses: readonly Witness[]): ChainPort {
  const read: ChainPort['read'] = (questions) => readTwice(port, witnesses, questions);
  const observe: ChainPort['observe'] = (questions) => observeTwice(witnesses, questions);
  if (witnesses.length < 2) return { ...port, read, observe };
  const { readBlockMs } = port;
  let [prepared, tracked] = [0, 0];
  return {
    ...port,
    read,
    observe,
    prepare: (requests, unmined) => prepareTwice(port, witnesses, requests, unmined, prepared++),
    broadcast: (transactions) => broadcastToAll(port, witnesses, transactions),
    track: (transactions) => trackInTurn(port, witnesses, transactions, tracked++),
    account: () => readAccount(port, witnesses),
    finalNonce: () => readFinalNonce(port, witnesses),
    ...(readBlockMs && { readBlockMs: async () => (await shortestBlockMs(witnesses)) ?? readBlockMs() }),
  };
}

type Port = Omit<ChainPort, 'observe'>;

const answersOf = <T>(answers: readonly (T | undefined)[]): T[] => answers.filter((each) => each !== undefined) as T[];

/** Returns for each transaction that an endpoint accepted it, or the refusal of the first one that answers: one may swallow it. */
async function broadcastToAll<T extends { readonly signed: Signed }>(
  port: Port,
  witnesses: readonly Witness[],
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const answers = answersOf(await askTogether('broadcast', witnesses, (witness) => witness.broadcast(transactions)));
  const [first = await port.broadcast(transactions)] = answers;
  return first.map(([transaction, result], index) => {
    const results = answers.flatMap((answer) => answer[index]?.[1] ?? []);
    return [transaction, results.find(({ type }) => type === 'accepted') ?? result];
  });
}

async function prepareTwice<R extends PrepareRequest>(
  port: Port,
  witnesses: readonly Witness[],
  requests: readonly R[],
  unmined: number,
  turn: number,
): Promise<Prepared<R>> {
  const [first, second] = await askTogether('prepare', witnesses, (witness) => witness.prepare(requests, unmined));
  const prepared =
    first !== undefined && second !== undefined
      ? await mergePrepared(first, second, witnesses, unmined, turn)
      : (first ?? second ?? (await port.prepare(requests, unmined)));
  const absent = prepared.results.flatMap(([{ step }, result]) =>
    result.type === 'found' && !hasValidToken(result.onChain) ? step : [],
  );
  const verdicts = await confirmAbsences(absent, witnesses);
  return {
    ...prepared,
    results: prepared.results.map(([request, result]) => {
      const verdict = verdicts.get(request.step);
      return [request, typeof verdict === 'string' ? notNow(verdict) : result];
    }),
  };
}

/** Returns what two endpoints show for each request. A third endpoint decides where they disagree. */
async function mergePrepared<R extends PrepareRequest>(
  first: Prepared<R>,
  second: Prepared<R>,
  witnesses: readonly Witness[],
  unmined: number,
  turn: number,
): Promise<Prepared<R>> {
  const pairs = first.results.map(([request, a], index) => [request, a, second.results[index]?.[1]] as const);
  const disputed = pairs.flatMap(([request, a, b]) => (agreedResult(a, b) === undefined ? request : []));
  const third =
    disputed.length === 0 ? undefined : await askUntilAnswered('third', witnesses, (w) => w.prepare(disputed, unmined));
  const thirds = new Map<R, PrepareResult>(third?.results);
  const results = pairs.map(([request, a, b]) => [request, mergeResults(a, b, thirds.get(request))] as const);
  if (first.lifetime !== undefined && results.some(([, { type }]) => type === 'ready')) {
    const lifetime = await chooseLifetime(claimsOf(witnesses, [first, second]), witnesses, turn);
    return lifetime === undefined ? { results: withoutLifetime(results) } : { results, lifetime };
  }
  if (first.nonces === undefined || second.nonces === undefined) return { results };
  // A signer with transactions of its own does not look at the pending ones.
  const readThird = async () =>
    unmined === 0 ? (await askUntilAnswered('third', witnesses, (w) => w.account()))?.nonces : undefined;
  return { results, nonces: await mergeNonces(first.nonces, second.nonces, readThird) };
}

function claimsOf(witnesses: readonly Witness[], prepared: readonly Prepared<unknown>[]): readonly Claim<Witness>[] {
  const asked = endpointsFor('prepare', witnesses);
  return prepared.flatMap(({ lifetime }, index) => {
    const by = asked[index];
    return lifetime === undefined || by === undefined ? [] : { by, lifetime };
  });
}

/** A lost token needs a final block of two endpoints. Any other change needs the same reading of a second endpoint. */
async function readTwice<Q extends Question>(
  port: Port,
  witnesses: readonly Witness[],
  questions: readonly Q[],
): Promise<Pairs<Q, Reading>> {
  const [first, second] =
    witnesses.length < 2 ? [] : await askTogether('read', witnesses, (witness) => witness.read(questions));
  const readings = mergeReadings(first ?? second ?? (await port.read(questions)), first && second);
  const suspects = readings.flatMap(([question, reading]) => (isNewAbsence(question, reading) ? [question] : []));
  const verdicts = await confirmAbsences(suspects, witnesses);
  return readings.map(([question, reading], index) => {
    const verdict = verdicts.get(question);
    if (verdict === 'absence-not-final') return [question, { type: 'not-final' }];
    if (verdict === 'absence-unconfirmed') return [question, unreadable(verdict)];
    if (verdict !== undefined) return [question, { type: 'read', onChain: verdict }];
    return [question, undisputed(question, reading, first && second?.[index]?.[1])];
  });
}

async function observeTwice<Q extends Question>(
  witnesses: readonly Witness[],
  questions: readonly Q[],
): Promise<Pairs<Q, Observation>> {
  const [confirmed, final] = await Promise.all([
    askTogether('read', witnesses, (witness) => witness.read(questions)),
    askTogether('readFinal', witnesses, (witness) => witness.readFinal(questions)),
  ]);
  const shownIn = (answers: readonly (Pairs<Question, Reading> | undefined)[], index: number) =>
    agreedState(
      answers.flatMap((answer) => answer?.[index]?.[1] ?? []),
      neededOf(witnesses),
    );
  return questions.map((question, index) => [
    question,
    { confirmed: shownIn(confirmed, index), final: shownIn(final, index) },
  ]);
}

/** Asks one endpoint after another until enough of them show the absence. Returns the on-chain state or a doubt per suspect. */
async function confirmAbsences<S extends Question>(
  suspects: readonly S[],
  witnesses: readonly Witness[],
): Promise<ReadonlyMap<S, OnChain | Doubt>> {
  const verdicts = new Map<S, OnChain | Doubt>(suspects.map((suspect) => [suspect, 'absence-unconfirmed']));
  const shown = new Map(suspects.map((suspect) => [suspect, [] as OnChain[]]));
  let open = suspects;
  if (open.length === 0) return verdicts;
  for await (const answer of askOneByOne('absence', witnesses, (witness) => witness.readFinal(open))) {
    for (const [index, [, reading]] of (answer ?? []).entries())
      if (reading.type === 'read') shown.get(open[index] as S)?.push(reading.onChain);
    for (const suspect of open)
      verdicts.set(suspect, confirmedAbsence(suspect, shown.get(suspect) ?? [], neededOf(witnesses)));
    open = open.filter((suspect) => verdicts.get(suspect) === 'absence-unconfirmed');
    if (open.length === 0) break;
  }
  return verdicts;
}

async function readAccount(port: Port, witnesses: readonly Witness[]): Promise<SenderAccount> {
  const [first, second] = await askTogether('account', witnesses, (witness) => witness.account());
  return highestNonces(first ?? second ?? (await port.account()), first?.nonces, second?.nonces);
}

/** Returns the shortest time, so that no single endpoint delays a replacement. */
async function shortestBlockMs(witnesses: readonly Witness[]) {
  const answers = answersOf(await askTogether('blockTime', witnesses, async (witness) => witness.readBlockMs?.()));
  return answers.length === 0 ? undefined : Math.min(...answers);
}

async function readFinalNonce(port: Port, witnesses: readonly Witness[]): Promise<FinalNonce | undefined> {
  const answers = await askTogether('finalNonce', witnesses, async (witness) => [await witness.finalNonce()]);
  const answered = answersOf(answers);
  return answered.length === 0 ? port.finalNonce() : lowestFinalNonce(answered.flat());
}

/** Age of a transaction from which on the endpoints take turns with it, even if no block includes it yet. */
const LATE_MS = MINUTE_MS;

/**
 * Tracks transactions. The first endpoint shows when a new transaction is confirmed. All endpoints take turns with the other
 * transactions, so that none of them can hide a block or its finality for long. If the asked endpoint shows a change there, all
 * endpoints are asked.
 */
async function trackInTurn<T extends InFlightTransaction>(
  port: Pick<ChainPort, 'track'>,
  witnesses: readonly Witness[],
  transactions: readonly T[],
  turn: number,
): Promise<Pairs<T, InclusionStatus>> {
  const now = Date.now();
  const isNew = ({ includedIn, signedAtMs }: T) => includedIn === undefined && now - signedAtMs <= LATE_MS;
  const others = transactions.filter((each) => !isNew(each));
  const byNext = new Map<T, InclusionStatus>(
    others.length > 0 ? await askUntilAnswered('track', witnesses, (witness) => witness.track(others), turn) : [],
  );
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
  const question = claims.some(([, status]) => mayBeSignedAgain(status)) ? 'ending' : 'inclusion';
  const transactions = claims.map(([transaction]) => transaction);
  const answers = answersOf(await askTogether(question, witnesses, (witness) => witness.track(transactions)));
  const statuses = answers.map((answer) => new Map<T, InclusionStatus>(answer));
  return new Map(
    claims.map(([transaction, status]) => [
      transaction,
      mergeInclusion(
        status,
        statuses.flatMap((each) => each.get(transaction) ?? []),
      ),
    ]),
  );
}

/**
 * Whether other endpoints have to show the same: that its block left the chain, or an inclusion that another
 * endpoint than the first one shows.
 */
function isClaim({ includedIn }: InFlightTransaction, { type }: InclusionStatus, isByNext: boolean): boolean {
  if (includedIn === undefined) return isByNext && type === 'confirmed';
  return type === 'confirmed' || type === 'unconfirmed';
}
