import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** An issuer whose private key is available to tests, for tokens that the localnet's authorization server does not issue. */
export interface SpecialIssuer {
  readonly jwksUrl: string;
  readonly privateKey: JWK;
}

/** The answer of a path, which a test sets by PUT. With `hangs`, the path never answers. */
export interface StubbedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly hangs?: boolean;
  readonly delayMs?: number;
}

/** Starts a server that publishes the public key. */
export async function startSpecialIssuer(): Promise<{ issuer: SpecialIssuer; stop(): void }> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'key', alg: 'ES256' }] });
  const server = createServer(createHandler(jwks));
  // workerd may reuse an idle connection while the server closes it, and the request fails. Keep connections for a whole run.
  server.keepAliveTimeout = 3_600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = { jwksUrl: `http://127.0.0.1:${port}/jwks`, privateKey: await exportJWK(pair.privateKey) };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { issuer, stop };
}

/** Returns the handler. PUT sets the answer of GET at a path. GET with `?asked` returns the number of requests to the path. */
function createHandler(jwks: string) {
  const stubs = new Map<string, StubbedAnswer>();
  const requestCounts = new Map<string, number>();
  return async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query] = (request.url ?? '').split('?');
    const times = requestCounts.get(path) ?? 0;
    if (request.method === 'PUT') {
      stubs.set(path, JSON.parse(await text(request)));
      response.end();
    } else if (query === 'asked') {
      response.end(`${times}`);
    } else {
      requestCounts.set(path, times + 1);
      const { status = 200, headers = {}, body = jwks, hangs, delayMs = 0 } = stubs.get(path) ?? {};
      if (delayMs > 0) await setTimeout(delayMs);
      if (!hangs) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    }
  };
}
