import { type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { RpcFault } from './port.ts';

/** Whom a question to the endpoints of a network goes to, and how long it waits. `agreement.ts` says what the answers show together. */

/** How one endpoint has worked lately. */
export interface Health {
  /** Whether it recently failed, was slow or was behind its chain. */
  isCooling(): boolean;
  /** Whether it recently took long to fail. */
  isHanging(): boolean;
}

type Order = 'all' | 'responsive' | 'healthyFirst' | 'besideTheFirst' | 'inTurn';

/** The endpoints in the order in which they are asked. The given endpoints are in order of preference. */
const ORDERED: Readonly<Record<Order, <E extends Health>(endpoints: readonly E[], turn: number) => E[]>> = {
  all: (endpoints) => [...endpoints],
  responsive: (endpoints) => endpoints.filter((each) => !each.isHanging()),
  /** An endpoint that recently failed comes last, but comes: failures of one leave another unchecked. */
  healthyFirst: (endpoints) => endpoints.filter((each) => !each.isHanging()).toSorted(by((each) => each.isCooling())),
  /** One that works well, another each time. None when it is the turn of the first one, which the port asks anyway. */
  besideTheFirst(endpoints, turn) {
    const [, ...others] = endpoints.filter((each) => !each.isHanging() && !each.isCooling());
    const at = turn % (others.length + 1);
    return others.slice(Math.max(0, at - 1), at);
  },
  /** Begins with another one each time. */
  inTurn(endpoints, turn) {
    const first = turn % endpoints.length;
    return [...endpoints.slice(first), ...endpoints.slice(0, first)].toSorted(by((each) => each.isHanging()));
  },
};

const by = (isLast: (each: Health) => boolean) => (a: Health, b: Health) => Number(isLast(a)) - Number(isLast(b));

/** Maximum time for an answer that is not needed. */
const PATIENCE_MS: Milliseconds = 3 * SECOND_MS;

interface Row {
  readonly order: Order;
  /** Maximum number of endpoints. */
  readonly most?: number;
  /** Number of endpoints at the beginning of the order that have answered before. */
  readonly after?: number;
  /**
   * - `unlimited`: an endpoint has its own timeout, of a minute
   * - `short`: `PATIENCE_MS` for each
   * - `short-after-the-first`: `PATIENCE_MS` from the answer of the first one on. If that does not answer, the others are needed.
   */
  readonly patience: 'unlimited' | 'short' | 'short-after-the-first';
}

const TWO: Row = { order: 'healthyFirst', most: 2, patience: 'short-after-the-first' };
const EACH: Row = { order: 'all', patience: 'unlimited' };

/** Every question that several endpoints answer. */
const WHOM = {
  prepare: TWO,
  read: TWO,
  readFinal: TWO,
  account: TWO,
  /** Two endpoints disagree about a step or about pending transactions. */
  third: { order: 'healthyFirst', after: 2, patience: 'short' },
  /** Do you know this block? */
  lifetime: { order: 'healthyFirst', patience: 'short' },
  /** Has the wallet lost its token as of your final block? */
  absence: EACH,
  /** Which of the transactions that the first endpoint has not confirmed at once do blocks include? */
  track: { order: 'besideTheFirst', patience: 'short' },
  /** Does a block include it, and is it final? An endpoint that hangs must not delay every final block. */
  inclusion: { order: 'responsive', patience: 'unlimited' },
  /** May it be signed again? */
  ending: EACH,
  finalNonce: EACH,
  broadcast: { order: 'healthyFirst', patience: 'short' },
  blockTime: { order: 'all', patience: 'short' },
  /** Who controls the contract, and who is a gatekeeper? The first steps in a contract wait for the answer. */
  control: { order: 'responsive', patience: 'unlimited' },
  /** What happened in these blocks? */
  history: { order: 'inTurn', patience: 'unlimited' },
} as const satisfies Readonly<Record<string, Row>>;

type Question = keyof typeof WHOM;

/** Returns the endpoints that the question goes to, in their order. `turn` is the number of the question. */
export function endpointsFor<E extends Health>(question: Question, endpoints: readonly E[], turn = 0): E[] {
  const { order, after = 0, most }: Row = WHOM[question];
  return ORDERED[order](endpoints, turn).slice(after, most);
}

/** Asks endpoints at the same time. Returns an answer for each in its order; undefined for one that does not answer. */
export async function askTogether<E extends Health, T>(
  question: Question,
  endpoints: readonly E[],
  ask: (endpoint: E) => Promise<T>,
): Promise<readonly (T | undefined)[]> {
  const { patience }: Row = WHOM[question];
  const [first, ...others] = endpointsFor(question, endpoints).map((endpoint) => answerOf(ask(endpoint)));
  if (first === undefined) return [];
  const isShort = patience === 'short' || (patience !== 'unlimited' && (await first) !== undefined);
  return Promise.all([patience === 'short' ? soon(first) : first, ...(isShort ? others.map(soon) : others)]);
}

/** Asks one endpoint after another, until the caller has what it needs. Yields the answers; undefined if an endpoint does not answer. */
export async function* askOneByOne<E extends Health, T>(
  question: Question,
  endpoints: readonly E[],
  ask: (endpoint: E) => Promise<T>,
  turn = 0,
): AsyncGenerator<T | undefined> {
  const { patience }: Row = WHOM[question];
  for (const endpoint of endpointsFor(question, endpoints, turn)) {
    const answer = answerOf(ask(endpoint));
    yield await (patience === 'short' ? soon(answer) : answer);
  }
}

/** Returns the first answer that comes; undefined if no endpoint answers. */
export async function askUntilAnswered<E extends Health, T>(
  question: Question,
  endpoints: readonly E[],
  ask: (endpoint: E) => Promise<T>,
  turn = 0,
): Promise<T | undefined> {
  for await (const answer of askOneByOne(question, endpoints, ask, turn)) if (answer !== undefined) return answer;
  return undefined;
}

const soon = <T>(answer: Promise<T | undefined>) => withTimeout(PATIENCE_MS, answer, undefined);

/** Returns the answer of an endpoint, or undefined if it does not answer or its answer cannot be read. The others may still answer. */
async function answerOf<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (fault) {
    if (!(fault instanceof RpcFault)) logFault('endpoint.unreadable', fault);
    return undefined;
  }
}
