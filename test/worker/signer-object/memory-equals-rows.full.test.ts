import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { findStep } from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { aTransaction, BLOCK, LANES, memoryOf, requeueing, restarted } from './memory.ts';
import { withSigner } from './with-signer.ts';

/** Random changes of a signer's steps, with restarts and rollbacks between them: memory equals the rows after each one. */

const now = Date.now();
const WORLDS = inject('form') === 'long' ? 2_000 : 200;
const CONFIRMED = { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } } as const;

/** Events of a step in that stage. Each returns nothing. */
const OF_STAGE: Readonly<Record<string, readonly ((signer: Signer, entry: StepEntry, nonce: number) => unknown)[]>> = {
  waiting: [
    ({ steps }, { step }) => steps.lift({ ...step, rank: 0 }),
    ({ steps }, { step }) => steps.changeClient({ ...step, client: 'two' }, now),
    ({ steps }, entry) => steps.postpone(entry, { code: 'client-suspended' }, now),
    ({ steps }, entry) => steps.postpone(entry, { code: 'nodes-behind' }, now),
    ({ steps }, entry, nonce) => entry.nonce === undefined && steps.storeSigned(entry, aTransaction(), nonce, now),
    ({ steps }, entry, nonce) => entry.nonce === undefined && steps.storeSigned(entry, aTransaction(), nonce, now),
    ({ steps }, entry) => steps.setEnded(entry, { type: 'failed', reason: 'no' }, now),
    ({ steps }, { step }) => steps.withdraw(step.id),
  ],
  unsent: [
    ({ steps }, entry) => steps.setSent(entry),
    ({ steps }, entry) => steps.postpone(entry, { code: 'broadcast-refused' }, now),
    ({ steps }, entry) => steps.storeReplacement(entry, aTransaction(20), now),
    ({ steps }, entry) => steps.requeue(entry, requeueing(entry.nonce), now),
    ({ steps }, entry) => steps.setConfirmed(entry, CONFIRMED, BLOCK),
  ],
  sent: [
    ({ steps }, entry) => steps.storeReplacement(entry, aTransaction(20), now),
    ({ steps }, entry) => steps.requeue(entry, requeueing(entry.nonce), now),
    ({ steps }, entry) => steps.requeue(entry, requeueing(undefined), now),
    ({ steps }, entry) => steps.setConfirmed(entry, CONFIRMED, BLOCK),
    ({ steps }, entry) => steps.setEnded(entry, { type: 'withdrawn' }, now),
  ],
  confirmed: [
    ({ steps }, entry) => steps.setVanished(entry, '0x1', now),
    ({ steps }, entry) => steps.setFinal(entry, now, 4),
  ],
  final: [
    ({ steps }, { step }) =>
      steps.acknowledge([{ id: step.id, revision: steps.answerFor(step.id)?.revision ?? 0 }], now),
    ({ steps }, { step }) => steps.retryNow([step.id]),
  ],
};

/** Events of a signer as a whole. */
const OF_SIGNER: readonly ((signer: Signer) => unknown)[] = [
  ({ steps }) => steps.releaseNonces(1_000, now),
  ({ steps }) => steps.endSuspensions(['two'], now),
  ({ steps }) => steps.withdrawWaiting(1, false),
  ({ waits }) => waits.begin(SIGNER, { code: 'no-funds' }, now),
  ({ waits }) => waits.begin(LANES[0] as (typeof LANES)[number], { code: 'not-authorized' }, now),
  ({ waits }) => waits.end(SIGNER, 'success'),
];

const happening = fc.record({
  what: fc.constantFrom('add', 'step', 'step', 'step', 'step', 'signer'),
  which: fc.nat(),
  how: fc.nat(),
  restarts: fc.boolean(),
  rollsBack: fc.nat(4).map((each) => each === 0),
});

const at = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;

it(`equals the rows after each change of ${WORLDS} random signers`, async () => {
  let world = 0;
  const story = fc.array(happening, { minLength: 5, maxLength: 60 });
  const property = fc.asyncProperty(story, async (happenings) => {
    world += 1;
    await withSigner(`random memory ${world}`, async (first) => {
      let signer = first;
      const ids: string[] = [];
      for (const [n, { what, which, how, restarts, rollsBack }] of happenings.entries()) {
        if (restarts) signer = restarted(signer);
        const change = () => {
          if (what === 'signer') return at(OF_SIGNER, how)(signer);
          if (what === 'add' || ids.length === 0) {
            const step = { ...aStep({ gatekeeperNetwork: at(LANES, which) }), client: 'one' };
            addSteps(signer, [step], now);
            if (!rollsBack) ids.push(step.id);
            return undefined;
          }
          const id = at(ids, which);
          const entry = signer.steps.inMemory(id) ?? findStep(signer.storage.sql, signer.network, id);
          return entry && at(OF_STAGE[entry.stage] ?? [], how)(signer, entry, n);
        };
        const undo = () => {
          change();
          throw new Error('undone');
        };
        if (rollsBack) expect(() => signer.steps.commit(undo)).toThrow('undone');
        else change();
        expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
      }
    });
  });
  await fc.assert(property, { numRuns: WORLDS, endOnFailure: true });
});
