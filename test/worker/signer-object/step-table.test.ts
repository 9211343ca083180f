import { expect, it } from 'vitest';
import { passIdOf } from '../../../src/pass/step.ts';
import { addSteps } from '../../../src/signer-object/add-steps.ts';
import { Lanes } from '../../../src/signer-object/lanes.ts';
import { nextAlarm } from '../../../src/signer-object/next-alarm.ts';
import { nextNonce } from '../../../src/signer-object/nonces.ts';
import * as ledger from '../../../src/signer-object/step-table.ts';
import * as transitions from '../../../src/signer-object/transitions.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { countRows } from './count-rows.ts';
import { withSigner } from './with-signer.ts';

const FINISHED = 500;

it('reads only the steps in progress, however many finished steps are remembered', async () => {
  await withSigner('of many', async (signer, { sql }) => {
    const { network } = signer;
    const step = aStep();
    addSteps(signer, [...Array.from({ length: FINISHED }, () => aStep()), step]);
    sql.exec("UPDATE step SET status = 'final', forget_at = 9e15 WHERE id <> ?", step.id);
    const rowsRead = (ask: (counted: SqlStorage) => unknown): number => {
      const counted = countRows(sql);
      ask(counted.sql);
      return counted.rowsRead();
    };
    for (const [status, taken] of [
      ['waiting', 0],
      ['signed', 0],
      ['signed', 1],
      ['confirmed', 1],
    ] as const) {
      sql.exec('UPDATE step SET status = ?, taken = ? WHERE id = ?', status, taken, step.id);
      expect(rowsRead((some) => ledger.stepsInFlight(some, network, 'sent', 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.stepsInFlight(some, network, 'confirmed', 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.unsentSteps(some, network, Date.now(), 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.countUnmined(some))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.unacknowledgedSteps(some, network, 0, 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.stepsOf(some, passIdOf(step.id)))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.outcomesOf(some, passIdOf(step.id)))).toBeLessThan(5);
      expect(rowsRead((sql) => nextAlarm({ ...signer, storage: { ...signer.storage, sql } }, Date.now()))).toBeLessThan(
        9,
      );
    }
  });
});

it('reads no confirmed step when it counts unmined steps, schedules the next alarm and chooses the next nonce', async () => {
  await withSigner('of confirmed steps', async (signer, { sql, kv }) => {
    addSteps(
      signer,
      Array.from({ length: 1_000 }, () => aStep()),
    );
    sql.exec("UPDATE step SET status = 'confirmed', nonce = seq, place = json_object('block', seq)");
    kv.put('nextNonce', 2_000);
    const counted = countRows(sql);
    expect(ledger.countUnmined(counted.sql)).toBe(0);
    nextNonce({ ...signer.storage, kv, sql: counted.sql }, { latest: 2_000, pending: 2_000 });
    nextAlarm({ ...signer, lanes: new Lanes(sql), storage: { ...signer.storage, kv, sql: counted.sql } }, Date.now());
    expect(counted.rowsRead()).toBeLessThan(12);
  });
});

it('writes a fixed number of rows at each transition of an issuance', async () => {
  await withSigner('of one', async (signer, { sql }) => {
    const step = aStep();
    addSteps(signer, [aStep()]);
    const rowsWritten = (change: (counted: SqlStorage) => unknown): number => {
      const counted = countRows(sql);
      change(counted.sql);
      return counted.rowsWritten();
    };
    const over = (sql: SqlStorage) => ({ ...signer, storage: { ...signer.storage, sql } });
    const signed = { identifier: '0x1', bytes: '0x2', expectedOnChain: { state: 'ACTIVE' }, at: 1 } as const;
    const status = { type: 'confirmed', transaction: '0x1', onChain: { state: 'ACTIVE' } } as const;
    expect(rowsWritten((some) => addSteps(over(some), [step]))).toBe(4);
    const [entry] = ledger.waitingSteps(sql, signer.network, { ...step.key, rank: 1 }, Date.now(), 2).slice(-1);
    if (entry === undefined) throw new Error('the step does not wait');
    const { seq } = entry;
    expect(rowsWritten((some) => transitions.storeSigned(over(some), entry, signed, 7))).toBe(3);
    expect(rowsWritten((some) => transitions.setSent(some, entry, '0x1'))).toBe(1);
    expect(rowsWritten((some) => transitions.setConfirmed(some, seq, status, { block: 1 }))).toBe(3);
    const revision = ledger.answerFor(sql, step.id)?.revision ?? 0;
    expect(rowsWritten((some) => transitions.acknowledge(some, step.id, revision, 1))).toBe(1);
    expect(rowsWritten((some) => transitions.setFinal(over(some), entry, 1))).toBe(2);
    expect(rowsWritten((some) => transitions.deleteForgotten(some, Number.MAX_SAFE_INTEGER))).toBe(1);
  });
});

it('schedules the alarm for a postponed step when the step may be tried, and no sooner', async () => {
  await withSigner('that waits', async (signer, { sql }) => {
    const now = Date.now();
    const step = aStep();
    addSteps(signer, [step], now);
    expect(nextAlarm(signer, now)).toBe(now + 2_000);
    const [entry] = ledger.waitingSteps(sql, signer.network, { ...step.key, rank: 1 }, now, 1);
    transitions.postpone(sql, entry?.seq ?? 0, now + 40_000, 'its mint is not final');
    expect(nextAlarm(signer, now)).toBe(now + 40_000);
    // Another step does not wait for the postponed one.
    addSteps(signer, [aStep()], now);
    expect(nextAlarm(signer, now)).toBe(now + 2_000);
  });
});
