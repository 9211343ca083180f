import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How a channel answers: a status with headers, never, with a broken connection, or with one that breaks after the status. */
export type ReceiverAnswer =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | 'hang'
  | 'break'
  | 'break in the body';

/** A request that a channel got. */
export interface ReceivedRequest {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly answer: ReceiverAnswer;
}

interface Channel {
  /** The next answers; after them, the usual one. */
  answers: ReceiverAnswer[];
  usual: ReceiverAnswer;
  /** Ids of events that get 503 instead. */
  refused: string[];
  requests: ReceivedRequest[];
}

/**
 * Starts a receiver of webhooks with one channel per path. POST delivers, PUT sets the answers, and GET returns the requests, so
 * that tests in the Worker runtime control it over HTTP.
 */
export async function startWebhookReceiver() {
  const channels = new Map<string, Channel>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const channel = channels.get(path) ?? { answers: [], usual: { status: 204 }, refused: [], requests: [] };
    channels.set(path, channel);
    const body = await text(request);
    if (request.method === 'GET') return response.end(JSON.stringify(channel.requests));
    if (request.method === 'PUT') {
      Object.assign(channel, JSON.parse(body));
      return response.end();
    }
    const isRefused = channel.refused.includes(String(request.headers['webhook-id']));
    const answer = isRefused ? { status: 503 } : (channel.answers.shift() ?? channel.usual);
    channel.requests.push({ headers: request.headers as Record<string, string>, body, answer });
    if (answer === 'break in the body') {
      response.writeHead(200, { 'content-length': '1000' }).write('the beginning');
      return setTimeout(() => request.socket.destroy(), 20);
    }
    if (answer === 'hang') return undefined;
    if (answer === 'break') return request.socket.destroy();
    return response.writeHead(answer.status, answer.headers).end('the body of a response');
  });
  // workerd may reuse an idle connection while the server closes it, and the request fails.
  server.keepAliveTimeout = 3_600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
