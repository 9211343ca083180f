import { expect, it } from 'vitest';
import { passOf } from '../../src/pass/step.ts';
import { nextDue } from '../../src/signer-object/agenda.ts';
import * as ledger from '../../src/signer-object/ledger.ts';
import { aStep } from '../chain/ethereum/node.ts';
import { withSigner } from './with-signer.ts';

const FINISHED = 500;

it('what is over costs nothing: however many steps are remembered, only those under way are read', async () => {
  await withSigner('of many', async (signer, { sql }) => {
    const { network } = signer;
    const step = aStep();
    ledger.accept(sql, [...Array.from({ length: FINISHED }, () => aStep()), step]);
    sql.exec("UPDATE step SET status = 'final', forget_at = 9e15 WHERE id <> ?", step.id);
    const rowsRead = (ask: (counted: SqlStorage) => unknown): number => {
      let read = 0;
      const exec: SqlStorage['exec'] = (query, ...bindings) => {
        const cursor = sql.exec(query, ...bindings);
        const rows = cursor.toArray();
        read += cursor.rowsRead;
        return { toArray: () => rows, one: () => rows[0], rowsWritten: cursor.rowsWritten } as never;
      };
      ask({ exec } as SqlStorage);
      return read;
    };
    for (const status of ['waiting', 'unsent', 'sent', 'confirmed']) {
      sql.exec('UPDATE step SET status = ? WHERE id = ?', status, step.id);
      expect(rowsRead((some) => ledger.inFlight(some, network, 'sent', 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.inFlight(some, network, 'confirmed', 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.unsent(some, network, Date.now(), 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.unmined(some))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.unacknowledged(some, network, 0, 10))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.stepsOf(some, passOf(step.id)))).toBeLessThan(5);
      expect(rowsRead((some) => ledger.outcomesOf(some, passOf(step.id)))).toBeLessThan(5);
      expect(rowsRead((sql) => nextDue({ ...signer, storage: { ...signer.storage, sql } }, Date.now()))).toBeLessThan(
        9,
      );
    }
  });
});
