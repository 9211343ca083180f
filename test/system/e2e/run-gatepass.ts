import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { BuildName } from '../../../ops/network/gateway-build.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Hardfork } from '../../../tools/localnet/state/node.ts';
import type { StateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { openPreparedState } from '../prepared-state.ts';
import { Canary } from './canary.ts';
import { KeyedNodes } from './keyed-nodes.ts';
import { plantSecrets } from './plant-secrets.ts';

/**
 * Runs the service and a localnet for the tests of a file. The facts and the partner client are available inside the tests.
 * Afterwards it checks that no printed line and no answer contains a secret.
 * @param variables Variables of the Worker, in addition to its usual ones.
 * @param options Whether the Worker's keys are in a KMS, and the hardfork and the contract of the Ethereum nodes.
 */
export function runGatepass(
  variables?: Readonly<Record<string, string>>,
  options: { readonly kms?: boolean; readonly hardfork?: Hardfork; readonly contract?: BuildName } = {},
): {
  facts(): Gatepass['facts'];
  acme(): LocalnetPartner;
  gatepass(): Gatepass;
} {
  const canary = new Canary();
  const nodes = new KeyedNodes(canary);
  let state: StateFolder;
  let gatepass: Gatepass;
  let acme: LocalnetPartner;
  let stopListening: () => void;

  beforeAll(async () => {
    state = openPreparedState(inject('preparedState'));
    gatepass = await startGatepass({
      folder: state.folder,
      hasDatabase: true,
      config: inject('builtWorker'),
      rpc: (urls) => nodes.start(urls),
      variables,
      kms: options.kms,
      hardfork: options.hardfork,
      contract: options.contract,
      onLine: (line) => canary.addLine(line),
    });
    plantSecrets(canary, gatepass.signingKey, gatepass.kms);
    stopListening = canary.listenTo(gatepass.facts.baseUrl);
    acme = new LocalnetPartner(gatepass.facts, 'acme');
  });

  afterAll(async () => {
    await gatepass.stop();
    await stopChildren();
    nodes.stop();
    stopListening();
    canary.addFilesIn(join(state.folder, 'wrangler-logs'));
    const keyed = nodes.plantTransactions();
    const leaks = await canary.findLeaks();
    await state.close();
    expect(leaks).toEqual([]);
    expect(keyed).toBeGreaterThan(0);
    expect(canary.counts).toEqual({ lines: aHundredOrMore, responses: aHundredOrMore });
  });

  return { facts: () => gatepass.facts, acme: () => acme, gatepass: () => gatepass };
}

/** A canary with fewer lines or responses was not connected. */
const aHundredOrMore = expect.toSatisfy((count: number) => count >= 100);
