import { FIRST_SHARD } from '../../src/config/shard-name.ts';

/** What a partner may do; null: without that limit. What is absent stays as it is, in a new row without limit. */
export interface PartnerLimits {
  /** Names of the networks it may issue on. */
  readonly networks?: readonly string[] | null;
  /** Seconds its new passes live. */
  readonly lifetime?: number | null;
  /** How many passes it may issue in a day (UTC). */
  readonly dailyIssuances?: number | null;
}

/** A partner as the operator registers it: one row of `partners`. */
export interface PartnerRow extends PartnerLimits {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: string;
  /** Which database its passes are in; none: that of its gatekeeper network, or the first one. */
  readonly shard?: string;
}

/** Adds a partner and answers with its client id; with nothing where the client is there already. */
export function insertPartner({ clientId, name, gatekeeperNetwork, shard, ...limits }: PartnerRow): string {
  const row = {
    client_id: quote(clientId),
    name: quote(name),
    gatekeeper_network: quote(gatekeeperNetwork),
    shard: shard === undefined ? shardOf(gatekeeperNetwork) : quote(shard),
    ...columnsOf(limits),
  };
  return (
    `INSERT INTO partners (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')}) ` +
    'ON CONFLICT (client_id) DO NOTHING RETURNING client_id'
  );
}

function shardOf(gatekeeperNetwork: string): string {
  const known = `SELECT shard FROM partners WHERE gatekeeper_network = ${quote(gatekeeperNetwork)} LIMIT 1`;
  return `coalesce((${known}), ${quote(FIRST_SHARD)})`;
}

export const LIST_PARTNERS =
  'SELECT client_id, name, gatekeeper_network, shard, networks, pass_lifetime_seconds, daily_issuances, status ' +
  'FROM partners ORDER BY client_id';

/** Answers with the client id; with nothing where there is no such client. */
export function setStatus(clientId: string, status: 'active' | 'suspended'): string {
  return updatePartner(clientId, { status: quote(status) });
}

/** Answers with the client id; with nothing where there is no such client. At least one limit must be there. */
export function setLimits(clientId: string, limits: PartnerLimits): string {
  return updatePartner(clientId, columnsOf(limits));
}

function updatePartner(clientId: string, columns: Readonly<Record<string, string>>): string {
  const set = Object.entries(columns).map(([name, value]) => `${name} = ${value}`);
  return `UPDATE partners SET ${set.join(', ')} WHERE client_id = ${quote(clientId)} RETURNING client_id`;
}

function columnsOf({ networks, lifetime, dailyIssuances }: PartnerLimits): Record<string, string> {
  return {
    ...(networks === undefined ? {} : { networks: networks === null ? 'NULL' : quote(JSON.stringify(networks)) }),
    ...(lifetime === undefined ? {} : { pass_lifetime_seconds: String(lifetime ?? 'NULL') }),
    ...(dailyIssuances === undefined ? {} : { daily_issuances: String(dailyIssuances ?? 'NULL') }),
  };
}

/** SQL takes everything between single quotes literally but the quote itself, which is doubled. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
