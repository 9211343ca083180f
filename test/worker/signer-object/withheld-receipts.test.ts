import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { remedyOf } from '../../../src/operator/remedies.ts';
import { settleWithheld, trackInFlight } from '../../../src/signer-object/confirm.ts';
import { stuckReasonFor } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { releaseFinalNonces } from '../../../src/signer-object/recover.ts';
import { ALL_STAGES } from '../../../src/signer-object/schema.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { type Signer, WITHHELD_AFTER_MS } from '../../../src/signer-object/signer.ts';
import { type Alteration, alteredNodes, altering, type Call, HONEST } from '../chain/altered-nodes.ts';
import { tokenData, tokenIdOf } from '../chain/ethereum/issuing.ts';
import { byGatekeeper, callSepolia, freshWallet, makeBlocksByHand, mine, sepolia } from '../chain/ethereum/node.ts';
import { answerOf, reasonOf, sent } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Nodes that withhold what they have of a transaction, on the real node. The test makes the blocks. */

makeBlocksByHand();
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Result = Parameters<Parameters<typeof altering>[1]>[0];

const aboutReceipts = (alter: (receipt: Result, shown: number) => unknown): Alteration => {
  const shown = new Map<string, number>();
  return altering('eth_getTransactionReceipt', (receipt, { params: [hash] }: Call) => {
    if (receipt === null) return null;
    shown.set(hash, (shown.get(hash) ?? 0) + 1);
    return alter(receipt, shown.get(hash) ?? 0);
  });
};

/** New ones for each test: the second remembers what it has shown. */
const FAULTS = {
  'shows no receipt at all': () => aboutReceipts(() => null),
  'shows a receipt once': () => aboutReceipts((receipt, shown) => (shown === 1 ? receipt : null)),
  'names another block in a receipt': () =>
    aboutReceipts((receipt) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` })),
  'is at block 0': () => altering('eth_blockNumber', () => '0x0'),
} as const;

function over(alterations: readonly Alteration[]) {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { urls } = alteredNodes(inject('localnet').rpc.sepolia as string, ...alterations);
  return { ...sepolia(), endpoints: urls };
}

const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });

/** Tracks as the signer's object does. */
async function track(signer: Signer): Promise<void> {
  await trackInFlight(signer);
  await settleWithheld(signer, Date.now());
}

/** Tracks until a node that is only late would have shown the transactions. Both endpoints get their turn. */
async function trackForLong(signer: Signer): Promise<void> {
  for (const ms of [0, WITHHELD_AFTER_MS, 60_000, 0]) {
    later(ms);
    await track(signer);
  }
}

const inFlight = ({ steps }: Signer) => ALL_STAGES.flatMap((stage) => steps.inFlight(stage, 100));

describe.each([
  { endpoints: 'the only endpoint', beside: [] },
  { endpoints: 'the first of two endpoints', beside: [HONEST] },
])('if $endpoints', ({ endpoints, beside }) => {
  it.each(Object.entries(FAULTS))('%s, a mint ends, and a revocation follows it', async (fault, alteration) => {
    await withSigner(
      `${endpoints} ${fault}`,
      async (signer) => {
        const { step: mint } = await sent(signer);
        await mine();
        await track(signer);
        await mine(4);
        await trackForLong(signer);
        expect(answerOf(signer, mint.id)?.status).toMatchObject({ type: 'confirmed', onChain: { state: 'ACTIVE' } });
        expect(inFlight(signer)).toEqual([]);

        const { step: revocation } = await sent(signer, { ...mint, id: mint.id.replace(/\d+$/, '99'), kind: 'revoke' });
        expect(reasonOf(signer, revocation)).toBe('sent, and in no block yet');
        await mine(5);
        await trackForLong(signer);
        expect(answerOf(signer, revocation.id)?.status).toMatchObject({ onChain: { state: 'REVOKED' } });
        expect(inFlight(signer)).toEqual([]);
      },
      { on: over([alteration(), ...beside]) },
    );
  });
});

describe('transactions whose receipts are withheld', () => {
  it('take no room among the unmined ones', async () => {
    await withSigner(
      'room',
      async (signer) => {
        for (let n = 0; n < 3; n += 1) await sent(signer);
        const { step } = await sent(signer);
        expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
        await mine();
        await track(signer);
        expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      },
      { on: over([FAULTS['shows no receipt at all']()]), unmined: 3 },
    );
  });

  it('take room while one of two endpoints counts fewer transactions', async () => {
    const counts = altering('eth_getTransactionCount', (count, { params: [, at] }) =>
      at === 'latest' ? `0x${(Number(count) + 3).toString(16)}` : count,
    );
    await withSigner(
      'no room',
      async (signer) => {
        for (let n = 0; n < 3; n += 1) await sent(signer);
        await track(signer);
        const { step } = await sent(signer);
        expect(signer.withheld.size).toBe(3);
        expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
      },
      { on: over([counts, HONEST]), unmined: 3 },
    );
  });

  it('are signed again if the final state lacks their effect', async () => {
    await withSigner(
      'not ours',
      async (signer) => {
        const { step, first } = await sent(signer);
        await callSepolia('anvil_dropTransaction', first.identifier);
        await callSepolia('eth_sendTransaction', {
          from: sepolia().gatekeeper.address,
          to: freshWallet(),
          value: '0x0',
        });
        await mine(5);
        await trackForLong(signer);
        expect(answerOf(signer, step.id)?.status.type).toBe('waiting');
        await releaseFinalNonces(signer, Date.now());
        later(60_000);
        expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
      },
      { on: over([FAULTS['shows no receipt at all']()]) },
    );
  });

  it('are not signed again if others have taken the access away since they were confirmed', async () => {
    await withSigner(
      'burned',
      async (signer) => {
        const { step } = await sent(signer);
        await mine();
        await track(signer);
        expect(answerOf(signer, step.id)?.status.type).toBe('confirmed');
        await byGatekeeper(tokenData('burn', await tokenIdOf(step)));
        await mine(4);
        await trackForLong(signer);
        expect(answerOf(signer, step.id)?.status.type).toBe('confirmed');
        expect(inFlight(signer)).toEqual([]);
        expect(await sendWaiting(signer)).toEqual([]);
      },
      { on: over([FAULTS['shows a receipt once']()]) },
    );
  });

  it('are forgotten once something else has ended their step, so that the next step of the pass is not blamed on them', async () => {
    await withSigner(
      'forgotten',
      async (signer) => {
        const { step } = await sent(signer);
        await mine();
        await track(signer);
        expect([...signer.withheld.keys()]).toEqual([step.id]);
        for (const entry of inFlight(signer)) signer.steps.setEnded(entry, { type: 'withdrawn' }, Date.now());
        await track(signer);
        expect([...signer.withheld.keys()]).toEqual([]);
      },
      { on: over([FAULTS['shows no receipt at all']()]) },
    );
  });

  it('are named to the operator, who learns what to do', async () => {
    await withSigner(
      'named',
      async (signer) => {
        const { step } = await sent(signer);
        await mine();
        await track(signer);
        expect(reasonOf(signer, step)).toBe('sent, and in no block yet');
        later(WITHHELD_AFTER_MS);
        await track(signer);
        expect(reasonOf(signer, step)).toContain('eth_getTransactionReceipt');
        const revocation = { ...step, id: step.id.replace(/\d+$/, '99'), kind: 'revoke' } as const;
        addSteps(signer, [revocation]);
        expect(await sendWaiting(signer)).toEqual([]);
        expect(reasonOf(signer, revocation)).toMatch(/^the mint of the pass is not final \(eth_getTransactionReceipt/);
        const { id, kind, rank, key } = revocation;
        const stuck = stuckReasonFor(signer, { id, kind, rank, gatekeeperNetwork: key.gatekeeperNetwork }, Date.now());
        expect(remedyOf(stuck)).toContain('RPC_ENDPOINTS');
      },
      { on: over([FAULTS['shows no receipt at all']()]) },
    );
  });
});
