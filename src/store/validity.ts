import type { UnixSeconds } from '../lib/units.ts';
import type { PassKey } from '../pass/pass.ts';
import type { PassState } from '../pass/vocabulary.ts';
import { byKey, type PublishedValidity, valuesOf } from './passes.ts';
import type { Writer } from './placements.ts';
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
      AND removed.contract = passes.record ->> 'contract' COLLATE NOCASE
      AND (passes.issued_by IS NULL OR removed.gatekeeper = passes.issued_by))`;
const ROW = byKey(`
    state, on_chain_state AS onChainState, valid_until AS until, record ->> 'contract' AS contract, pending, ${IS_VOID} AS isVoid`);
const VALIDITY = `
  SELECT found.*, (SELECT covered_until FROM coverage WHERE network = ?4) AS coveredUntil
  FROM (SELECT 1) LEFT JOIN (${ROW}) AS found`;

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

/** A gatekeeper of a gatekeeper network, in the contract of its passes. */
export interface KnownGatekeeper {
  readonly gatekeeperNetwork: string;
  readonly network: string;
  readonly gatekeeper: string;
  readonly contract: string;
}

const REMOVE = `
  INSERT INTO removed_gatekeepers (gatekeeper_network, network, gatekeeper, contract, since) VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (gatekeeper_network, network, gatekeeper) DO UPDATE SET contract = excluded.contract
    WHERE contract <> excluded.contract`;
const RETURN = 'DELETE FROM removed_gatekeepers WHERE gatekeeper_network = ?1 AND network = ?2 AND gatekeeper = ?3';

const valuesIn = ({ gatekeeperNetwork, network, gatekeeper }: KnownGatekeeper) => [
  gatekeeperNetwork,
  network,
  gatekeeper,
];

/** Adds a gatekeeper whose removal has voided the tokens that it had issued. `now` in Unix seconds. */
export async function addRemovedGatekeeper(db: Writer, each: KnownGatekeeper, now: UnixSeconds): Promise<void> {
  await db.batch([db.prepare(REMOVE).bind(...valuesIn(each), each.contract, now)]);
}

/** Deletes a gatekeeper whose tokens count again. */
export async function deleteRemovedGatekeeper(db: Writer, each: KnownGatekeeper): Promise<void> {
  await db.batch([db.prepare(RETURN).bind(...valuesIn(each))]);
}

/** A gatekeeper in both tables is found twice. */
const KNOWN = `
  SELECT gatekeeper_network AS gatekeeperNetwork, network, gatekeeper, contract, 0 AS isVoid
    FROM issuers INDEXED BY issuers_by_network
    WHERE network = ?1 AND (gatekeeper_network, gatekeeper) > (?2, ?3)
  UNION ALL SELECT gatekeeper_network, network, gatekeeper, contract, 1
    FROM removed_gatekeepers INDEXED BY removed_gatekeepers_by_network
    WHERE network = ?1 AND (gatekeeper_network, gatekeeper) > (?2, ?3)
  ORDER BY 1, 3 LIMIT ?4`;

/** A gatekeeper in the list. `isVoid`: 1 if its tokens count as void, else 0. */
export type ListedGatekeeper = KnownGatekeeper & { readonly isVoid: number };

/** A place in the list of the gatekeepers of a network. */
export type GatekeeperPlace = Pick<KnownGatekeeper, 'gatekeeperNetwork' | 'gatekeeper'>;

/**
 * Returns the next gatekeepers of a network that have issued tokens of passes, or whose tokens are void, in the order of gatekeeper
 * network and address: also those whose key has left the configuration. Throws if a shard does not answer.
 */
export async function gatekeepersAfter(
  databases: Databases,
  network: string,
  after: GatekeeperPlace | undefined,
  limit: number,
): Promise<ListedGatekeeper[]> {
  const values = [network, after?.gatekeeperNetwork ?? '', after?.gatekeeper ?? '', 2 * limit];
  const { answers, unread, fault } = await askAllShards(databases, (db) =>
    db
      .prepare(KNOWN)
      .bind(...values)
      .all<ListedGatekeeper>(),
  );
  if (unread.length > 0) throw fault;
  const found = answers.flatMap(({ answer }) => answer.results).toSorted((a, b) => a.isVoid - b.isVoid);
  const byName = new Map(found.map((each) => [`${each.gatekeeperNetwork} ${each.gatekeeper}`, each]));
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.slice(0, limit).map(([, each]) => each);
}
