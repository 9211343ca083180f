import * as v from 'valibot';

/** Who calls: what is registered for an OAuth client. */
export interface Partner {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: string;
  /** Names of the networks it may issue on; undefined: all. */
  readonly networks?: readonly string[] | undefined;
  /** Seconds its new passes live; undefined: they do not expire. */
  readonly passLifetime?: number | undefined;
  readonly suspended: boolean;
}

interface Row {
  name: string;
  gatekeeper_network: string;
  networks: string | null;
  pass_lifetime_seconds: number | null;
  status: string;
}

const Networks = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

/** The partner of a client id; undefined for an unknown one. One row read. */
export async function findPartner(db: D1Database, clientId: string): Promise<Partner | undefined> {
  const row = await db
    .prepare(
      'SELECT name, gatekeeper_network, networks, pass_lifetime_seconds, status FROM partners WHERE client_id = ?',
    )
    .bind(clientId)
    .first<Row>();
  if (row === null) return undefined;
  return {
    clientId,
    name: row.name,
    gatekeeperNetwork: row.gatekeeper_network,
    networks: row.networks === null ? undefined : v.parse(Networks, row.networks),
    passLifetime: row.pass_lifetime_seconds ?? undefined,
    suspended: row.status !== 'active',
  };
}

const KEPT_MS = 60_000;
const kept = new WeakMap<D1Database, Map<string, { partner: Partner; until: number }>>();

/**
 * The partner, from memory for up to 60 s: a suspension takes effect within that time. Unknown clients are not kept,
 * so a new registration works at once. `now` in milliseconds.
 */
export async function partnerOf(db: D1Database, clientId: string, now: number): Promise<Partner | undefined> {
  const memory = kept.get(db) ?? new Map<string, { partner: Partner; until: number }>();
  kept.set(db, memory);
  const known = memory.get(clientId);
  if (known !== undefined && now < known.until) return known.partner;
  const partner = await findPartner(db, clientId);
  if (partner === undefined) memory.delete(clientId);
  else memory.set(clientId, { partner, until: now + KEPT_MS });
  return partner;
}
