import { expect, it } from 'vitest';
import { passIdOf } from '../../../src/pass/step.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { nextNonce } from '../../../src/signer-object/recover.ts';
import { nextAlarm } from '../../../src/signer-object/schedule.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import { type Signer, signerMemory } from '../../../src/signer-object/signer.ts';
import * as queries from '../../../src/signer-object/step-queries.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { countRows } from './count-rows.ts';
import { restarted } from './memory.ts';
import { withSigner } from './with-signer.ts';

const FINISHED = 500;

/** The parts of a signer over tables that count rows, with the memory of a signer that has worked for a while. */
function counting(signer: Signer, storage: DurableObjectStorage) {
  const counted = countRows(storage.sql);
  const over = { ...storage, kv: storage.kv, sql: counted.sql } as DurableObjectStorage;
  const parts = { ...signer, storage: over, ...signerMemory(over, signer.name, signer.network, async () => []) };
  parts.steps.outcomes();
  return { signer: parts, ...counted };
}

it('reads only the steps in progress, however many finished steps are remembered', async () => {
  await withSigner('of many', async (signer, storage) => {
    const { sql } = storage;
    const step = aStep();
    addSteps(signer, [...Array.from({ length: FINISHED }, () => aStep()), step]);
    sql.exec("UPDATE step SET status = 'final', forget_at = 9e15 WHERE id <> ?", step.id);
    for (const status of ['waiting', 'signed', 'confirmed']) {
      sql.exec('UPDATE step SET status = ?, is_open = ? WHERE id = ?', status, status === 'waiting' ? 0 : 1, step.id);
      const counted = counting(signer, storage);
      const rowsRead = (ask: (signer: Signer) => unknown): number => {
        const before = counted.rowsRead();
        ask(counted.signer);
        return counted.rowsRead() - before;
      };
      expect(rowsRead(({ steps }) => steps.inFlight('sent', 10))).toBe(0);
      expect(rowsRead(({ steps }) => steps.inFlight('confirmed', 10))).toBeLessThan(5);
      expect(rowsRead(({ steps }) => [steps.unsent(Date.now(), 10), steps.unminedCount, steps.outcomes()])).toBe(0);
      expect(rowsRead(({ storage: { sql } }) => queries.stepsOf(sql, passIdOf(step.id)))).toBeLessThan(5);
      expect(rowsRead(({ storage: { sql } }) => queries.outcomesOf(sql, passIdOf(step.id)))).toBeLessThan(5);
      expect(rowsRead((signer) => nextAlarm(signer, Date.now()))).toBeLessThan(9);
    }
  });
});

it('reads no confirmed step when it counts unmined steps, schedules the next alarm and chooses the next nonce', async () => {
  await withSigner('of confirmed steps', async (signer, storage) => {
    addSteps(
      signer,
      Array.from({ length: 1_000 }, () => aStep()),
    );
    storage.sql.exec(
      "UPDATE step SET status = 'confirmed', is_open = 1, nonce = seq, included_in = json_object('block', seq)",
    );
    storage.kv.put('nextNonce', 2_000);
    const counted = counting(signer, storage);
    const before = counted.rowsRead();
    expect(counted.signer.steps.unminedCount).toBe(0);
    nextNonce(counted.signer, { latest: 2_000, pending: 2_000 });
    nextAlarm(counted.signer, Date.now());
    expect(counted.rowsRead() - before).toBeLessThan(12);
  });
});

it('writes a fixed number of rows at each transition of an issuance', async () => {
  await withSigner('of one', async (signer, storage) => {
    const step = aStep();
    addSteps(signer, [aStep()]);
    const counted = counting(signer, storage);
    const { steps } = counted.signer;
    const rowsWritten = (change: () => unknown): number => {
      const before = counted.rowsWritten();
      change();
      return counted.rowsWritten() - before;
    };
    const signed = {
      identifier: '0x1',
      bytes: '0x2',
      maxCost: 0,
      expectedOnChain: { state: 'ACTIVE' },
      signedAtMs: 1,
    } as const;
    const status = { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } } as const;
    const found = () => queries.findStep(storage.sql, signer.network, step.id) as StepEntry;
    expect(rowsWritten(() => addSteps(counted.signer, [step]))).toBe(2);
    expect(rowsWritten(() => steps.storeSigned(found(), signed, 7, 1))).toBe(2);
    expect(rowsWritten(() => steps.setSent(found()))).toBe(0);
    expect(rowsWritten(() => steps.setConfirmed(found(), status, { block: 1 }))).toBe(1);
    const revision = steps.answerFor(step.id)?.revision ?? 0;
    expect(rowsWritten(() => steps.acknowledge([{ id: step.id, revision }], 1))).toBe(0);
    // One value for all outcomes says so after a restart.
    expect([...restarted(signer).steps.outcomes()]).toEqual([]);
    expect(rowsWritten(() => steps.setFinal(found(), 1))).toBe(1);
    addSteps(counted.signer, [aStep()]);
    expect(rowsWritten(() => steps.forget(Number.MAX_SAFE_INTEGER))).toBe(1);
  });
});

it('announces the outcomes of steps that were withdrawn together, until each is acknowledged', async () => {
  await withSigner('that ends many', async (signer) => {
    addSteps(signer, [aStep(), aStep(), aStep()]);
    signer.steps.withdrawWaiting(10, false);
    const ids = (steps: Pick<typeof signer.steps, 'outcomes'>) => [...steps.outcomes()].map(({ id }) => id);
    const [first = '', ...others] = ids(signer.steps);
    expect(others).toHaveLength(2);
    signer.steps.acknowledge([{ id: first, revision: signer.steps.answerFor(first)?.revision ?? 0 }], Date.now());
    expect(ids(restarted(signer).steps)).toEqual(expect.arrayContaining(others));
  });
});

it('schedules the alarm for a postponed step when the step may be tried, and no sooner', async () => {
  await withSigner('that waits', async (signer, { sql }) => {
    const now = Date.now();
    const step = aStep();
    addSteps(signer, [step], now);
    expect(nextAlarm(signer, now)).toBe(now + 2_000);
    const [entry] = queries.waitingSteps(sql, signer.network, { ...step.key, rank: 1 }, now, 1);
    signer.steps.postpone(entry as StepEntry, { code: 'token-changed' }, now, 40_000);
    expect(nextAlarm(signer, now)).toBe(now + 40_000);
    // Another step does not wait for the postponed one.
    addSteps(signer, [aStep()], now);
    expect(nextAlarm(signer, now)).toBe(now + 2_000);
  });
});
