import type { UnixSeconds } from '../lib/brand.ts';
import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { limitHere, STAYS_HERE } from './moved-networks.ts';
import { byKeyAnywhere, type PublishedValidity, valuesOf } from './passes.ts';
import { askAllShards, type Databases } from './shards.ts';

/** A pass is valid by its row and the removed gatekeepers. Beside that, the database says how far the watcher has followed the chain. */

/** The part of a pass that decides whether it is valid. */
export interface Validity extends Omit<PublishedValidity, 'issuedBy'> {
  readonly state: PassState;
  /** The contract of the pass; on Solana, the program. */
  readonly contract: string;
  /** Whether the contract may count its token as void, because the gatekeeper that issued it has been removed. */
  readonly isVoid: boolean;
}

/** The validity of a pass as of one version of its database. */
interface FoundValidity {
  /** Undefined: the read model does not have the pass. */
  readonly validity: Validity | undefined;
  /** Time up to which the watcher has covered the network. Undefined: it never has. */
  readonly coveredUntil: UnixSeconds | undefined;
}

/** Whether the contract may count the token as void, because the gatekeeper that issued it has been removed. */
export const IS_VOID = `
  EXISTS (SELECT 1 FROM removed_gatekeepers AS removed
    WHERE removed.gatekeeper_network = passes.gatekeeper_network AND removed.network = passes.network
      AND (passes.issued_by IS NULL OR removed.gatekeeper = passes.issued_by))`;
const ROW = byKeyAnywhere(`
    state, on_chain_state AS onChainState, valid_until AS until, record ->> 'contract' AS contract, pending, ${IS_VOID} AS isVoid`);
const VALIDITY = `
  SELECT found.*, (SELECT covered_until FROM coverage WHERE network = ?4) AS coveredUntil
  FROM (SELECT 1) LEFT JOIN (${ROW}) AS found LIMIT ${limitHere('1')}`;

type ValidityRow = Omit<Validity, 'state' | 'isPending' | 'isVoid'> & {
  readonly state: PassState | null;
  readonly pending: number;
  readonly isVoid: number;
  readonly coveredUntil: UnixSeconds | null;
};

/** Returns the validity of a pass and the coverage of its network from one version of the database. Reads two rows. */
export async function findValidity(db: Pick<D1Database, 'prepare'>, key: PassKey): Promise<FoundValidity> {
  const row = await db
    .prepare(VALIDITY)
    .bind(...valuesOf(key))
    .first<ValidityRow>();
  if (row === null) throw new Error('the database returned no row');
  const { state, onChainState, until, contract, pending, isVoid, coveredUntil } = row;
  return {
    validity:
      state === null
        ? undefined
        : { state, onChainState, until, contract, isPending: pending === 1, isVoid: isVoid === 1 },
    coveredUntil: coveredUntil ?? undefined,
  };
}

const COVER = `
  INSERT INTO coverage (network, covered_until) VALUES (?1, ?2)
  ON CONFLICT (network) DO UPDATE SET covered_until = excluded.covered_until`;

/** Records in every shard that the watcher has covered the network up to that time. Throws if a shard does not answer. */
export async function storeCoverage(databases: Databases, network: string, until: UnixSeconds): Promise<void> {
  const { unread, fault } = await askAllShards(databases, (db) => db.prepare(COVER).bind(network, until).run());
  if (unread.length > 0) throw fault;
}

/** A gatekeeper whose removal has voided the tokens that it had issued in a gatekeeper network. */
export interface RemovedGatekeeper {
  readonly gatekeeperNetwork: string;
  readonly network: string;
  readonly gatekeeper: string;
}

const REMOVE = `
  INSERT INTO removed_gatekeepers (gatekeeper_network, network, gatekeeper, since) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT DO NOTHING`;
const RETURN = 'DELETE FROM removed_gatekeepers WHERE gatekeeper_network = ?1 AND network = ?2 AND gatekeeper = ?3';

/** Adds a removed gatekeeper. `now` in Unix seconds. */
export async function addRemovedGatekeeper(db: D1Database, each: RemovedGatekeeper, now: UnixSeconds): Promise<void> {
  await db.prepare(REMOVE).bind(each.gatekeeperNetwork, each.network, each.gatekeeper, now).run();
}

/** Deletes a gatekeeper that has its role again. */
export async function deleteRemovedGatekeeper(db: D1Database, each: RemovedGatekeeper): Promise<void> {
  const remove = db.prepare(RETURN).bind(each.gatekeeperNetwork, each.network, each.gatekeeper);
  await db.batch([db.prepare(STAYS_HERE).bind(each.gatekeeperNetwork), remove]);
}
