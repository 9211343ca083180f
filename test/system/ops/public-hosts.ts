import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ORIGIN_HEADER } from './use-public-hosts.ts';

/** Answers the requests to a public host. */
export type Host = (request: Request) => Promise<Response>;

/**
 * Public hosts on this machine, because a deployment refuses local ones and plain http. A program that runs with `--import` of
 * `use-public-hosts.ts` sends its requests here. Plain http is redirected, as by "Always Use HTTPS".
 */
export interface PublicHosts {
  /** Variables of such a program. */
  readonly env: Readonly<Record<string, string>>;
  /** Answers a request of this process. */
  readonly fetch: Host;
  stop(): void;
}

export async function startPublicHosts(hosts: Readonly<Record<string, Host>>): Promise<PublicHosts> {
  async function answer(request: Request): Promise<Response> {
    const { protocol, hostname, pathname } = new URL(request.url);
    const host = hosts[hostname];
    if (host === undefined) throw new Error(`there is no host ${hostname}`);
    if (protocol === 'https:') return host(request);
    return new Response(null, { status: 301, headers: { location: `https://${hostname}${pathname}` } });
  }
  const server = createServer(async (message, response) => {
    const body = await buffer(message);
    const { [ORIGIN_HEADER]: origin, ...given } = message.headers;
    const init = { method: message.method ?? 'GET', headers: withoutTransfer(Object.entries(given)) };
    const request = new Request(`${origin}${message.url}`, {
      ...init,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const answered = await answer(request).catch((error: Error) => new Response(error.message, { status: 502 }));
    const content = Buffer.from(await answered.arrayBuffer());
    response.writeHead(answered.status, withoutTransfer(answered.headers)).end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    env: { PUBLIC_HOSTS_AT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    fetch: answer,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The headers without those of a connection and of an encoded body. */
function withoutTransfer(headers: Iterable<[string, unknown]>): Record<string, string> {
  const own =
    /^(?:host|connection|keep-alive|expect|content-encoding|content-length|transfer-encoding|accept-encoding)$/;
  return Object.fromEntries(
    [...headers].filter(([name]) => !own.test(name)).map(([name, value]) => [name, String(value)]),
  );
}

/** A host whose server listens on this machine. It learns its public name as behind any proxy. */
export const hostAt =
  (origin: string): Host =>
  async (request) => {
    const { protocol, host, pathname, search } = new URL(request.url);
    const headers = new Headers(withoutTransfer(request.headers));
    headers.set('x-forwarded-proto', protocol.slice(0, -1));
    headers.set('x-forwarded-host', host);
    const body = request.method === 'GET' ? null : await request.arrayBuffer();
    return fetch(origin + pathname + search, { method: request.method, headers, body, redirect: 'manual' });
  };
