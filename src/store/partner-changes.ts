import { PUBLIC_NETWORKS_MAX } from '../config/bindings.ts';
import type { PassKey } from '../pass/pass.ts';
import type { SubjectRules } from '../pass/subject-changes.ts';
import type { NetworkRecord, PartnerRecord } from './partner-record.ts';
import { forgetPartners, forgetPublicNetworks, isInSandbox } from './partners.ts';

/** All changes of partners and gatekeeper networks. */

/** The settings that a change of a partner may have, and their columns. An absent setting stays. */
const SETTINGS = {
  name: 'name',
  networks: 'networks',
  passLifetime: 'pass_lifetime_seconds',
  dailyIssuances: 'daily_issuances',
  dailyChanges: 'daily_changes',
  organization: 'organization',
  status: 'status',
} as const;
export type PartnerChange = { readonly [name in keyof typeof SETTINGS]?: PartnerRecord[name] | undefined };

export type NewPartner = PartnerChange &
  Pick<PartnerRecord, 'clientId' | 'name' | 'gatekeeperNetwork'> & {
    /** Absent: the shard that already has its passes, or the first one. */
    readonly shard?: string | undefined;
    /** In addition to the contracts that its gatekeeper network already has. */
    readonly contracts?: Readonly<Record<string, string | undefined>> | undefined;
  };

/** Why a partner cannot be stored. */
export type PartnerConflict = 'partner_exists' | 'organization_taken' | PlacementConflict;
/** The passes of a gatekeeper network stay in their shard and their contract. */
type PlacementConflict = 'shard_differs' | 'contract_differs';
/** No client leaves or enters a sandbox. A gatekeeper network may have moved since the export, so it keeps the shard that it has. */
type ImportConflict = 'contract_differs' | 'sandbox_differs';

const OF_NETWORK =
  `'gatekeeperNetwork', key, 'sandbox', json(iif(${isInSandbox('key')}, 'true', 'false')), 'shard', shard, ` +
  "'contracts', json(contracts), 'rules', json(rules), 'publicVerify', json(iif(public_verify = 1, 'true', 'false'))";
const OF_PARTNER =
  "'clientId', client_id, 'name', name, 'networks', json(networks), 'passLifetime', pass_lifetime_seconds, " +
  "'dailyIssuances', daily_issuances, 'dailyChanges', daily_changes, 'organization', organization, 'status', status, " +
  "'createdAt', created_at";

const PARTNER = `
  SELECT json_object(${OF_PARTNER}, ${OF_NETWORK}) AS record
  FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network`;
const FIND_PARTNER = `${PARTNER} WHERE client_id = ?1`;
const LIST_PARTNERS = `${PARTNER} WHERE client_id > ?1 ORDER BY client_id LIMIT ?2`;
const FIND_NETWORK = `SELECT json_object(${OF_NETWORK}) AS record FROM gatekeeper_networks WHERE key = ?1`;

const recordsIn = <T>({ results }: D1Result): T[] =>
  (results as { record: string }[]).map(({ record }) => JSON.parse(record));

const conflictIn = <T>({ results }: D1Result): T | undefined =>
  (results as { conflict: T | null }[])[0]?.conflict ?? undefined;

/** Returns a page of partners in the order of their client ids. */
export async function partnersAfter(db: D1Database, after: string, limit: number): Promise<PartnerRecord[]> {
  return recordsIn(await db.prepare(LIST_PARTNERS).bind(after, limit).all());
}

export async function findRegistration(db: D1Database, clientId: string): Promise<PartnerRecord | undefined> {
  return recordsIn<PartnerRecord>(await db.prepare(FIND_PARTNER).bind(clientId).all())[0];
}

/** The conflicts of gatekeeper networks, of which ?1 is JSON: their rows, in which some columns may be absent. */
const SHARD_DIFFERS = `
  WHEN EXISTS (
    SELECT 1 FROM json_each(?1) AS given JOIN gatekeeper_networks AS stored ON stored.key = given.value ->> 'key'
    WHERE shard <> given.value ->> 'shard'
  ) THEN 'shard_differs'`;
const CONTRACT_DIFFERS = `
  WHEN EXISTS (
    SELECT 1 FROM json_each(?1) AS given JOIN gatekeeper_networks AS stored ON stored.key = given.value ->> 'key',
      json_each(contracts) AS chosen, json_each(given.value, '$.contracts') AS named
    WHERE chosen.key = named.key AND chosen.value <> named.value
  ) THEN 'contract_differs'`;

/** Adds gatekeeper networks and contracts. An absent shard, switch of public checks or list of rules is the one that is stored. */
const addNetworks = (conflict: string) => `
  INSERT INTO gatekeeper_networks (key, shard, contracts, public_verify, rules)
  SELECT value ->> 'key', coalesce(value ->> 'shard', stored.shard, 'DB'), value ->> 'contracts',
    coalesce(value ->> 'public_verify', stored.public_verify, 0), coalesce(value ->> 'rules', stored.rules, '{}')
  FROM json_each(?1) LEFT JOIN gatekeeper_networks AS stored ON stored.key = value ->> 'key'
  WHERE (${conflict}) IS NULL
  ON CONFLICT (key) DO UPDATE SET
    contracts = json_patch(contracts, excluded.contracts), public_verify = excluded.public_verify, rules = excluded.rules`;

/** The conflict of a new partner, of which ?2 is JSON. */
const CONFLICT = `CASE
  WHEN EXISTS (SELECT 1 FROM partners WHERE client_id = ?2 ->> '$.clientId') THEN 'partner_exists'
  WHEN EXISTS (SELECT 1 FROM partners WHERE organization = ?2 ->> '$.organization') THEN 'organization_taken' ${SHARD_DIFFERS} ${CONTRACT_DIFFERS} END`;

const given = Object.keys(SETTINGS).map((name) => (name === 'status' ? "'active'" : `?2 ->> '$.${name}'`));
const ADD_PARTNER = `
  INSERT INTO partners (client_id, gatekeeper_network, ${Object.values(SETTINGS).join(', ')})
  SELECT ?2 ->> '$.clientId', ?2 ->> '$.gatekeeperNetwork', ${given.join(', ')} WHERE (${CONFLICT}) IS NULL`;

/** Adds a partner and, if it is new, its gatekeeper network, or returns why it changes nothing. */
export async function addPartner(db: D1Database, partner: NewPartner): Promise<PartnerRecord | PartnerConflict> {
  const { clientId, gatekeeperNetwork: key, shard, contracts = {} } = partner;
  const both = [JSON.stringify([{ key, shard, contracts }]), JSON.stringify(partner)];
  const [checked, , , added] = await db.batch([
    db.prepare(`SELECT ${CONFLICT} AS conflict`).bind(...both),
    db.prepare(addNetworks(CONFLICT)).bind(...both),
    db.prepare(ADD_PARTNER).bind(...both),
    db.prepare(FIND_PARTNER).bind(clientId),
  ]);
  const conflict = conflictIn<PartnerConflict>(checked as D1Result);
  const [record] = recordsIn<PartnerRecord>(added as D1Result);
  if (conflict !== undefined || record === undefined) return conflict ?? 'partner_exists';
  forgetPartners(db, [record]);
  return record;
}

/** A change with the rows before and after it. */
export interface Changed<T> {
  readonly before: T;
  readonly after: T;
}

const changed = Object.entries(SETTINGS).map(
  ([name, column]) => `${column} = iif(json_type(?2, '$.${name}') IS NULL, ${column}, ?2 ->> '$.${name}')`,
);
const CHANGE_PARTNER = `
  UPDATE partners SET ${changed.join(', ')} WHERE client_id = ?1
  AND NOT EXISTS (SELECT 1 FROM partners WHERE organization = ?2 ->> '$.organization' AND client_id <> ?1)`;

/** Changes settings of a partner. Undefined: no client has that id. */
export async function changePartner(
  db: D1Database,
  clientId: string,
  change: PartnerChange,
): Promise<Changed<PartnerRecord> | 'organization_taken' | undefined> {
  const rows = await changeRow<PartnerRecord>(db, FIND_PARTNER, CHANGE_PARTNER, clientId, JSON.stringify(change));
  if (rows === undefined) return undefined;
  const { organization } = change;
  if (organization && rows.after.organization !== organization) return 'organization_taken';
  forgetPartners(db, [rows.before, rows.after]);
  return rows;
}

const SWITCH_PUBLIC = `
  UPDATE gatekeeper_networks SET public_verify = ?2 WHERE key = ?1 AND (?2 = 0 OR public_verify = 1
    OR (SELECT count(*) FROM gatekeeper_networks WHERE public_verify = 1) < ${PUBLIC_NETWORKS_MAX})`;

/** Switches the public checks of a gatekeeper network. Undefined: no partner has it. */
export async function switchPublicChecks(
  db: D1Database,
  key: string,
  isPublic: boolean,
): Promise<Changed<NetworkRecord> | 'public_networks_limit_reached' | undefined> {
  const rows = await changeRow<NetworkRecord>(db, FIND_NETWORK, SWITCH_PUBLIC, key, Number(isPublic));
  if (rows !== undefined && rows.after.publicVerify !== isPublic) return 'public_networks_limit_reached';
  forgetPublicNetworks(db);
  return rows;
}

/** A change of the rules of a gatekeeper network. An absent rule stays, and null ends it. */
export type RulesChange = { readonly [name in keyof SubjectRules]?: SubjectRules[name] | null };

const CHANGE_RULES = 'UPDATE gatekeeper_networks SET rules = json_patch(rules, ?2) WHERE key = ?1';

/** Changes the rules of a gatekeeper network. Undefined: no partner has it. Other isolates follow within 60 s. */
export async function changeRules(
  db: D1Database,
  key: string,
  change: RulesChange,
): Promise<Changed<NetworkRecord> | undefined> {
  const rows = await changeRow<NetworkRecord>(db, FIND_NETWORK, CHANGE_RULES, key, JSON.stringify(change));
  forgetPartners(db);
  return rows;
}

const READ_RULES = 'SELECT rules FROM gatekeeper_networks WHERE key = ?1';

/** Returns the rules of a gatekeeper network. */
export async function findRules(db: D1Database, key: string): Promise<SubjectRules> {
  return JSON.parse((await db.prepare(READ_RULES).bind(key).first<string>('rules')) ?? '{}');
}

/** Runs a change between two readings of its row, as one transaction. */
async function changeRow<T>(db: D1Database, find: string, change: string, key: string, value: unknown) {
  const read = db.prepare(find).bind(key);
  const [before, , after] = await db.batch([read, db.prepare(change).bind(key, value), read]);
  const [[first], [last]] = [recordsIn<T>(before as D1Result), recordsIn<T>(after as D1Result)];
  return first === undefined || last === undefined ? undefined : { before: first, after: last };
}

/** Returns the number of the moves of a gatekeeper network; undefined if it is not in that shard. */
export const countMoves = async (db: D1Database, key: string, shard: string): Promise<number | undefined> =>
  (await db
    .prepare('SELECT moves FROM gatekeeper_networks WHERE key = ?1 AND shard = ?2')
    .bind(key, shard)
    .first<number>('moves')) ?? undefined;

/** Names the shard to which a gatekeeper network has moved. A statement that is repeated or late, after a later move, changes nothing. */
export const changeShard = (db: D1Database, key: string, moves: number, from: string, to: string): Promise<unknown> =>
  db
    .prepare(
      'UPDATE gatekeeper_networks SET shard = ?4, moves = moves + 1 WHERE key = ?1 AND moves = ?2 AND shard = ?3',
    )
    .bind(key, moves, from, to)
    .run();

/** The rows of partners and of their gatekeeper networks, as an export has them. */
export interface PartnerRows {
  readonly gatekeeper_networks: readonly ExportedRow<(typeof NETWORK_COLUMNS)[number]>[];
  readonly partners: readonly ExportedRow<(typeof PARTNER_COLUMNS)[number]>[];
}
/** An export of an earlier release has no rules. */
type ExportedRow<Column extends string> = { readonly [name in Column]?: string | number | null | undefined };

const NETWORK_COLUMNS = ['key', 'shard', 'contracts', 'public_verify', 'rules'] as const;
const PARTNER_COLUMNS = [
  ...(['client_id', 'name', 'gatekeeper_network', 'networks', 'pass_lifetime_seconds', 'daily_issuances'] as const),
  ...(['daily_changes', 'organization', 'status', 'created_at'] as const),
] as const;

const EXPORT_PARTNERS = `
  SELECT ${PARTNER_COLUMNS.join(', ')} FROM partners WHERE client_id > ?1 ORDER BY client_id LIMIT ?2`;
const EXPORT_NETWORKS = `
  SELECT ${NETWORK_COLUMNS.join(', ')} FROM gatekeeper_networks
  WHERE key IN (SELECT gatekeeper_network FROM (${EXPORT_PARTNERS}))`;

/** Returns the rows of a page of partners, with their gatekeeper networks. */
export async function exportPartners(db: D1Database, after: string, limit: number): Promise<PartnerRows> {
  const [partners, networks] = await db.batch(
    [EXPORT_PARTNERS, EXPORT_NETWORKS].map((sql) => db.prepare(sql).bind(after, limit)),
  );
  return { gatekeeper_networks: networks?.results, partners: partners?.results } as unknown as PartnerRows;
}

/** Also finds the partners that have an organization of the rows. */
const FIND_PARTNERS = `${PARTNER}
  WHERE client_id IN (SELECT value ->> 'client_id' FROM json_each(?1))
    OR organization IN (SELECT value ->> 'organization' FROM json_each(?1))`;
/** The conflict of an import, of which ?2 is JSON: its rows of partners. */
const IMPORT_CONFLICT = `CASE
  WHEN EXISTS (
    SELECT 1 FROM json_each(?2) JOIN partners ON client_id = value ->> 'client_id'
    WHERE ${isInSandbox('gatekeeper_network')} <> (${isInSandbox("value ->> 'gatekeeper_network'")})
  ) THEN 'sandbox_differs' ${CONTRACT_DIFFERS} END`;
const FREE_ORGANIZATIONS = `
  UPDATE partners SET organization = NULL
  WHERE organization IN (SELECT value ->> 'organization' FROM json_each(?2)) AND (${IMPORT_CONFLICT}) IS NULL`;
const IMPORT_PARTNERS = `
  INSERT INTO partners (${PARTNER_COLUMNS.join(', ')})
  SELECT ${PARTNER_COLUMNS.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(?2)
  WHERE (${IMPORT_CONFLICT}) IS NULL
  ON CONFLICT (client_id) DO UPDATE SET ${PARTNER_COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`;

/**
 * Adds and overwrites partners, all or none, and returns them before and after. The organizations of the rows leave the partners that
 * have them now, because two partners cannot have the same one.
 */
export async function importPartners(
  db: D1Database,
  { gatekeeper_networks, partners }: PartnerRows,
): Promise<Changed<PartnerRecord[]> | ImportConflict> {
  const parsed = gatekeeper_networks.map((row) => ({ ...row, contracts: JSON.parse(String(row.contracts)) }));
  const [networks, rows] = [JSON.stringify(parsed), JSON.stringify(partners)];
  const find = db.prepare(FIND_PARTNERS).bind(rows);
  const [checked, before, , , , after] = await db.batch([
    db.prepare(`SELECT ${IMPORT_CONFLICT} AS conflict`).bind(networks, rows),
    find,
    db.prepare(FREE_ORGANIZATIONS).bind(networks, rows),
    db.prepare(addNetworks(IMPORT_CONFLICT)).bind(networks, rows),
    db.prepare(IMPORT_PARTNERS).bind(networks, rows),
    find,
  ]);
  const conflict = conflictIn<ImportConflict>(checked as D1Result);
  if (conflict !== undefined) return conflict;
  const [first, last] = [recordsIn<PartnerRecord>(before as D1Result), recordsIn<PartnerRecord>(after as D1Result)];
  const found = new Set(last.map(({ clientId }) => clientId));
  // The second reading finds no partner that has lost its organization.
  const without = first.filter(({ clientId }) => !found.has(clientId)).map((each) => ({ ...each, organization: null }));
  return { before: first, after: [...last, ...without] };
}

/** A client with the rights that it gets. An absent organization or status stays. */
export interface GivenRights {
  readonly client_id: string;
  readonly gatekeeper_network: string;
  readonly organization?: string | null | undefined;
  readonly status?: string | undefined;
}

const GIVES_RIGHTS = `
  SELECT count(*) AS n FROM json_each(?1) AS given
  JOIN gatekeeper_networks AS network
    ON network.key = given.value ->> '$.gatekeeper_network' AND NOT ${isInSandbox('network.key')}
  LEFT JOIN partners ON client_id = given.value ->> '$.client_id'
  WHERE client_id IS NULL OR gatekeeper_network <> network.key
    OR (status <> 'active' AND given.value ->> '$.status' = 'active')
    OR coalesce(organization, '') <> coalesce(given.value ->> '$.organization', organization, '')`;

/** Counts the clients that would get rights over passes that may exist, because their gatekeeper network has a row. */
export async function countGivenRights(db: D1Database, clients: readonly GivenRights[]): Promise<number> {
  return (await db.prepare(GIVES_RIGHTS).bind(JSON.stringify(clients)).first<number>('n')) ?? 0;
}

const CHOOSE = `
  UPDATE gatekeeper_networks SET contracts = json_insert(contracts, '$.' || ?2, ?3) WHERE key = ?1
  RETURNING contracts ->> ?2 AS contract`;

const choose = (db: D1Database, ...choice: readonly [gatekeeperNetwork: string, network: string, contract: string]) =>
  db.prepare(CHOOSE).bind(...choice);

const chosenContracts = new WeakMap<D1Database, Map<string, string>>();

/**
 * Returns the contract of the gatekeeper network on that network. If there is none yet, the given one is stored, and never
 * changes. The isolate remembers it, so that issuances cost no statement while a row in memory lacks it.
 */
export async function chooseContract(
  db: D1Database,
  gatekeeperNetwork: string,
  network: string,
  contract: string,
): Promise<string> {
  const memory = chosenContracts.get(db) ?? new Map<string, string>();
  chosenContracts.set(db, memory);
  const name = `${gatekeeperNetwork}/${network}`;
  const known = memory.get(name);
  if (known !== undefined) return known;
  const row = await choose(db, gatekeeperNetwork, network, contract).first<{ contract: string }>();
  if (row === null) throw new Error(`the gatekeeper network ${gatekeeperNetwork} has no row`);
  memory.set(name, row.contract);
  return row.contract;
}

/** A pass and its contract, or on Solana the program. */
interface PlacedPass {
  readonly publication: { readonly key: PassKey };
  readonly contract: string;
}

/** Adds the contracts of these passes to their gatekeeper networks: a restored database may be older than the choice. */
export async function restoreContracts(db: D1Database, passes: readonly PlacedPass[]): Promise<void> {
  const placed = passes.flatMap(({ publication: { key }, contract }) =>
    key.chain === 'solana' ? [] : [[key.gatekeeperNetwork, key.network, contract] as const],
  );
  const chosen = [...new Map(placed.map((each) => [each.join(), each])).values()];
  if (chosen.length > 0) await db.batch(chosen.map((each) => choose(db, ...each)));
}
