import { describe, expect, it, vi } from 'vitest';
import { passIdOf, stepId } from '../../../src/pass/step.ts';
import { SIGNER } from '../../../src/signer-object/lanes.ts';
import { endWaitingSteps, retryNow } from '../../../src/signer-object/operator.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import { type Signer, SuspendedClients } from '../../../src/signer-object/signer.ts';
import type { StepTable } from '../../../src/signer-object/step-table.ts';
import { aStep, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { aTransaction, aWorld, BLOCK, LANES, memoryOf, requeueing, restarted, type World } from './memory.ts';
import { withSigner } from './with-signer.ts';

/** The memory of a signer equals its rows, whichever change is its first one after a restart, and also after a rollback. */

makeBlocksByHand();

const now = Date.now();
const LATER = Number.MAX_SAFE_INTEGER;
const LANE = LANES[0] as (typeof LANES)[number];

type Change = (signer: Signer, world: World) => unknown;

/** Every way in which rows change that are also in memory. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a step is added': ({ steps }, { final }) => {
    const step = { ...aStep(), id: stepId(passIdOf(final.step.id), 9), key: final.step.key };
    steps.add(step, { mayBeSigned: false }, now);
  },
  'a step moves up': ({ steps }, { waiting }) => steps.lift({ ...waiting.step, rank: 1 }),
  'a step that keeps a nonce moves up': ({ steps }, { requeued }) => steps.lift({ ...requeued.step, rank: 0 }),
  'another client requests a step': ({ steps }, { suspended }) =>
    steps.changeClient({ ...suspended.step, client: 'two' }, now),
  'another client requests a step that keeps a nonce': ({ steps }, { requeued }) =>
    steps.changeClient({ ...requeued.step, client: 'two' }, now),
  'a step is postponed': ({ steps }, { waiting }) => steps.postpone(waiting, { code: 'nodes-behind' }, now),
  'a step that keeps a nonce is postponed': ({ steps }, { requeued }) =>
    steps.postpone(requeued, { code: 'nonce-not-final' }, now),
  'a suspension ends': ({ steps }) => steps.endSuspensions([], now),
  'the operator redrives all': ({ steps }, world) => steps.retryNow(Object.values(world).map(({ step }) => step.id)),
  'a step is signed': ({ steps }, { waiting }) => steps.storeSigned(waiting, aTransaction(), 5, now),
  'a transaction is replaced': ({ steps }, { sent }) => steps.storeReplacement(sent, aTransaction(30), now),
  'a transaction is confirmed': ({ steps }, { sent }) =>
    steps.setConfirmed(sent, { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } }, BLOCK),
  'a block leaves the chain': ({ steps }, { confirmed }) => steps.setVanished(confirmed, '0x1', now),
  'a transaction expires': ({ steps }, { sent }) => steps.requeue(sent, requeueing(3), now),
  'a transaction has no effect': ({ steps }, { sent }) => steps.requeue(sent, requeueing(undefined), now),
  'a given up nonce is final': ({ steps }) => steps.releaseNonces(LATER, now),
  'a waiting step ends': ({ steps }, { waiting }) => steps.setEnded(waiting, { type: 'failed', reason: 'no' }, now),
  'a sent step ends': ({ steps }, { sent }) => steps.setEnded(sent, { type: 'withdrawn' }, now),
  'a step is withdrawn': ({ steps }, { waiting }) => steps.withdraw(waiting.step.id),
  'all steps are withdrawn': ({ steps }) => steps.withdrawWaiting(100, false),
  'a transaction is final': ({ steps }, { confirmed }) => steps.setFinal(confirmed, now, 3),
  'the end of a step is acknowledged': ({ steps }, { final }) =>
    steps.acknowledge([{ id: final.step.id, revision: steps.answerFor(final.step.id)?.revision ?? 0 }], now),
  'a reason of the signer begins': ({ waits }) => waits.begin(SIGNER, { code: 'no-funds' }, now),
  'a reason of the signer lasts': ({ waits }) => waits.begin(SIGNER, { code: 'nodes-unanswered' }, now),
  'the reasons of the signer end': ({ waits }) => waits.end(SIGNER, 'success'),
  'the reasons of a lane are tried again': ({ waits }) => waits.retryNow(LANE),
  'a nonce is filled': ({ storage, spending }) =>
    spending.change(SIGNER, now, () => {
      storage.sql.exec(
        'INSERT INTO gap_filler (nonce, cost, cost_day) VALUES (20, 7, ?)',
        Math.floor(now / 86_400_000),
      );
      return 7;
    }),
};

const changes = Object.entries(CHANGES);
/** Runs the function with the rows of a world, whose signer has just started. */
const withWorld = (name: string, part: (signer: Signer, world: World) => unknown) =>
  withSigner(name, async (signer) => {
    const world = aWorld(signer, now);
    await part(restarted(signer), world);
  });

it('begins with memory that equals the rows', () =>
  withSigner('memory of a world', async (signer) => {
    aWorld(signer, now);
    expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
  }));

describe.each(changes)('when %s', (name, change) => {
  it('equals the rows, as the first change after a restart', () =>
    withWorld(`first: ${name}`, (signer, world) => {
      change(signer, world);
      expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
    }));

  it('equals the rows, also if memory was read before', () =>
    withWorld(`later: ${name}`, (signer, world) => {
      memoryOf(signer, now);
      change(signer, world);
      expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
    }));

  it('equals the rows after a rollback of the change', () =>
    withWorld(`undone: ${name}`, (signer, world) => {
      const before = memoryOf(signer, now);
      const fail = () => {
        change(signer, world);
        throw new Error('undone');
      };
      expect(() => signer.steps.commit(fail)).toThrow('undone');
      expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
      expect(memoryOf(signer, now)).toEqual(before);
    }));
});

it('rolls back what memory has of the steps when the list of suspended clients cannot be stored', () =>
  withWorld('suspensions that are not stored', async (signer) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const before = memoryOf(signer, now);
    // The list is stored in the same transaction, before the steps of its clients become due.
    const full = {
      endSuspensions: (list: readonly string[], at: number) => {
        signer.steps.endSuspensions(list, at);
        throw new Error('the disk is full');
      },
      commit: (work: () => void) => signer.steps.commit(work),
    } as unknown as StepTable;
    const failing = new SuspendedClients(
      signer.storage,
      full,
      signer.name,
      async () => ['two'],
      () => [],
    );
    await failing.reread(now);
    expect(logged.mock.calls.flat().join()).toContain('the disk is full');
    logged.mockRestore();
    expect(memoryOf(signer, now)).toEqual(memoryOf(restarted(signer), now));
    expect(memoryOf(signer, now)).toEqual(before);
  }));

it('sends the step of another client after the operator has ended those of one, right after a restart', () =>
  withSigner('ended after a restart', async (signer) => {
    const [one, other] = [aStep(), aStep()];
    addSteps(signer, [
      { ...one, client: 'one' },
      { ...other, client: 'other' },
    ]);
    const cold = restarted(signer);
    let sent: unknown;
    const run = async () => {
      sent = await sendWaiting(cold);
    };
    const { ended } = await endWaitingSteps(cold, { kinds: ['issue'], client: 'one' }, 50, run);
    expect(ended).toHaveLength(1);
    expect(sent).toMatchObject([{ id: other.id }]);
    retryNow(cold, [{ id: one.id, gatekeeperNetwork: one.key.gatekeeperNetwork }]);
    expect(cold.steps.lanes.inTurn()).toEqual([]);
    await mine(4);
  }));
