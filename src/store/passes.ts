import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { inTime } from './patient.ts';

/** A pass as it is written to the read model. */
export interface Projection {
  readonly key: PassKey;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  /** The record as JSON, answered as it stands. */
  readonly record: string;
}

/**
 * The newer version stays, whichever comes last. The id of a pass never changes, and setting it would write every index.
 */
const PROJECT = `
  INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, version, record)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (gatekeeper_network, wallet, chain, network)
  DO UPDATE SET state = ?6, version = ?7, record = ?8 WHERE ?7 > version`;

/** Who settles passes can wait for the read model, but not for ever: others stand behind them. */
const SLOWEST_MS = 10_000;

/** Writes passes to the read model in one batch. Throws when the database does not answer. */
export async function projectPasses(db: D1Database, projections: readonly Projection[]): Promise<void> {
  if (projections.length === 0) return;
  const statement = db.prepare(PROJECT);
  const rows = projections.map(({ key, id, state, version, record }) =>
    statement.bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network, id, state, version, record),
  );
  await inTime(db.batch(rows), SLOWEST_MS);
}

/** The record of a pass as JSON text; undefined when the read model has none. One row read. */
export async function findPass(db: D1Database, key: PassKey): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT record FROM passes WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4')
    .bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network)
    .first<{ record: string }>();
  return row?.record;
}
