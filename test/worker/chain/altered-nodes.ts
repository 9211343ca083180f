import { vi } from 'vitest';
import { type Secret, secret } from '../../../src/lib/secret.ts';

/** Endpoints of a real node that alter or refuse some of its answers. Each of them records the requests that it gets. */

export interface Call {
  readonly id: number;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: The parameters differ by method.
  readonly params: any[];
}
// biome-ignore lint/suspicious/noExplicitAny: The results differ by method.
export type Answer = { readonly id: number; result?: any; error?: { code: number; message: string } };

export interface Alteration {
  /** Returns the response to a request that never reaches the node, or throws. */
  readonly refuse?: (calls: readonly Call[]) => Response | undefined;
  readonly alter?: (call: Call, answer: Answer) => Omit<Answer, 'id'>;
}

/** The node as it is. */
export const HONEST: Alteration = {};

/** Alters the results of one method. */
export const altering = (method: string, alter: (result: Answer['result'], call: Call) => unknown): Alteration => ({
  alter: (call, answer) => (call.method === method ? { result: alter(answer.result, call) } : answer),
});

interface AlteredNode extends Alteration {
  readonly node: string;
  /** The calls of each request, in order. */
  readonly requests: Call[][];
}

const { fetch } = globalThis;
const nodes = new Map<string, AlteredNode>();

/** Opens an endpoint for each alteration. Until `vi.restoreAllMocks`, requests to them reach the node. */
export function alteredNodes(node: string, ...alterations: readonly Alteration[]) {
  const requests: Call[][][] = alterations.map(() => []);
  const urls = alterations.map((alteration, index): Secret<string> => {
    const url = `http://altered-${nodes.size}/`;
    nodes.set(url, { ...alteration, node, requests: requests[index] as Call[][] });
    return secret(url);
  });
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const altered = nodes.get(String(input));
    return altered === undefined ? fetch(input, init) : answer(altered, init);
  });
  return { urls, requests };
}

async function answer({ node, requests, refuse, alter }: AlteredNode, init?: RequestInit): Promise<Response> {
  const asked = JSON.parse(String(init?.body)) as Call | Call[];
  const calls = [asked].flat();
  requests.push(calls);
  const refusal = refuse?.(calls);
  if (refusal !== undefined) return refusal;
  const answers = [await (await fetch(node, init)).json()].flat() as Answer[];
  const altered = calls.map((call) => {
    const found = answers.find(({ id }) => id === call.id) as Answer;
    return { jsonrpc: '2.0', id: call.id, ...(alter === undefined ? found : alter(call, found)) };
  });
  return Response.json(Array.isArray(asked) ? altered : altered[0]);
}
