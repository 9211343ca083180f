import type { Milliseconds } from '../lib/brand.ts';
import type { Secret } from '../lib/secret.ts';
import type { Observation } from '../pass/adopt.ts';
import { differsOnChain, hasValidToken, type OnChain } from '../pass/pass.ts';
import type { WaitCode } from '../pass/wait-reasons.ts';
import { type Claim, chooseLifetime } from './choose-lifetime.ts';
import { type Identity, type JsonRpc, openEndpoints } from './json-rpc.ts';
import { isUnanswered, mergePrepared } from './merge-prepared.ts';
import type {
  Account,
  BroadcastResult,
  ChainPort,
  FinalNonce,
  Nonces,
  Pairs,
  Prepared,
  PrepareRequest,
  PrepareResult,
  Question,
  Reading,
  Signed,
} from './port.ts';
import { notNow, unreadable } from './reasons.ts';
import { trackInTurn } from './track-in-turn.ts';
import { answerOf, askTwo, inOrder, inTime, type Witness } from './witness.ts';

/**
 * Several endpoints of a network check each other, because one may lag, lack data, or lie. A result that lets the signer spend
 * money, end a step or forget a transaction counts only if every endpoint that answers shows the same. If the first two disagree
 * about a step, a third one decides. An endpoint that does not answer confirms nothing and delays nothing: the daily ceilings limit
 * the damage of a single one.
 */

/** The functions of an adapter over one way to send calls. */
export type Adapter = Omit<ChainPort, 'observe'> & Pick<Witness, 'readFinal' | 'lastHeightOf'>;

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
export function withSecondOpinion(port: Omit<ChainPort, 'observe'>, witnesses: readonly Witness[]): ChainPort {
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
    account: () => highestAccount(port, witnesses),
    finalNonce: () => lowestFinalNonce(port, witnesses),
    ...(readBlockMs && { readBlockMs: () => shortestBlockMs(readBlockMs, witnesses) }),
  };
}

/**
 * Sends to every endpoint that does not hang, because one may swallow a transaction or refuse it without a reason. Returns for each
 * transaction that an endpoint accepted it, or the refusal of the first one that answers.
 */
async function broadcastToAll<T extends { readonly signed: Signed }>(
  port: Pick<ChainPort, 'broadcast'>,
  witnesses: readonly Witness[],
  transactions: readonly T[],
): Promise<Pairs<T, BroadcastResult>> {
  const asked = inOrder(witnesses).map((witness) => inTime(answerOf(witness.broadcast(transactions))));
  const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
  const [first = await port.broadcast(transactions)] = answers;
  return first.map(([transaction, result], index) => {
    const results = answers.flatMap((answer) => answer[index]?.[1] ?? []);
    return [transaction, results.find(({ type }) => type === 'accepted') ?? result];
  });
}

async function prepareTwice<R extends PrepareRequest>(
  port: Pick<ChainPort, 'prepare' | 'read' | 'track' | 'account' | 'finalNonce'>,
  witnesses: readonly Witness[],
  requests: readonly R[],
  unmined: number,
  turn: number,
): Promise<Prepared<R>> {
  const ordered = inOrder(witnesses);
  const [first, second] = await askTwo(ordered, (witness) => witness.prepare(requests, unmined));
  const { results, nonces, lifetime } =
    first !== undefined && second !== undefined
      ? await mergePrepared(first, second, {
          askThird: (disputed) => prepareWithMore(ordered.slice(2), disputed, unmined),
          // A signer with transactions of its own does not look at the pending ones.
          readThirdNonces: async () => (unmined === 0 ? readNoncesWithMore(ordered.slice(2)) : undefined),
          chooseLifetime: () => chooseLifetime(claimsOf(ordered, [first, second]), ordered, lastHeightOf, turn),
        })
      : (first ?? second ?? (await port.prepare(requests, unmined)));
  const absent = results.flatMap(([{ step }, result]) =>
    result.type === 'found' && !hasValidToken(result.onChain) ? step : [],
  );
  const verdicts = await confirmAbsences(absent, witnesses);
  return {
    ...(nonces && { nonces }),
    ...(lifetime && { lifetime }),
    results: results.map(([request, result]) => {
      const verdict = verdicts.get(request.step);
      return [request, typeof verdict === 'string' ? notNow(verdict) : result];
    }),
  };
}

function claimsOf<W>(witnesses: readonly W[], prepared: readonly Prepared<unknown>[]): readonly Claim<W>[] {
  return prepared.flatMap(({ lifetime }, index) => {
    const by = witnesses[index];
    return lifetime === undefined || by === undefined ? [] : { by, lifetime };
  });
}

const lastHeightOf = (witness: Witness, blockhash: string) => inTime(answerOf(witness.lastHeightOf(blockhash)));

/** Prepares disputed steps with a further endpoint, the first that answers. */
async function prepareWithMore<R extends PrepareRequest>(
  witnesses: readonly Witness[],
  disputed: readonly R[],
  unmined: number,
): Promise<ReadonlyMap<R, PrepareResult>> {
  for (const witness of witnesses) {
    const prepared = await inTime(answerOf(witness.prepare(disputed, unmined)));
    if (prepared !== undefined) return new Map(prepared.results);
  }
  return new Map();
}

async function readNoncesWithMore(witnesses: readonly Witness[]): Promise<Nonces | undefined> {
  for (const witness of witnesses) {
    const account = await inTime(answerOf(witness.account()));
    if (account !== undefined) return account.nonces;
  }
  return undefined;
}

/** A lost token needs a final block of two endpoints. Any other change needs the same reading of a second endpoint. */
async function readTwice<Q extends Question>(
  port: Pick<ChainPort, 'prepare' | 'read' | 'track' | 'account' | 'finalNonce'>,
  witnesses: readonly Witness[],
  questions: readonly Q[],
): Promise<Pairs<Q, Reading>> {
  const [first, second] =
    witnesses.length < 2 ? [] : await askTwo(inOrder(witnesses), (witness) => witness.read(questions));
  const readings = mergeReadings(first ?? second ?? (await port.read(questions)), first && second);
  const suspects = readings.flatMap(([question, reading]) => (isNewAbsence(question, reading) ? [question] : []));
  const verdicts = await confirmAbsences(suspects, witnesses);
  return readings.map(([question, reading], index) => {
    const verdict = verdicts.get(question);
    if (verdict === 'absence-not-final') return [question, { type: 'not-final' }];
    if (verdict === 'absence-unconfirmed') return [question, unreadable(verdict)];
    if (verdict !== undefined) return [question, { type: 'read', onChain: verdict }];
    const other = first === undefined ? undefined : second?.[index]?.[1];
    return [question, isDisputed(question, reading, other) ? unreadable('endpoints-disagree') : reading];
  });
}

async function observeTwice<Q extends Question>(
  witnesses: readonly Witness[],
  questions: readonly Q[],
): Promise<Pairs<Q, Observation>> {
  const [confirmed, final] = await Promise.all([
    askTwo(inOrder(witnesses), (witness) => witness.read(questions)),
    askTwo(inOrder(witnesses), (witness) => witness.readFinal(questions)),
  ]);
  const needed = Math.min(MIN_WITNESSES, witnesses.length);
  const shownIn = (answers: readonly (Pairs<Question, Reading> | undefined)[], index: number) =>
    agreedState(
      answers.flatMap((answer) => answer?.[index]?.[1] ?? []),
      needed,
    );
  return questions.map((question, index) => [
    question,
    { confirmed: shownIn(confirmed, index), final: shownIn(final, index) },
  ]);
}

/** Returns the state that at least that many readings show, as of the oldest of their blocks. Undefined: they do not agree. */
function agreedState(readings: readonly Reading[], needed: number): OnChain | undefined {
  const states = readings.flatMap((reading) => (reading.type === 'read' ? [reading.onChain] : []));
  const [first, ...others] = states.toSorted((a, b) => (a.asOf ?? 0) - (b.asOf ?? 0));
  if (first === undefined || states.length < needed) return undefined;
  return others.some((each) => differsOnChain(first, each)) ? undefined : first;
}

/** Returns the readings, and the other endpoint's reading if the first one did not answer for the question. */
function mergeReadings<Q>(readings: Pairs<Q, Reading>, others: Pairs<Q, Reading> | undefined): Pairs<Q, Reading> {
  return readings.map(([question, reading], index) => {
    const other = others?.[index]?.[1];
    return [question, isUnanswered(reading) && other !== undefined ? other : reading];
  });
}

function isNewAbsence({ known }: Question, reading: Reading): boolean {
  return (
    reading.type === 'read' && !hasValidToken(reading.onChain) && reading.onChain.state !== (known?.state ?? 'NONE')
  );
}

function isDisputed({ known }: Question, reading: Reading, other: Reading | undefined): boolean {
  if (reading.type !== 'read' || other?.type !== 'read') return false;
  const isNews = known === undefined || differsOnChain(reading.onChain, known);
  return isNews && differsOnChain(reading.onChain, other.onChain);
}

/** Returns the higher nonces of two endpoints, since a nonce that one endpoint shows as used needs no gap filler. */
async function highestAccount(
  port: Pick<ChainPort, 'prepare' | 'read' | 'track' | 'account' | 'finalNonce'>,
  witnesses: readonly Witness[],
): Promise<Account> {
  const [first, second] = await askTwo(inOrder(witnesses), (witness) => witness.account());
  const account = first ?? second ?? (await port.account());
  const [a, b] = [first?.nonces, second?.nonces];
  if (a === undefined || b === undefined) return account;
  return {
    ...account,
    nonces: { latest: Math.max(a.latest, b.latest), pending: Math.max(a.pending ?? 0, b.pending ?? 0) },
  };
}

/** Returns the shortest time, so that no single endpoint delays a replacement. */
async function shortestBlockMs(
  readInTurn: () => Promise<Milliseconds>,
  witnesses: readonly Witness[],
): Promise<Milliseconds> {
  const asked = witnesses.map(({ readBlockMs = readInTurn }) => inTime(answerOf(readBlockMs())));
  const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
  return answers.length > 0 ? Math.min(...answers) : readInTurn();
}

async function lowestFinalNonce(
  port: Pick<ChainPort, 'prepare' | 'read' | 'track' | 'account' | 'finalNonce'>,
  witnesses: readonly Witness[],
): Promise<FinalNonce | undefined> {
  const answers = await Promise.all(
    witnesses.map((witness) => answerOf(witness.finalNonce().then((found) => ({ found })))),
  );
  const answered = answers.filter((answer) => answer !== undefined);
  if (answered.length === 0) return port.finalNonce();
  // An endpoint that shows no final block confirms nothing and delays nothing.
  const found = answered.flatMap(({ found }) => found ?? []);
  if (found.length === 0) return undefined;
  const lowest = (of: (each: FinalNonce) => number) => Math.min(...found.map(of));
  return { nonce: lowest(({ nonce }) => nonce), time: lowest(({ time }) => time), asOf: lowest(({ asOf }) => asOf) };
}

/** Number of final blocks that must show an absence, each from another endpoint. If fewer are configured, all must show it. */
const MIN_WITNESSES = 2;

/** Why an absence is not confirmed. */
type Doubt = Extract<WaitCode, 'absence-not-final' | 'absence-unconfirmed'>;

/** Asks one endpoint after another until enough of them show the absence. Returns the on-chain state or a doubt per suspect. */
async function confirmAbsences<S extends Question>(
  suspects: readonly S[],
  witnesses: readonly Witness[],
): Promise<ReadonlyMap<S, OnChain | Doubt>> {
  const needed = Math.min(MIN_WITNESSES, witnesses.length);
  const shown = new Map(suspects.map((suspect) => [suspect, [] as OnChain[]]));
  const doubted = new Set<S>();
  for (const witness of witnesses) {
    const open = suspects.filter((suspect) => (shown.get(suspect)?.length ?? 0) < needed && !doubted.has(suspect));
    if (open.length === 0) break;
    for (const [index, [, reading]] of ((await answerOf(witness.readFinal(open))) ?? []).entries()) {
      const suspect = open[index] as S;
      if (reading.type !== 'read') continue;
      const isOld = (reading.onChain.asOf ?? 0) < (suspect.known?.asOf ?? 0);
      if (isOld || hasValidToken(reading.onChain)) doubted.add(suspect);
      else shown.get(suspect)?.push(reading.onChain);
    }
  }
  return new Map(
    suspects.map((suspect): readonly [S, OnChain | Doubt] => {
      const [first, ...others] = shown.get(suspect) ?? [];
      const isConfirmed = first !== undefined && others.length + 1 >= needed;
      if (doubted.has(suspect)) return [suspect, 'absence-not-final'];
      return [suspect, isConfirmed ? first : 'absence-unconfirmed'];
    }),
  );
}
