import { describe, expect, inject, it } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { waitingByReason } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { findStep } from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { withSigner } from './with-signer.ts';

/** The number of waiting steps by reason, as the metrics show it. */

const [acme = '', globex = ''] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);
const NOW = Date.now();

function add(signer: Signer, count: number, overrides: Parameters<typeof aStep>[0] = {}) {
  const steps = Array.from({ length: count }, () => aStep({ gatekeeperNetwork: acme, ...overrides }));
  addSteps(signer, steps);
  return steps;
}

describe('the waiting steps by reason', () => {
  it('wait for their turn, or for a reason of their own, of their lane or of the signer', async () => {
    await withSigner('counts reasons', async (signer) => {
      const [first] = add(signer, 4);
      add(signer, 3, { gatekeeperNetwork: globex });
      expect(waitingByReason(signer)).toEqual({ turn: 7 });
      const entry = findStep(signer.storage.sql, signer.network, first?.id ?? '') as StepEntry;
      signer.steps.postpone(entry, { code: 'token-changed' }, NOW);
      expect(waitingByReason(signer)).toEqual({ turn: 6, 'token-changed': 1 });
      signer.waits.begin(globex as GatekeeperNetwork, { code: 'not-authorized' }, NOW);
      expect(waitingByReason(signer)).toEqual({ turn: 3, 'token-changed': 1, 'not-authorized': 3 });
      signer.waits.begin(SIGNER, { code: 'gas-price-too-high' }, NOW);
      expect(waitingByReason(signer)).toEqual({ 'gas-price-too-high': 7 });
      expect(waitingByReason({ ...signer, isCompromised: true })).toEqual({ 'key-compromised': 7 });
    });
  });

  it('do not wait for a ceiling if they may use its reserve', async () => {
    await withSigner('spares the reserve', async (signer) => {
      add(signer, 2);
      add(signer, 1, { kind: 'freeze' });
      add(signer, 1, { kind: 'revoke' });
      signer.waits.begin(SIGNER, { code: 'signer-ceiling' }, NOW);
      expect(waitingByReason(signer)).toEqual({ 'signer-ceiling': 3, turn: 1 });
    });
  });

  it('read a bounded number of rows, and count the steps beyond it with the reason that they share', async () => {
    await withSigner('counts many', async (signer) => {
      add(signer, 2_500);
      expect(waitingByReason(signer)).toEqual({ turn: 2_500 });
      signer.waits.begin(acme as GatekeeperNetwork, { code: 'lane-ceiling' }, NOW);
      expect(waitingByReason(signer)).toEqual({ 'lane-ceiling': 2_500 });
    });
  });
});
