import { afterAll, beforeAll } from 'vitest';
import { stopChildren } from '../../scripts/child-process.ts';
import { type Gatepass, startGatepass } from '../world/gatepass.ts';
import { PartnerClient } from '../world/partner-client.ts';
import { openState, type StateFolder } from '../world/state-folder.ts';

/** The service and the world while the tests of a file run; what it answers is there when they do. */
export function runningGatepass(): { facts(): Gatepass['facts']; acme(): PartnerClient } {
  let state: StateFolder;
  let gatepass: Gatepass;
  let acme: PartnerClient;

  beforeAll(async () => {
    state = openState();
    gatepass = await startGatepass({ folder: state.folder });
    acme = new PartnerClient(gatepass.facts, 'acme');
  });

  afterAll(async () => {
    await gatepass.stop();
    await stopChildren();
    await state.close();
  });

  return { facts: () => gatepass.facts, acme: () => acme };
}
