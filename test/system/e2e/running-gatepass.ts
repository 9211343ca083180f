import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Gatepass, startGatepass } from '../../../localnet/gatepass.ts';
import { PartnerClient } from '../../../localnet/partner/partner-client.ts';
import { openState, type StateFolder } from '../../../localnet/state/state-folder.ts';
import { stopChildren } from '../../../scripts/child-process.ts';
import { Canary } from './canary.ts';
import { KeyedNodes, plantKeys } from './planted.ts';

/**
 * The service and the localnet while the tests of a file run; what it answers is there when they do. Whatever they did, no
 * secret may have shown: in no line that was printed, and in no answer to anybody.
 */
export function runningGatepass(): { facts(): Gatepass['facts']; acme(): PartnerClient } {
  const canary = new Canary();
  const nodes = new KeyedNodes(canary);
  let state: StateFolder;
  let gatepass: Gatepass;
  let acme: PartnerClient;
  let stopListening: () => void;

  beforeAll(async () => {
    state = openState();
    gatepass = await startGatepass({
      folder: state.folder,
      rpc: (urls) => nodes.inFrontOf(urls),
      onLine: (line) => canary.line(line),
    });
    plantKeys(canary, gatepass.signingKey);
    stopListening = canary.listenTo(gatepass.facts.baseUrl);
    acme = new PartnerClient(gatepass.facts, 'acme');
  });

  afterAll(async () => {
    await gatepass.stop();
    await stopChildren();
    await nodes.stop();
    stopListening();
    canary.filesIn(join(state.folder, 'wrangler-logs'));
    const keyed = nodes.plantSent();
    const leaks = await canary.leaks();
    await state.close();
    expect(leaks).toEqual([]);
    expect(keyed).toBeGreaterThan(0);
    expect(canary.counts).toEqual({ lines: aHundred, responses: aHundred });
  });

  return { facts: () => gatepass.facts, acme: () => acme };
}

/** Who has heard less than that was not listening. */
const aHundred = expect.toSatisfy((count: number) => count >= 100);
