import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** An issuer that signs whatever a test wants: for tokens that the world's authorization server does not give out. */
export interface SpecialIssuer {
  readonly jwksUrl: string;
  readonly privateKey: JWK;
}

/** Serves the public key; the tests sign with the private one. */
export async function startSpecialIssuer(): Promise<{ issuer: SpecialIssuer; stop(): void }> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'key', alg: 'ES256' }] });
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(jwks);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer = { jwksUrl: `http://127.0.0.1:${port}/jwks`, privateKey: await exportJWK(pair.privateKey) };
  return { issuer, stop: () => server.close() };
}
