import * as v from 'valibot';
import type { Milliseconds } from '../lib/brand.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';

/** Who calls: what is registered for an OAuth client. */
export interface Partner {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  /** Name of the database that its passes are in. */
  readonly shard: string;
  /** Names of the networks it may issue on; undefined: all. */
  readonly networks?: readonly string[] | undefined;
  /** Seconds its new passes live; undefined: they do not expire. */
  readonly passLifetime?: number | undefined;
  /** How many passes it may issue in a day (UTC); undefined: as many as it wants. */
  readonly dailyIssuances?: number | undefined;
  /** How many changes it may request in a day (UTC); undefined: as many as it wants. */
  readonly dailyChanges?: number | undefined;
  readonly suspended: boolean;
}

interface Row {
  name: string;
  gatekeeper_network: string;
  shard: string;
  networks: string | null;
  pass_lifetime_seconds: number | null;
  daily_issuances: number | null;
  daily_changes: number | null;
  status: string;
}

const Networks = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

const FIND = `
  SELECT name, gatekeeper_network, shard, networks, pass_lifetime_seconds, daily_issuances, daily_changes, status
  FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network WHERE client_id = ?`;

/** Reads two rows: the partner and its gatekeeper network. */
async function readRow(db: D1Database, clientId: string, onMeta: OnMeta): Promise<Row | null> {
  const { results, meta } = await db.prepare(FIND).bind(clientId).all<Row>();
  onMeta(meta);
  return results[0] ?? null;
}

/** Takes what D1 reports of the database with an answer. */
type OnMeta = (meta: D1Meta) => void;

function partnerOfRow(row: Row | null, clientId: string): Partner | undefined {
  if (row === null) return undefined;
  return {
    clientId,
    name: row.name,
    gatekeeperNetwork: row.gatekeeper_network as GatekeeperNetwork,
    shard: row.shard,
    networks: row.networks === null ? undefined : v.parse(Networks, row.networks),
    passLifetime: row.pass_lifetime_seconds ?? undefined,
    dailyIssuances: row.daily_issuances ?? undefined,
    dailyChanges: row.daily_changes ?? undefined,
    suspended: row.status !== 'active',
  };
}

interface Known {
  readonly partner: Partner;
  /** When its row was read (ms). */
  readonly readAt: Milliseconds;
}

const FRESH_MS = 60_000;
const USABLE_MS = 24 * 3_600_000;
const knownPartners = new WeakMap<D1Database, Map<string, Known>>();

/**
 * The partner, from memory for up to 60 s: a suspension takes effect within that time. Unknown clients are not kept,
 * so a new registration works at once. `now` in milliseconds.
 *
 * While the database cannot be asked, the last known row serves on for up to a day. That does not weaken suspension: it
 * is written to the same database, which is asked again all the while, so it counts from the first answer on. Throws
 * when the database cannot be asked and nothing is known.
 */
export async function findPartner(
  db: D1Database,
  clientId: string,
  now: Milliseconds,
  onMeta: OnMeta = () => {},
): Promise<Partner | undefined> {
  const memory = knownPartners.get(db) ?? new Map<string, Known>();
  knownPartners.set(db, memory);
  const known = memory.get(clientId);
  if (known !== undefined && Math.abs(now - known.readAt) < FRESH_MS) return known.partner;
  let row: Row | null;
  try {
    row = await readRow(db, clientId, onMeta);
  } catch (fault) {
    if (known !== undefined && Math.abs(now - known.readAt) < USABLE_MS) return known.partner;
    throw fault;
  }
  // A row that is there and cannot be read is no reason to go on with an older one: it may be what suspends.
  const partner = partnerOfRow(row, clientId);
  if (partner === undefined) memory.delete(clientId);
  else memory.set(clientId, { partner, readAt: now });
  return partner;
}

/** Returns the ids of the suspended clients. */
export async function findSuspendedClients(db: D1Database): Promise<string[]> {
  const query = "SELECT client_id AS id FROM partners WHERE status = 'suspended'";
  const { results } = await db.prepare(query).all<{ id: string }>();
  return results.map(({ id }) => id);
}
