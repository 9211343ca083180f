import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { passIdOf } from '../../../src/pass/step.ts';
import { migrate } from '../../../src/signer-object/schema.ts';
import * as ledger from '../../../src/signer-object/step-table.ts';
import { aStep, sepolia } from '../chain/ethereum/node.ts';

/** Stores of signers that were made by earlier releases. */

const FIRST_RELEASE = `
  CREATE TABLE step (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    gatekeeper_network TEXT NOT NULL,
    wallet TEXT NOT NULL,
    kind TEXT NOT NULL,
    expiry INTEGER,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'unsent', 'sent', 'confirmed', 'final')),
    revision INTEGER NOT NULL,
    standing TEXT NOT NULL,
    not_before INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    misfires INTEGER NOT NULL DEFAULT 0,
    nonce INTEGER,
    signed TEXT,
    place TEXT,
    unacknowledged INTEGER NOT NULL DEFAULT 0,
    forget_at INTEGER
  ) STRICT;
  CREATE INDEX step_waiting ON step (gatekeeper_network, seq) WHERE status = 'waiting';
  CREATE INDEX step_in_flight ON step (status, seq) WHERE status IN ('unsent', 'sent', 'confirmed');
  CREATE UNIQUE INDEX step_unfinished ON step (gatekeeper_network, wallet)
    WHERE kind = 'issue' AND status IN ('waiting', 'unsent', 'sent');
  CREATE UNIQUE INDEX step_nonce ON step (nonce) WHERE nonce IS NOT NULL;
  CREATE INDEX step_unacknowledged ON step (seq) WHERE unacknowledged = 1;
  CREATE INDEX step_forget ON step (forget_at) WHERE forget_at IS NOT NULL;
  CREATE TABLE lane (
    gatekeeper_network TEXT NOT NULL PRIMARY KEY,
    paused_until INTEGER NOT NULL DEFAULT 0,
    pauses INTEGER NOT NULL DEFAULT 0,
    why TEXT
  ) STRICT, WITHOUT ROWID;`;

it('migrates the store of the first release, and keeps what is in it', async () => {
  await runInDurableObject(env.SIGNERS.getByName('of the first release'), async (_, { storage }) => {
    const { sql, kv } = storage;
    await storage.deleteAll();
    sql.exec(FIRST_RELEASE);
    kv.put('schema', 1);
    kv.put('nextNonce', 7);
    const old = aStep({ expiry: 2_000_000_000 });
    const { gatekeeperNetwork, wallet } = old.key;
    const signed = [{ identifier: '0x1', bytes: '0x2' }];
    sql.exec(
      `INSERT INTO step (id, gatekeeper_network, wallet, kind, expiry, status, revision, standing, nonce, signed)
       VALUES (?, ?, ?, 'issue', ?, 'sent', 2, '{"at":"sent","transaction":"0x1"}', 6, ?)`,
      old.id,
      gatekeeperNetwork,
      wallet,
      2_000_000_000,
      JSON.stringify(signed),
    );

    migrate(storage);
    const { network } = sepolia();
    expect(ledger.stepsInFlight(sql, network, 'sent', 10)).toMatchObject([
      { step: { ...old, known: undefined }, answer: { revision: 2, status: { type: 'sent' } }, signed },
    ]);
    expect(kv.get('nextNonce')).toBe(7);
    const fresh = aStep({ known: { state: 'NONE', asOf: 123 } });
    expect(ledger.addSteps(sql, [fresh])).toEqual([fresh]);
    expect(ledger.waitingSteps(sql, network, gatekeeperNetwork, 0, 10)).toMatchObject([
      { step: { id: fresh.id, known: { state: 'NONE', asOf: 123 } } },
    ]);

    // Nothing is done twice.
    migrate(storage);
    expect(ledger.stepsInFlight(sql, network, 'sent', 10)).toHaveLength(1);
  });
});

it('keeps the status of every step in the store of the first release', async () => {
  await runInDurableObject(env.SIGNERS.getByName('of every status'), async (_, { storage }) => {
    const { sql, kv } = storage;
    await storage.deleteAll();
    sql.exec(FIRST_RELEASE);
    kv.put('schema', 1);
    const STATUSES = ['waiting', 'unsent', 'sent', 'confirmed', 'final'];
    const steps = STATUSES.map((status) => ({ status, step: aStep() }));
    for (const { status, step } of steps) {
      const { gatekeeperNetwork, wallet } = step.key;
      sql.exec(
        `INSERT INTO step (id, gatekeeper_network, wallet, kind, status, revision, standing)
         VALUES (?, ?, ?, 'issue', ?, 1, '{"at":"waiting"}')`,
        ...[step.id, gatekeeperNetwork, wallet, status],
      );
    }
    migrate(storage);
    for (const { status, step } of steps) {
      expect(ledger.stepsOf(sql, passIdOf(step.id))).toEqual([{ kind: 'issue', expiry: undefined, status }]);
      // Another issuance for the wallet is taken in only where the first one is over.
      const another = { ...aStep(), key: step.key };
      const isOver = status === 'confirmed' || status === 'final';
      expect(ledger.addSteps(sql, [another]), status).toEqual(isOver ? [another] : []);
    }
    expect(ledger.countUnmined(sql)).toBe(2);
  });
});
