import { type Answer, type FaultProxy, type ProxiedRequest, startFaultProxy } from '../fault-proxy.ts';

/** A proxy in front of a busy service that does not support `Prefer`. */
export interface BusyProxy extends FaultProxy {
  readonly requests: readonly ProxiedRequest[];
  /** Returns the requests of a method to a path, in order. */
  requestsTo(method: string, path: string): readonly ProxiedRequest[];
}

/**
 * Starts a proxy that answers the first request to each path with 503, and removes `Prefer` from the others. The first GET
 * after its 503 returns the pass in the state in which the service accepted it.
 * @param retryAfterSeconds The `Retry-After` of each 503.
 */
export async function startBusyProxy(target: string, retryAfterSeconds: number): Promise<BusyProxy> {
  const requests: ProxiedRequest[] = [];
  const requestsTo = (method: string, path: string) =>
    requests.filter((each) => each.method === method && each.path === path);
  const busy: Answer = {
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': `${retryAfterSeconds}` },
    body: JSON.stringify({ code: 'temporarily_unavailable', detail: 'Not now.', requestId: 'r-1' }),
  };
  let accepted = '';
  const proxy = await startFaultProxy(target, async (request, { forward }) => {
    requests.push(request);
    const count = requestsTo(request.method, request.path).length;
    if (count === 1) return busy;
    if (count === 2 && request.method === 'GET') return { status: 200, body: accepted };
    const { prefer: _, ...headers } = request.headers;
    const answer = await forward({ ...request, headers });
    if (answer.status === 202) accepted = answer.body ?? '';
    return answer;
  });
  return { ...proxy, requests, requestsTo };
}
