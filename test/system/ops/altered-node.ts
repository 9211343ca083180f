import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call of JSON-RPC, and what the node answered to it. */
interface Answered {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

type Numbered = Answered & { readonly id: number };

export interface Altering {
  /** What is said instead: of a result, or of an error. */
  readonly answer?: (answered: Answered) => Pick<Answered, 'result' | 'error'>;
  /** Of what is no single call. */
  readonly refusesBatches?: true;
  /** Instead of everything. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Stands in front of a node, and says something else where it is told to. */
export async function startAlteredNode(node: string, { answer, ...how }: Altering) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (how.status !== undefined) return void response.writeHead(how.status, { ...how.headers }).end('no');
    const calls = JSON.parse(body) as Numbered | Numbered[];
    if (how.refusesBatches && Array.isArray(calls)) return void response.writeHead(400).end('one at a time');
    const headers = { 'content-type': 'application/json' };
    const said = (await (await fetch(node, { method: 'POST', headers, body })).json()) as Numbered | Numbered[];
    const altered = [calls].flat().map((call) => {
      const its = [said].flat().find(({ id }) => id === call.id);
      return answer ? { jsonrpc: '2.0', id: call.id, ...answer({ ...call, ...its }) } : its;
    });
    response.writeHead(200, headers).end(JSON.stringify(Array.isArray(calls) ? altered : altered[0]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
