import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import { notNow } from '../../../src/chain/reasons.ts';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { Step } from '../../../src/pass/step.ts';
import { Lanes } from '../../../src/signer-object/lanes.ts';
import { addSteps, nextSteps } from '../../../src/signer-object/queue.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import { recordResults } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { asking } from '../chain/a-step.ts';
import { aStep, sepolia } from '../chain/ethereum/node.ts';
import { countRows } from './count-rows.ts';
import { closed, withSigner } from './with-signer.ts';

/** The order of ranks in a lane, and the order of lanes. These tests do not use the chain. */

const BLOCK_STEPS = 16;
const aLane = (number: number) => `lane-${String(number).padStart(3, '0')}` as GatekeeperNetwork;
const several = (count: number, make: () => Step) => Array.from({ length: count }, make);
const ranksOf = (steps: readonly StepEntry[]) => steps.map(({ step }) => step.rank).join('');

/** Chooses the next steps for a block and signs them. */
function serveBlock(signer: Signer, steps = BLOCK_STEPS): StepEntry[] {
  const next = nextSteps(signer, steps, Date.now());
  const signed = {
    identifier: '0x1',
    bytes: '0x2',
    maxCost: 0,
    expectedOnChain: { state: 'ACTIVE' },
    signedAtMs: 1,
  } as const;
  for (const entry of next) signer.steps.storeSigned(entry, signed, undefined, Date.now());
  return next;
}

it('serves a revocation and a freeze before the 3,000 issuances that wait in their lane', async () => {
  await withSigner('urgent', async (signer) => {
    addSteps(
      signer,
      several(3_000, () => aStep()),
    );
    const urgent = [aStep({ kind: 'revoke' }), aStep({ kind: 'freeze' })];
    addSteps(signer, urgent);
    const block = serveBlock(signer).map(({ step }) => step.id);
    expect(block.slice(0, 2)).toEqual(urgent.map(({ id }) => id));
    expect(block).toHaveLength(BLOCK_STEPS);
  });
});

it('gives the second and the lowest waiting rank one of ten turns each', async () => {
  await withSigner('reserved', async (signer) => {
    addSteps(signer, [
      ...several(50, () => aStep({ kind: 'revoke' })),
      ...several(50, () => aStep()),
      ...several(50, () => aStep({ rank: 2 })),
    ]);
    expect(ranksOf(serveBlock(signer, 20))).toBe('0000100002'.repeat(2));
  });
  await withSigner('reserved for one', async (signer) => {
    addSteps(signer, [...several(50, () => aStep({ kind: 'revoke' })), ...several(50, () => aStep({ rank: 2 }))]);
    expect(ranksOf(serveBlock(signer, 20))).toBe('0000200002'.repeat(2));
  });
});

it('serves 100 issuances behind 10,000 revocations within 63 blocks of 16', async () => {
  await withSigner('crowded by revocations', async (signer, storage) => {
    addSteps(signer, [
      ...several(10_000, () => aStep({ kind: 'revoke' })),
      ...several(100, () => aStep()),
      ...several(100, () => aStep({ rank: 2 })),
    ]);
    let blocks = 0;
    for (let issued = 0; issued < 100; blocks += 1) {
      issued += serveBlock(signer).filter(({ step }) => step.rank === 1).length;
    }
    expect(blocks).toBeLessThanOrEqual(63);
    expectCountsOfTable(signer, storage);
  });
});

it('adds a revocation to a lane that has no room for issuances, and returns the step that found no room', async () => {
  await withSigner('full', async (signer) => {
    const issuances = several(10_001, () => aStep());
    expect(addSteps(signer, issuances)).toHaveLength(10_000);
    const revocation = aStep({ kind: 'revoke' });
    const bulk = aStep({ rank: 2 });
    expect(addSteps(signer, [revocation, bulk, aStep()])).toEqual([revocation, bulk]);
    const { gatekeeperNetwork: lane } = revocation.key;
    expect([0, 1, 2].map((rank) => signer.steps.lanes.hasRoom(lane, rank as 0))).toEqual([true, false, true]);
  });
});

it('moves a waiting step to a higher rank when it is submitted again with that rank', async () => {
  await withSigner('lifted', async (signer, storage) => {
    const bulk = several(20, () => aStep({ rank: 2 }));
    addSteps(signer, bulk);
    const last = bulk.at(-1) as Step;
    expect(addSteps(signer, [{ ...last, rank: 1 }])).toEqual([]);
    expect(serveBlock(signer, 1)[0]?.step).toMatchObject({ id: last.id, rank: 1 });
    // A lower rank never replaces a higher one.
    const [first] = bulk as [Step];
    addSteps(signer, [{ ...first, rank: 1 }]);
    addSteps(signer, [first]);
    expect(serveBlock(signer, 1)[0]?.step).toMatchObject({ id: first.id, rank: 1 });
    expectCountsOfTable(signer, storage);
  });
});

it('moves a step into a rank that is full, because its lane then has no more steps than before', async () => {
  await withSigner('lifted into a full rank', async (signer, storage) => {
    const bulk = aStep({ rank: 2 });
    addSteps(signer, [bulk, ...several(10_000, () => aStep())]);
    addSteps(signer, [{ ...bulk, rank: 1 }]);
    const { gatekeeperNetwork: lane } = bulk.key;
    expect([signer.steps.lanes.countOf(lane, 1), signer.steps.lanes.countOf(lane, 2)]).toEqual([10_001, 0]);
    expectCountsOfTable(signer, storage);
  });
});

it('answers that a lane had no room, even if it has room by the time of the answer', async () => {
  const object = (env as Env).SIGNERS.getByName(signerNameOf(sepolia()));
  // The chain does not know its gatekeeper network, so the signer cannot sign it.
  const aStuckStep = () => aStep({ gatekeeperNetwork: 'ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6' });
  const waiting = several(10_000, aStuckStep);
  await runInDurableObject(object, (_, { storage }) => {
    addSteps(closed(storage), waiting);
  });
  await evictDurableObject(object);
  const [first] = waiting as [Step];
  const [late, again] = [aStuckStep(), aStuckStep()];
  const answers = await object.submit(asking({ ...first, superseded: true }, late));
  expect(answers.map(({ status }) => status)).toEqual([{ type: 'withdrawn' }, { type: 'waiting', noRoom: true }]);
  expect((await object.submit(asking(again)))[0]?.status).toEqual({ type: 'waiting' });
  await runInDurableObject(object, (_, { storage }) => storage.sql.exec("DELETE FROM step WHERE status = 'waiting'"));
  await evictDurableObject(object);
});

it('tries the other steps of a lane before it retries a step that fails with an unknown error', async () => {
  await withSigner('poisoned', async (signer) => {
    const [poison, issuance] = [aStep({ kind: 'revoke' }), aStep()];
    addSteps(signer, [poison, issuance]);
    for (let tries = 0, now = Date.now(); tries < 8; tries += 1) {
      const [entry] = nextSteps(signer, 1, now) as [StepEntry];
      expect(entry.step.id).toBe(tries === 0 ? poison.id : issuance.id);
      vi.useFakeTimers({ toFake: ['Date'], now });
      const [poisoned] = nextSteps(signer, 2, now + 3_600_000).filter(({ step }) => step.id === poison.id);
      recordResults(signer, [[poisoned as StepEntry, notNow('unknown-contract-error', '0xdeadbeef')]], now);
      vi.useRealTimers();
      [{ until: now } = { until: now }] = signer.waits.of(poison.key.gatekeeperNetwork);
    }
  });
});

it('reads no more rows than it serves with 100 lanes of waiting steps and 500 empty lanes', async () => {
  await withSigner('of many lanes', async (signer, storage) => {
    for (let lane = 0; lane < 600; lane += 1) {
      const waiting = lane < 100 ? 30 : 0;
      addSteps(
        signer,
        several(waiting, () => aStep({ gatekeeperNetwork: aLane(lane) })),
      );
      if (waiting === 0) signer.waits.begin(aLane(lane), { code: 'not-authorized' }, 0);
    }
    const { rowsRead, sql } = countRows(storage.sql);
    const served = nextSteps(
      { ...signer, storage: { ...storage, sql } as DurableObjectStorage },
      BLOCK_STEPS,
      Date.now(),
    );
    expect(new Set(served.map(({ step }) => step.key.gatekeeperNetwork)).size).toBe(BLOCK_STEPS);
    // One row for each step, and one for the pause of its lane.
    expect(rowsRead()).toBeLessThanOrEqual(2 * BLOCK_STEPS);
    const alarm = countRows(storage.sql);
    nextAlarm({ ...signer, storage: { ...storage, sql: alarm.sql } as DurableObjectStorage }, Date.now());
    expect(alarm.rowsRead()).toBeLessThan(10);
    // The next turn starts after the lane that was served last.
    const [next] = nextSteps(signer, 1, Date.now());
    expect(next?.step.key.gatekeeperNetwork).toBe(aLane(BLOCK_STEPS));
  });
});

it('counts the waiting steps of a reopened store as it counted them before', async () => {
  await withSigner('counted', async (signer, storage) => {
    const steps = [...several(7, () => aStep()), ...several(3, () => aStep({ kind: 'freeze' }))];
    addSteps(signer, steps);
    serveBlock(signer, 4);
    addSteps(signer, steps);
    signer.steps.withdraw(steps[6]?.id ?? '');
    expectCountsOfTable(signer, storage);
    expect(signer.steps.lanes.countAll(steps[0]?.key.gatekeeperNetwork as GatekeeperNetwork)).toBe(5);
  });
});

function expectCountsOfTable(signer: Signer, { sql }: DurableObjectStorage): void {
  const table = new Lanes(() => queries.waitingCounts(sql));
  expect(signer.steps.lanes.inTurn().toSorted()).toEqual(table.inTurn().toSorted());
  for (const lane of table.inTurn()) {
    const counts = (lanes: Lanes) => ([0, 1, 2] as const).map((rank) => lanes.countOf(lane, rank));
    expect(counts(signer.steps.lanes)).toEqual(counts(table));
  }
}
