import { FIRST_SHARD } from '../config/shard-name.ts';
import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { inTime } from './patient.ts';
import { shardOf } from './shards.ts';

/** A pass as it is written to the read model. */
export interface Projection {
  readonly key: PassKey;
  /** Which database it is in; none: the first one. */
  readonly shard?: string | undefined;
  readonly id: string;
  readonly state: PassState;
  readonly version: number;
  /** The record as JSON, answered as it stands. */
  readonly record: string;
  /** The version before has the same state: where the row is of that one, no index has to be written. */
  readonly stateStands?: boolean;
}

const INSERT = `
  INSERT INTO passes (gatekeeper_network, wallet, chain, network, id, state, version, record)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
  ON CONFLICT (gatekeeper_network, wallet, chain, network)`;
/** The newer version stays, whichever comes last. A column of an index that is set is a row more, whatever it was before. */
const PROJECT = `${INSERT} DO UPDATE SET state = ?6, version = ?7, record = ?8 WHERE ?7 > version`;
const PROJECT_BESIDE_STATE = `${INSERT} DO UPDATE SET version = ?7, record = ?8 WHERE ?7 > version AND state = ?6`;

/** Who settles passes can wait for the read model, but not for ever: others stand behind them. */
const SLOWEST_MS = 10_000;

/** Writes passes to a database of the read model in one batch. Throws when it does not answer. */
export async function projectPasses(
  db: Pick<D1Database, 'prepare' | 'batch'>,
  projections: readonly Projection[],
): Promise<void> {
  if (projections.length === 0) return;
  const whole = db.prepare(PROJECT);
  const besideState = db.prepare(PROJECT_BESIDE_STATE);
  const write = (statements: D1PreparedStatement[]) => inTime(db.batch(statements), SLOWEST_MS);
  const written = await write(
    projections.map((each) => (each.stateStands ? besideState : whole).bind(...valuesOf(each))),
  );
  // Newer than that, or of another state after all: a version in between has not come here.
  const left = projections.filter(({ stateStands }, index) => stateStands && written[index]?.meta.changes === 0);
  if (left.length > 0) await write(left.map((each) => whole.bind(...valuesOf(each))));
}

function valuesOf({ key, id, state, version, record }: Projection): (string | number)[] {
  return [key.gatekeeperNetwork, key.wallet, key.chain, key.network, id, state, version, record];
}

/** Writes passes to the databases they are in, one batch for each. Throws when one does not answer; the others have theirs. */
export async function projectToShards(env: object, projections: readonly Projection[]): Promise<void> {
  const byShard = Map.groupBy(projections, ({ shard = FIRST_SHARD }) => shard);
  const writes = [...byShard].map(async ([shard, group]) => projectPasses(shardOf(env, shard).db, group));
  for (const write of await Promise.allSettled(writes)) if (write.status === 'rejected') throw write.reason;
}

/** The record of a pass as JSON text; undefined when the read model has none. One row read. */
export async function findPass(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<string | undefined> {
  const row = await db
    .prepare('SELECT record FROM passes WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4')
    .bind(key.gatekeeperNetwork, key.wallet, key.chain, key.network)
    .first<{ record: string }>();
  return row?.record;
}
