import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { createGatepass, type Gatepass, type GatepassOptions } from '../../../client/src/gatepass.ts';
import { Front } from './front.ts';

/** Somebody in front of the service and of the authorization server, while the tests of a file run. */
export function frontedGatepass() {
  const { baseUrl, issuer } = inject('gatepass');
  const fronts = { service: new Front(baseUrl), oauth: new Front(issuer) };
  const origins = {} as { service: string; oauth: string };

  beforeAll(async () => {
    origins.service = await fronts.service.start();
    origins.oauth = await fronts.oauth.start();
  });
  beforeEach(() => {
    fronts.service.reset();
    fronts.oauth.reset();
  });
  afterAll(() => {
    fronts.service.stop();
    fronts.oauth.stop();
  });

  const credentials = (more = {}) => ({
    tokenUrl: `${origins.oauth}/oauth/token`,
    clientId: 'acme',
    clientSecret: 'acme-secret',
    ...more,
  });
  return {
    fronts,
    origins,
    credentials,
    /** A client of the partner acme, which has fetched no token yet. */
    client: (options: Partial<GatepassOptions> = {}): Gatepass =>
      createGatepass({ baseUrl: origins.service, credentials: credentials(), ...options } as GatepassOptions),
  };
}

/** What the promise was rejected with; its value when it was not. */
export const rejection = (promise: Promise<unknown>) => promise.catch((fault: unknown) => fault);
