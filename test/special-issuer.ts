import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** An issuer that signs whatever a test wants: for tokens that the localnet's authorization server does not give out. */
export interface SpecialIssuer {
  readonly jwksUrl: string;
  readonly privateKey: JWK;
}

/** What a path below that of the keys answers, once a test has PUT it there; `hangs`: nothing, ever. */
export interface SaidAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly hangs?: boolean;
}

/** Serves the public key; the tests sign with the private one. */
export async function startSpecialIssuer(): Promise<{ issuer: SpecialIssuer; stop(): void }> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'key', alg: 'ES256' }] });
  const server = createServer(answering(jwks));
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

/** PUT says what GET answers at that path; GET with `?asked` how often it was asked for. */
function answering(jwks: string) {
  const said = new Map<string, SaidAnswer>();
  const asked = new Map<string, number>();
  return async (request: IncomingMessage, response: ServerResponse) => {
    const [path = '', query] = (request.url ?? '').split('?');
    const times = asked.get(path) ?? 0;
    if (request.method === 'PUT') {
      said.set(path, JSON.parse(await text(request)));
      response.end();
    } else if (query === 'asked') {
      response.end(`${times}`);
    } else {
      asked.set(path, times + 1);
      const { status = 200, headers = {}, body = jwks, hangs } = said.get(path) ?? {};
      if (!hangs) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    }
  };
}
