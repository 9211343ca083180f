import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that the proxy received. */
export interface ProxiedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The value of `performance.now()` at the arrival. */
  readonly receivedMs: number;
}

export interface Answer {
  readonly type?: 'answer';
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The proxy's treatment of one request. */
export type Outcome =
  | Answer
  /** Closes the connection without an answer. */
  | { readonly type: 'close' }
  /** Resets the connection (TCP RST) without an answer. */
  | { readonly type: 'reset' }
  /** Forwards the request, and closes the connection in the middle of the answer's body. */
  | { readonly type: 'truncate' }
  /** Cuts all connections and refuses new ones for this time. */
  | { readonly type: 'offline'; readonly ms: number };

export const CLOSE: Outcome = { type: 'close' };
export const RESET: Outcome = { type: 'reset' };
export const TRUNCATE: Outcome = { type: 'truncate' };

export interface Forwarding {
  /** Sends a request to the target, or to another server, and resolves to its answer. */
  forward(request: ProxiedRequest, to?: string): Promise<Answer>;
  /** Aborts when the proxy stops. */
  readonly stopping: AbortSignal;
}

/** Returns the outcome of a request. If it throws, the proxy closes the connection. */
export type Fault = (request: ProxiedRequest, forwarding: Forwarding) => Outcome | Promise<Outcome>;

export interface FaultProxy {
  /** The origin of the proxy. */
  readonly url: string;
  stop(): void;
}

/** Starts an HTTP proxy on a free port, in front of the origin `target`. `fault` decides the outcome of each request. */
export async function startFaultProxy(target: string, fault: Fault): Promise<FaultProxy> {
  const stopping = new AbortController();
  const forwarding: Forwarding = {
    forward: (request, to = target) => sendTo(to, request),
    stopping: stopping.signal,
  };
  const server = createServer((request, response) => {
    // The client or the target has disconnected, so no answer can be sent.
    respond(request, response).catch(() => request.socket.destroy());
  });
  // The local Workers runtime fails on an idle connection that the server closes, which Node does after 5 s by default.
  server.keepAliveTimeout = 600_000;
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function goOffline(ms: number): Promise<void> {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await sleep(ms, undefined, { signal: stopping.signal });
    while (!stopping.signal.aborted && !server.listening) await listen(port).catch(() => sleep(50));
  }

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedMs = performance.now();
    const { method = '', url: path = '', headers, socket } = incoming;
    const request = { method, path, headers, body: await text(incoming), receivedMs };
    const outcome = await fault(request, forwarding);
    switch (outcome.type) {
      case 'close':
        return void socket.destroy();
      case 'reset':
        return void socket.resetAndDestroy();
      case 'offline':
        return goOffline(outcome.ms);
      case 'truncate': {
        const { status, headers, body = '' } = await forwarding.forward(request);
        response.writeHead(status, headers).write(body.slice(0, 10), () => socket.destroy());
        return;
      }
      default:
        response.writeHead(outcome.status, outcome.headers).end(outcome.body);
    }
  }

  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      stopping.abort();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function sendTo(origin: string, { method, path, headers, body }: ProxiedRequest): Promise<Answer> {
  const answer = await fetch(origin + path, {
    method,
    headers: Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)) as [string, string][],
    body: body === '' ? null : body,
    redirect: 'manual',
  });
  const ownHeaders = [...answer.headers].filter(([name]) => !HOP_BY_HOP.includes(name));
  return { status: answer.status, headers: Object.fromEntries(ownHeaders), body: await answer.text() };
}

/** Headers that describe one connection (RFC 9110, section 7.6.1) or the encoding of the body on that connection. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'host', 'transfer-encoding', 'content-length', 'content-encoding'];
