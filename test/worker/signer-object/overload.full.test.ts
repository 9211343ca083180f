import { afterEach, expect, inject, it } from 'vitest';
import { passIdOf, type SubmittedStep, stepId } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { aStep, mine } from '../chain/ethereum/node.ts';
import { reasonOf } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/** More work than the chain accepts, on the real node. */

afterEach(async () => {
  // No transaction may be pending when the next signer starts with an empty store.
  await mine(4);
});

/**
 * The short form exceeds the 10,000 steps that fit into a lane. The long form shows that far more steps cost no more.
 */
const CROWD = inject('form') === 'long' ? 100_000 : 12_000;
const UNMINED = 16;
const [acme = '', globex = ''] = inject('localnet').partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork);

const TITLE = `${CROWD.toLocaleString('en')} steps of one partner do not delay another partner, and the step table stays bounded`;

it(TITLE, async () => {
  const crowd = Array.from({ length: CROWD }, () => aStep({ gatekeeperNetwork: acme }));
  const few = Array.from({ length: 20 }, () => aStep({ gatekeeperNetwork: globex }));
  await withSigner(
    'overloaded',
    async (signer, { sql }) => {
      const taken = addSteps(signer, crowd);
      // The first steps fill the lane. The passes submit the others again.
      expect(taken.map(({ id }) => id)).toEqual(crowd.slice(0, 10_000).map(({ id }) => id));
      expect(addSteps(signer, few)).toHaveLength(20);
      expect(sql.exec('SELECT count(*) AS n FROM step').one().n).toBe(10_020);

      const isOfFew = ({ key }: (typeof few)[number]) => key.gatekeeperNetwork === globex;
      const rounds: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const sent = await sendWaiting(signer);
        expect(sent.length).toBe(UNMINED);
        expect(signer.steps.unminedCount).toBe(UNMINED);
        rounds.push(sent.filter(isOfFew).length);
        await mine();
        await trackInFlight(signer);
        // Mined transactions that wait for finality do not count.
        expect(signer.steps.unminedCount).toBe(0);
      }
      // Lanes take turns, so half of each block belongs to the small lane. After the third block all its steps are
      // sent.
      expect(rounds).toEqual([8, 8, 4]);
    },
    { unmined: UNMINED },
  );
});

/** Adds freezes of passes whose mints are confirmed but not final. */
function addFreezes(signer: Signer, count: number): SubmittedStep[] {
  const { sql } = signer.storage;
  const mints = Array.from({ length: count }, () => aStep());
  addSteps(signer, mints);
  sql.exec("UPDATE step SET status = 'confirmed', is_open = 1, included_in = '{\"block\":1}', signed = '[]'");
  signer.steps.reload();
  const freezes = mints.map(({ id, key }) => ({ ...aStep({ kind: 'freeze' }), id: stepId(passIdOf(id), 2), key }));
  addSteps(signer, freezes);
  return freezes;
}

it('does not let 2,000 freezes whose mints are not final delay issuances, and does not prepare these freezes', async () => {
  let prepared = 0;
  await withSigner(
    'waiting for finality',
    async (signer) => {
      const { prepare } = signer.chain;
      const counting: Signer = {
        ...signer,
        chain: {
          ...signer.chain,
          prepare: (steps, unmined) => {
            prepared += steps.filter(({ step }) => step.kind === 'freeze').length;
            return prepare(steps, unmined);
          },
        },
      };
      const freezes = addFreezes(signer, 2_000);
      addSteps(
        signer,
        Array.from({ length: 3 * UNMINED }, () => aStep()),
      );
      for (let round = 0; round < 3; round += 1) {
        expect(await sendWaiting(counting)).toHaveLength(UNMINED);
        await mine();
        await trackInFlight(signer, ['unsent', 'sent']);
      }
      expect(prepared).toBe(0);
      const [freeze] = freezes;
      expect(freeze && reasonOf(signer, freeze)).toBe('the mint of the pass is not final');
      // As soon as a mint is final, its freeze is the next step that the signer prepares.
      const [mint] = signer.steps.inFlight('confirmed', 1);
      if (mint !== undefined) signer.steps.setFinal(mint, Date.now());
      await sendWaiting(counting);
      expect(prepared).toBe(1);
    },
    { unmined: UNMINED },
  );
});

it('serves issuances behind 500 changes that are not ready for another reason', async () => {
  await withSigner(
    'not ready',
    async (signer) => {
      // The node is behind the known state of these passes, and the signer has no mint of them.
      const known = { state: 'ACTIVE', asOf: Number.MAX_SAFE_INTEGER } as const;
      addSteps(
        signer,
        Array.from({ length: 500 }, () => aStep({ kind: 'freeze', known })),
      );
      addSteps(
        signer,
        Array.from({ length: UNMINED }, () => aStep()),
      );
      expect(await sendWaiting(signer)).toHaveLength(UNMINED);
    },
    { unmined: UNMINED },
  );
});
