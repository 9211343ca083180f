import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createGatepass, type Gatepass, type GatepassOptions } from '../../client/src/gatepass.ts';
import { stopChildren } from '../../scripts/child-process.ts';
import { startGatepass, type Gatepass as World } from '../world/gatepass.ts';
import { openState, type StateFolder } from '../world/state-folder.ts';
import { Front } from './front.ts';

/**
 * The world while the tests of a file run, with somebody in front of the service and of the authorization server.
 * @param pages Resolves to the origin of pages that may call.
 */
export function frontedWorld(pages?: () => Promise<string>) {
  let state: StateFolder;
  let world: World | undefined;
  const fronts = {} as { service: Front; oauth: Front };
  const origins = {} as { service: string; oauth: string };

  beforeAll(async () => {
    state = openState();
    const variables = pages && { CORS_ORIGINS: await pages() };
    world = await startGatepass({ folder: state.folder, variables });
    const behind = { service: world.facts.baseUrl, oauth: world.facts.issuer };
    for (const name of ['service', 'oauth'] as const) {
      fronts[name] = new Front(behind[name]);
      origins[name] = await fronts[name].start();
    }
  });
  beforeEach(() => {
    fronts.service.reset();
    fronts.oauth.reset();
  });
  afterAll(async () => {
    // What has not started must not keep the rest from being stopped.
    fronts.service?.stop();
    fronts.oauth?.stop();
    await world?.stop();
    await stopChildren();
    state.close();
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
    /** A temporary folder. */
    folder: () => state.folder,
    /** A client of the partner acme, which has fetched no token yet. */
    client: (options: Partial<GatepassOptions> = {}): Gatepass =>
      createGatepass({ baseUrl: origins.service, credentials: credentials(), ...options } as GatepassOptions),
  };
}

/** What the promise was rejected with; its value when it was not. */
export const rejection = (promise: Promise<unknown>) => promise.catch((fault: unknown) => fault);
