import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { createGatepass, type Gatepass, type GatepassOptions } from '../../../../packages/client/src/gatepass.ts';
import { ScriptedProxy } from '../../scripted-proxy.ts';

/** Starts scripted proxies in front of the service and the authorization server for the tests of a file. */
export function useProxiedGatepass() {
  const { baseUrl, issuer } = inject('gatepass');
  const proxies = { service: new ScriptedProxy(baseUrl), oauth: new ScriptedProxy(issuer) };
  const origins = {} as { service: string; oauth: string };

  beforeAll(async () => {
    origins.service = await proxies.service.start();
    origins.oauth = await proxies.oauth.start();
  });
  beforeEach(() => {
    proxies.service.reset();
    proxies.oauth.reset();
  });
  afterAll(() => {
    proxies.service.stop();
    proxies.oauth.stop();
  });

  const credentials = (more = {}) => ({
    tokenUrl: `${origins.oauth}/oauth/token`,
    clientId: 'acme',
    clientSecret: 'acme-secret',
    ...more,
  });
  return {
    proxies,
    origins,
    credentials,
    /** Returns a client of the partner acme that has no token yet. */
    client: (options: Partial<GatepassOptions> = {}): Gatepass =>
      createGatepass({ baseUrl: origins.service, credentials: credentials(), ...options } as GatepassOptions),
  };
}

/** Resolves to the reason of a rejection, or to the value of a promise that resolves. */
export const rejectionOf = (promise: Promise<unknown>) => promise.catch((fault: unknown) => fault);
