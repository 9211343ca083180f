import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Stands in front of a server: refuses whatever comes first to a path, lets nobody wait, and shows a pass for a while as it
 * was when it was accepted.
 */
export interface MoodyFront {
  readonly url: string;
  readonly requests: readonly FrontRequest[];
  /** Those of a method and path, such as `POST /pass`, in order. */
  to(what: string): FrontRequest[];
  stop(): void;
}

/** What came: its method and path, when (milliseconds), with what. */
interface FrontRequest {
  readonly what: string;
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @param retryAfter Seconds after which the refusal, a 503, says to come again. */
export async function startMoodyFront(target: string, retryAfter: number): Promise<MoodyFront> {
  const requests: FrontRequest[] = [];
  const to = (what: string) => requests.filter((each) => each.what === what);
  let accepted = '';
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await text(request);
    const what = `${method} ${path}`;
    requests.push({ what, at: Date.now(), headers, body });
    const times = to(what).length;
    if (times === 1) {
      const problem = { code: 'temporarily_unavailable', detail: 'Not now.', requestId: 'r-1' };
      response.writeHead(503, { 'retry-after': String(retryAfter), 'content-type': 'application/problem+json' });
      response.end(JSON.stringify(problem));
    } else if (times === 2 && method === 'GET') response.end(accepted);
    else {
      const answer = await fetch(target + path, { method, headers: passedOn(headers), body: body || null });
      const shown = await answer.text();
      if (answer.status === 202) accepted = shown;
      response.writeHead(answer.status, shownOf(answer.headers));
      response.end(shown);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    to,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Without `Prefer`: as at a service that does not know it. */
function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['authorization', 'content-type', 'gatepass-bookmark'] as const;
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

/** Not how the body was packed: it is passed on unpacked. */
function shownOf(headers: Headers): Record<string, string> {
  const names = ['content-type', 'gatepass-bookmark'];
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])));
}
