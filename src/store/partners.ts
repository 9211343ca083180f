import { waitUntil } from 'cloudflare:workers';
import * as v from 'valibot';
import { PUBLIC_NETWORKS_MAX } from '../config/bindings.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { DAY_MS, MINUTE_MS, type Milliseconds } from '../lib/units.ts';
import type { Contracts } from '../network/network.ts';
import { SANDBOX_MARK } from '../network/sandbox.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { SubjectRules } from '../pass/subject-changes.ts';
import { noteShard } from './placements.ts';

/** A registered OAuth client that calls the API. */
export interface Partner {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  /** The contract of its gatekeeper network, by network. A network is absent until the first issuance or the operator chooses it. */
  readonly contracts: Contracts;
  /** The rules of its gatekeeper network. */
  readonly rules: SubjectRules;
  /** Names of the networks it may issue on; undefined: all. */
  readonly networks?: readonly string[] | undefined;
  /** Validity of its new passes in seconds; undefined: they do not expire. */
  readonly passLifetime?: number | undefined;
  /** Quota of issuances per day (UTC); undefined: unlimited. */
  readonly dailyIssuances?: number | undefined;
  /** Quota of changes per day (UTC); undefined: unlimited. */
  readonly dailyChanges?: number | undefined;
  readonly suspended: boolean;
}

interface Row {
  client_id: string;
  name: string;
  gatekeeper_network: string;
  shard: string;
  contracts: string;
  rules: string;
  networks: string | null;
  pass_lifetime_seconds: number | null;
  daily_issuances: number | null;
  daily_changes: number | null;
  status: string;
}

const Networks = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

const ContractsText = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

const COLUMNS =
  'client_id, name, gatekeeper_network, shard, contracts, rules, networks, pass_lifetime_seconds, daily_issuances, ' +
  'daily_changes, status';

const findBy = (column: string) =>
  `SELECT ${COLUMNS} FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network WHERE ${column} = ?`;

const FIND = { client: findBy('client_id'), organization: findBy('organization') } as const;

/** How a token names a partner: by its OAuth client, or by the organization of a person. */
export type PartnerNameType = keyof typeof FIND;

/**
 * Reads two rows: the partner and its gatekeeper network. Returns a fault if they cannot be parsed, because memory must not serve an
 * older row then: the new one may be the suspension.
 */
async function readPartner(db: D1Database, type: PartnerNameType, name: string, onMeta: OnMeta): Promise<Known> {
  const { results, meta } = await db.prepare(FIND[type]).bind(name).all<Row>();
  onMeta(meta);
  const [row] = results;
  if (row !== undefined) noteShard(row.gatekeeper_network, row.shard);
  try {
    return partnerOfRow(row);
  } catch (fault) {
    return { fault };
  }
}

/** Receives D1's metadata of an answer. */
type OnMeta = (meta: D1Meta) => void;

function partnerOfRow(row: Row | undefined): Partner | undefined {
  if (row === undefined) return undefined;
  return {
    clientId: row.client_id,
    name: row.name,
    gatekeeperNetwork: row.gatekeeper_network as GatekeeperNetwork,
    contracts: v.parse(ContractsText, row.contracts),
    rules: JSON.parse(row.rules),
    networks: row.networks === null ? undefined : v.parse(Networks, row.networks),
    passLifetime: row.pass_lifetime_seconds ?? undefined,
    dailyIssuances: row.daily_issuances ?? undefined,
    dailyChanges: row.daily_changes ?? undefined,
    suspended: row.status !== 'active',
  };
}

/** Undefined: there is no such partner. */
type Known = Partner | { readonly fault: unknown } | undefined;

const AGES = { freshMs: MINUTE_MS, usableMs: DAY_MS };
const knownPartners = new WeakMap<D1Database, Map<string, FreshValue<Known>>>();

/**
 * Returns the partner, from memory for up to 60 s: a suspension takes effect within that time. It does not remember unknown
 * names, so a new registration works at once.
 *
 * While the database does not answer, the last known row serves for up to a day. That does not weaken suspension: the operator
 * writes it to the same database, and every request asks that database again, so it counts from the first answer. Throws if the
 * database does not answer and no row is known.
 */
export async function findPartner(
  db: D1Database,
  type: PartnerNameType,
  name: string,
  now: Milliseconds,
  onMeta: OnMeta = () => {},
): Promise<Partner | undefined> {
  const memory = knownPartners.get(db) ?? new Map<string, FreshValue<Known>>();
  knownPartners.set(db, memory);
  const key = `${type}/${name}`;
  const known = memory.get(key) ?? new FreshValue<Known>(AGES, waitUntil);
  const partner = await known.get(() => readPartner(db, type, name, onMeta), now);
  if (partner === undefined) memory.delete(key);
  else memory.set(key, known);
  if (partner !== undefined && 'fault' in partner) throw partner.fault;
  return partner;
}

/** Returns the ids of the suspended clients. */
export async function findSuspendedClients(db: D1Database): Promise<string[]> {
  const query = "SELECT client_id AS id FROM partners WHERE status = 'suspended'";
  const { results } = await db.prepare(query).all<{ id: string }>();
  return results.map(({ id }) => id);
}

const ACTIVE = `
  SELECT 1 FROM partners INDEXED BY partners_by_gatekeeper_network
  WHERE gatekeeper_network = ?1 AND status = 'active' AND client_id NOT IN (SELECT value FROM json_each(?2)) LIMIT 1`;

/** Whether a partner of the gatekeeper network is not suspended, also not by the configuration. */
export async function hasActivePartner(
  db: D1Database,
  gatekeeperNetwork: string,
  suspendedClients: readonly string[],
): Promise<boolean> {
  return (await db.prepare(ACTIVE).bind(gatekeeperNetwork, JSON.stringify(suspendedClients)).first()) !== null;
}

/** Reads only the rows that it returns. */
const PUBLIC = `
  SELECT key AS gatekeeperNetwork, shard, contracts FROM gatekeeper_networks INDEXED BY gatekeeper_networks_public
  WHERE public_verify = 1 LIMIT ${PUBLIC_NETWORKS_MAX}`;

/** A gatekeeper network with public checks. */
interface PublicNetwork {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly contracts: Contracts;
}

const knownNetworks = new WeakMap<D1Database, FreshValue<ReadonlyMap<string, PublicNetwork>>>();

/**
 * Returns a gatekeeper network with public checks; undefined for any other text. It knows the whole list for 60 s, so a key
 * that is not in it costs no query, however many such keys are sent. While the database does not answer, the last known list
 * serves for up to a day. Throws if the database does not answer and no list is known.
 */
export async function findPublicNetwork(
  db: D1Database,
  key: string,
  now: Milliseconds,
): Promise<PublicNetwork | undefined> {
  const known = knownNetworks.get(db) ?? new FreshValue<ReadonlyMap<string, PublicNetwork>>(AGES, waitUntil);
  knownNetworks.set(db, known);
  return (await known.get(() => readNetworks(db), now)).get(key);
}

async function readNetworks(db: D1Database): Promise<ReadonlyMap<string, PublicNetwork>> {
  const { results } = await db
    .prepare(PUBLIC)
    .all<Omit<PublicNetwork, 'contracts'> & { shard: string; contracts: string }>();
  return new Map(
    results.map(({ shard, gatekeeperNetwork, contracts }) => {
      noteShard(gatekeeperNetwork, shard);
      return [gatekeeperNetwork, { gatekeeperNetwork, contracts: v.parse(ContractsText, contracts) }];
    }),
  );
}

/** The names under which a token finds a partner. */
interface NamedPartner {
  readonly clientId: string;
  readonly organization: string | null;
}

/** Forgets the rows in memory of these partners, or of all, so that this isolate reads them again. */
export function forgetPartners(db: D1Database, partners?: readonly NamedPartner[]): void {
  if (partners === undefined) {
    knownPartners.delete(db);
    knownNetworks.delete(db);
    return;
  }
  for (const { clientId, organization } of partners)
    for (const key of [`client/${clientId}`, `organization/${organization}`]) knownPartners.get(db)?.delete(key);
}

/** Forgets the list of gatekeeper networks with public checks. */
export const forgetPublicNetworks = (db: D1Database): boolean => knownNetworks.delete(db);

/** Whether a column with the key of a gatekeeper network has that of a sandbox. */
export const isInSandbox = (column: string): string => `${column} GLOB '${SANDBOX_MARK}*'`;

/** A gatekeeper network, and its OAuth clients. */
export interface ClientsOfNetwork {
  readonly key: string;
  readonly clients: readonly { readonly id: string; readonly name: string }[];
}

const NETWORKS = `
  SELECT key,
    (SELECT json_group_array(json_object('id', client_id, 'name', name))
      FROM partners INDEXED BY partners_by_gatekeeper_network WHERE gatekeeper_network = key) AS clients
  FROM gatekeeper_networks NOT INDEXED WHERE key > ?1 AND NOT ${isInSandbox('key')} ORDER BY key LIMIT ?2`;

/** Returns a page of gatekeeper networks in their order, without sandboxes. */
export async function networksAfter(db: D1Database, after: string, limit: number): Promise<ClientsOfNetwork[]> {
  const { results } = await db
    .prepare(NETWORKS)
    .bind(after, limit)
    .all<Omit<ClientsOfNetwork, 'clients'> & { clients: string }>();
  return results.map(({ clients, ...network }) => ({ ...network, clients: JSON.parse(clients) }));
}

/** Reads no row. D1 reports the size of the database with every answer. */
export const READ_NOTHING = "SELECT key FROM gatekeeper_networks WHERE key = ''";

const CONTRACTS = `
  SELECT contracts ->> ?1 AS contract FROM gatekeeper_networks NOT INDEXED
  WHERE key > '' AND NOT ${isInSandbox('key')} AND contracts ->> ?1 IS NOT NULL`;

const knownContracts = new WeakMap<D1Database, Map<string, FreshValue<readonly string[]>>>();

/** Returns the contracts of all gatekeeper networks on that network, from memory for up to 60 s. Reads every row. No node has those of sandboxes. */
export async function findContracts(db: D1Database, network: string, now: Milliseconds): Promise<readonly string[]> {
  const memory = knownContracts.get(db) ?? new Map<string, FreshValue<readonly string[]>>();
  knownContracts.set(db, memory);
  const known = memory.get(network) ?? new FreshValue<readonly string[]>(AGES, waitUntil);
  memory.set(network, known);
  return known.get(async () => {
    const { results } = await db.prepare(CONTRACTS).bind(network).all<{ contract: string }>();
    return [...new Set(results.map(({ contract }) => contract))];
  }, now);
}

const OWNERS = 'SELECT key, shard, contracts FROM gatekeeper_networks WHERE key IN (SELECT value FROM json_each(?1))';

/** A gatekeeper network and its contracts. */
export type Owner = Pick<Partner, 'gatekeeperNetwork' | 'contracts'>;

type OwnerRow = Pick<Row, 'shard' | 'contracts'> & { readonly key: GatekeeperNetwork };

/** Returns those of the gatekeeper networks that have a row, by their keys. */
export async function findOwners(db: D1Database, keys: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
  if (keys.length === 0) return new Map();
  const { results } = await db.prepare(OWNERS).bind(JSON.stringify(keys)).all<OwnerRow>();
  return new Map(
    results.map(({ key, shard, contracts }) => {
      noteShard(key, shard);
      return [key, { gatekeeperNetwork: key, contracts: v.parse(ContractsText, contracts) }];
    }),
  );
}

/** Returns a gatekeeper network; undefined if it has no row. */
export const findOwner = async (db: D1Database, key: GatekeeperNetwork): Promise<Owner | undefined> =>
  (await findOwners(db, [key])).get(key);
