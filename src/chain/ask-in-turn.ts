import { neededOf } from './agreement.ts';
import type { SingleEndpoint } from './json-rpc.ts';
import { RpcFault } from './port.ts';
import type {
  Resolution,
  ResolvedChange,
  Scan,
  TransactionChange,
  UnreadTransaction,
  UnresolvedChange,
} from './watch-port.ts';
import { endpointsFor } from './whom-to-ask.ts';

/**
 * Asks the endpoints of a watch port one after another until one answers well, and begins with endpoint number `turn`. An endpoint
 * that hangs comes last.
 */

/** The view that one endpoint has of a span. */
export type EndpointScan =
  | Scan
  /** The endpoint answers, and it lacks an end of the span. It may only be late. */
  | { readonly type: 'behind'; readonly why: string };

/**
 * Scans a span. If every endpoint that answers is behind, its end was never on their chain, so the result is `reorged`. The result is
 * `gone`, or names an unserved block, only if no endpoint failed, because that one may have the history. Throws RpcFault otherwise.
 */
export async function scanInTurn<E extends SingleEndpoint>(
  endpoints: readonly E[],
  turn: number,
  scan: (endpoint: E) => Promise<EndpointScan>,
): Promise<Scan> {
  const poor: EndpointScan[] = [];
  const faults: RpcFault[] = [];
  for (const endpoint of endpointsFor('history', endpoints, turn)) {
    const answer = await orFault(scan(endpoint));
    if (answer instanceof RpcFault) faults.push(answer);
    else if (answer.type === 'reorged' || (answer.type === 'scanned' && answer.unserved === undefined)) return answer;
    else poor.push(answer);
  }
  const refusals = poor.filter((each) => each.type !== 'behind');
  if (poor.length > 0 && refusals.length === 0) return { type: 'reorged' };
  // One endpoint may refuse only a block where another one lacks everything.
  const refusal = refusals.find(({ type }) => type === 'scanned') ?? refusals[0];
  if (refusal !== undefined && refusals.length === poor.length && faults.length === 0) return refusal;
  throw joined([...faults, ...poor.map((each) => new RpcFault(reasonOf(each)))]);
}

function reasonOf(answer: EndpointScan): string {
  if (answer.type === 'scanned') return answer.unserved?.why ?? '';
  return answer.type === 'reorged' ? answer.type : answer.why;
}

/**
 * Resolves changes. Each further endpoint is asked about those that the earlier ones did not resolve or read in full. A transaction is
 * unread unless two endpoints lack it or show no change in it, because one that does not answer may have it.
 */
export async function resolveInTurn<E extends SingleEndpoint>(
  endpoints: readonly E[],
  turn: number,
  changes: readonly UnresolvedChange[],
  resolve: (endpoint: E, open: readonly UnresolvedChange[]) => Promise<Resolution>,
): Promise<Resolution> {
  const resolved: ResolvedChange[] = [];
  const faults: RpcFault[] = [];
  const whys = new Map<TransactionChange, UnreadTransaction>();
  const denials = new Map<TransactionChange, number>();
  const lacked = new Set<UnresolvedChange>();
  let tokens = changes.filter((change) => change.type === 'token');
  let transactions = changes.filter((change) => change.type === 'transaction');
  for (const endpoint of endpointsFor('history', endpoints, turn)) {
    if (tokens.length + transactions.length === 0) break;
    const answer = await orFault(resolve(endpoint, [...tokens, ...transactions]));
    if (answer instanceof RpcFault) {
      faults.push(answer);
      continue;
    }
    resolved.push(...answer.resolved);
    tokens = answer.unresolved.filter((change) => change.type === 'token');
    const unread = new Set(answer.unread.map(({ change }) => change));
    const absent = new Set(answer.unresolved.filter((change) => change.type === 'transaction'));
    const shown = new Set([...answer.resolved, ...tokens].map(({ transaction }) => transaction));
    transactions = transactions.filter(
      (change) => unread.has(change) || absent.has(change) || !shown.has(change.transaction),
    );
    for (const each of answer.unread) whys.set(each.change, each);
    for (const each of absent) lacked.add(each);
    for (const each of transactions) if (!unread.has(each)) denials.set(each, (denials.get(each) ?? 0) + 1);
  }
  if (faults.length === endpoints.length) throw joined(faults);
  const places = new Map(changes.map(({ transaction }, index) => [transaction, index]));
  const placeOf = ({ transaction }: ResolvedChange) => places.get(transaction) ?? 0;
  const isDenied = (change: TransactionChange) => (denials.get(change) ?? 0) >= neededOf(endpoints);
  return {
    resolved: resolved.toSorted((a, b) => placeOf(a) - placeOf(b)),
    unresolved: [...tokens, ...transactions.filter((change) => isDenied(change) && lacked.has(change))],
    unread: transactions
      .filter((change) => !isDenied(change))
      .map((change) => whys.get(change) ?? { change, why: 'no second endpoint shows that it changed nothing' }),
  };
}

/** Returns the answer, or the fault of the endpoint. */
export const orFault = <T>(answer: Promise<T>): Promise<T | RpcFault> =>
  answer.catch((fault) => {
    if (fault instanceof RpcFault) return fault;
    throw fault;
  });

function joined(faults: readonly RpcFault[]): RpcFault {
  const messages = faults.map(({ message }) => message).join('; ');
  return new RpcFault(
    `no endpoint answered: ${messages}`,
    faults.flatMap(({ codes }) => codes),
  );
}
