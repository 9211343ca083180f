import { describe, expect, inject, it } from 'vitest';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import { reasonForPartner } from '../../../src/pass/partner-reasons.ts';
import type { Step } from '../../../src/pass/step.ts';
import { WAIT_REASONS, type WaitCode } from '../../../src/pass/wait-reasons.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { stuckReasonFor, waitingByReason } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { countWaitingBefore, findStep } from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { countRows } from './count-rows.ts';
import { withSigner } from './with-signer.ts';

/** The number of waiting steps by reason, as the metrics show it. */

const [acme = '', globex = ''] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);
const NOW = Date.now();

function add(signer: Signer, count: number, overrides: Parameters<typeof aStep>[0] = {}) {
  const steps = Array.from({ length: count }, () => aStep({ gatekeeperNetwork: acme, ...overrides }));
  addSteps(signer, steps);
  return steps;
}

describe('a step that waits for its turn', () => {
  const beforeOf = (signer: Signer, { id, rank, kind }: Step) =>
    stuckReasonFor(signer, { id, gatekeeperNetwork: acme as GatekeeperNetwork, kind, rank }, NOW).partner;

  it('knows how many steps of its lane are before it: steps of higher ranks, and earlier steps of its own rank', async () => {
    await withSigner('counts before', async (signer) => {
      const [first, second] = add(signer, 3);
      const [bulk] = add(signer, 2, { rank: 2 });
      add(signer, 5, { gatekeeperNetwork: globex });
      expect(beforeOf(signer, first as Step)).toMatchObject({ code: 'queue', before: 0 });
      expect(beforeOf(signer, second as Step)).toMatchObject({ code: 'queue', before: 1 });
      expect(beforeOf(signer, bulk as Step)).toMatchObject({ before: 3 });
      const [revocation] = add(signer, 1, { kind: 'revoke' });
      expect(beforeOf(signer, revocation as Step)).toMatchObject({ before: 0 });
      expect(beforeOf(signer, second as Step)).toMatchObject({ before: 2 });
      // A postponed step has a reason of its own, and goes behind the others.
      const entry = findStep(signer.storage.sql, signer.network, first?.id ?? '') as StepEntry;
      signer.steps.postpone(entry, { code: 'token-changed' }, NOW);
      expect(beforeOf(signer, first as Step)).toEqual(reasonForPartner('token-changed'));
      expect(beforeOf(signer, second as Step)).toMatchObject({ before: 1 });
    });
  });

  it('counts at most a thousand, and reads no more rows than that', async () => {
    await withSigner('counts many before', async (signer, storage) => {
      const last = add(signer, 2_500).at(-1) as Step;
      expect(beforeOf(signer, last)).toMatchObject({ before: 1_000 });
      const { sql, rowsRead } = countRows(storage.sql);
      const entry = findStep(signer.storage.sql, signer.network, last.id) as StepEntry;
      expect(countWaitingBefore(sql, entry, 1_000)).toBe(1_000);
      expect(rowsRead()).toBeLessThan(1_010);
    });
  });
});

describe('a step that waits for a reason', () => {
  /** A text of each kind that a node, a KMS or a contract may put into a reason. */
  const SECRETS = [
    'planted7f3a',
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    'https://rpc.acme.io/v2/4711',
    'arn:aws:kms:eu-central-1:4711:key/acme',
    '0.00125 ETH',
  ];

  it.each(Object.keys(WAIT_REASONS) as WaitCode[])('has words for its partner without a detail: %s', async (code) => {
    await withSigner(`explains ${code}`, async (signer) => {
      const { blocks } = WAIT_REASONS[code];
      const [{ id, rank, kind } = aStep()] = add(signer, 1);
      const reason = { code, detail: SECRETS.join(' ') };
      if (blocks !== 'step') signer.waits.begin(blocks === 'lane' ? (acme as GatekeeperNetwork) : SIGNER, reason, NOW);
      else signer.steps.postpone(findStep(signer.storage.sql, signer.network, id) as StepEntry, reason, NOW);
      const step = { id, gatekeeperNetwork: acme as GatekeeperNetwork, kind, rank };
      const { partner, text, code: shown } = stuckReasonFor(signer, step, NOW);
      expect(shown).toBe(code);
      for (const secret of SECRETS) expect(text).toContain(secret);
      expect(partner).toEqual(reasonForPartner(code));
      for (const secret of SECRETS) expect(JSON.stringify(partner)).not.toContain(secret);
    });
  });

  it('has the words of a pause in a signer that is not configured', () => {
    const step = { id: 'any:1', gatekeeperNetwork: acme as GatekeeperNetwork, kind: 'issue', rank: 1 } as const;
    expect(stuckReasonFor(undefined, step, NOW)).toMatchObject({ code: 'not-configured', partner: { code: 'paused' } });
  });
});

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
