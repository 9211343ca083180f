import type { SingleEndpoint } from './json-rpc.ts';
import { RpcFault } from './port.ts';
import type { Resolution, ResolvedChange, Scan, UnreadTransaction, UnresolvedChange } from './watch-port.ts';

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
  for (const endpoint of inTurn(endpoints, turn)) {
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

/** Resolves changes. Each further endpoint is asked about those that the earlier ones did not resolve or read in full. */
export async function resolveInTurn<E extends SingleEndpoint>(
  endpoints: readonly E[],
  turn: number,
  changes: readonly UnresolvedChange[],
  resolve: (endpoint: E, open: readonly UnresolvedChange[]) => Promise<Resolution>,
): Promise<Resolution> {
  const resolved: ResolvedChange[] = [];
  const faults: RpcFault[] = [];
  const unread = new Map<UnresolvedChange, UnreadTransaction>();
  let unresolved = [...changes];
  for (const endpoint of inTurn(endpoints, turn)) {
    const open = [...unresolved, ...unread.keys()];
    if (open.length === 0) break;
    const answer = await orFault(resolve(endpoint, open));
    if (answer instanceof RpcFault) faults.push(answer);
    else {
      resolved.push(...answer.resolved);
      for (const each of answer.unread) unread.set(each.change, each);
      const left = new Set<UnresolvedChange>([...answer.unresolved, ...answer.unread.map(({ change }) => change)]);
      // An endpoint that lacks a transaction does not answer for one that shows it.
      for (const change of unread.keys()) if (!left.has(change)) unread.delete(change);
      unresolved = answer.unresolved.filter((change) => !unread.has(change));
    }
  }
  if (faults.length === endpoints.length) throw joined(faults);
  const places = new Map(changes.map(({ transaction }, index) => [transaction, index]));
  const placeOf = ({ transaction }: ResolvedChange) => places.get(transaction) ?? 0;
  return { resolved: resolved.toSorted((a, b) => placeOf(a) - placeOf(b)), unresolved, unread: [...unread.values()] };
}

export function inTurn<E extends SingleEndpoint>(endpoints: readonly E[], turn: number): E[] {
  const first = turn % endpoints.length;
  const order = [...endpoints.slice(first), ...endpoints.slice(0, first)];
  return order.toSorted((a, b) => Number(a.isHanging()) - Number(b.isHanging()));
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
