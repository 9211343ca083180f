import { expect, it } from 'vitest';
import type { Step } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { aStep, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { sent as sendOne } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** Freezes and revocations are sent at once while a signer has all the transactions in no block that it may have. The test makes the blocks. */

makeBlocksByHand();

const UNMINED = 8;
const several = (count: number, make: () => Step = () => aStep()) => Array.from({ length: count }, make);
const kindsOf = (steps: readonly Step[]) => steps.map(({ kind }) => kind);

it('sends a freeze and a revocation at once, and no issuance, while the room for unmined transactions is full', async () => {
  await withSigner(
    'full room',
    async (signer) => {
      const [frozen, revoked] = [await sendOne(signer), await sendOne(signer)];
      await mine(4);
      await trackInFlight(signer);
      await trackInFlight(signer);
      addSteps(signer, several(3_000));
      expect(await sendWaiting(signer)).toHaveLength(UNMINED);
      expect(await sendWaiting(signer)).toEqual([]);
      const changes = (
        [
          ['freeze', frozen],
          ['revoke', revoked],
        ] as const
      ).map(([kind, { step }]) => ({ ...aStep({ kind }), key: step.key }));
      addSteps(signer, changes);
      expect(kindsOf(await sendWaiting(signer))).toEqual(['freeze', 'revoke']);
      expect(signer.steps.unminedCount).toBe(UNMINED + 2);
      // The blocks that include them make room again, and only then issuances follow.
      expect(await sendWaiting(signer)).toEqual([]);
      await mine(2);
      await trackInFlight(signer);
      expect(await sendWaiting(signer)).toHaveLength(UNMINED);
    },
    { unmined: UNMINED },
  );
});

it('sends at most a quarter more, however many revocations wait', async () => {
  await withSigner(
    'full of revocations',
    async (signer) => {
      const passes = [];
      for (let pass = 0; pass < 4; pass += 1) passes.push(await sendOne(signer));
      await mine(4);
      await trackInFlight(signer);
      await trackInFlight(signer);
      addSteps(signer, several(20));
      await sendWaiting(signer);
      addSteps(
        signer,
        passes.map(({ step }) => ({ ...aStep({ kind: 'revoke' }), key: step.key })),
      );
      expect(kindsOf(await sendWaiting(signer))).toEqual(['revoke', 'revoke']);
      expect(signer.steps.unminedCount).toBe(UNMINED + 2);
    },
    { unmined: UNMINED },
  );
});
