import { count } from './counts.ts';

/** Counts the Worker's HTTP requests, and the calls inside requests to a node. */
export function countFetches(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (input: RequestInfo | URL, init?: RequestInit) => {
    const calls = callsIn(init?.body);
    count(calls.length > 0 ? 'rpc.requests' : 'http.requests');
    for (const { method } of calls) {
      count('rpc.calls');
      count(`rpc.calls: ${method}`);
    }
    return fetch(input, init);
  };
}

function callsIn(body: unknown): { readonly method: string }[] {
  return typeof body === 'string' && /^[[{]/.test(body) ? [JSON.parse(body)].flat() : [];
}
