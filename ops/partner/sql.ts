import { PUBLIC_NETWORKS_MAX } from '../../src/config/database-limit.ts';
import type { Contracts } from '../../src/network/contract.ts';
import { quote } from '../row-statements.ts';

/** Settings of a partner. Null removes a setting. An absent one does not change in an existing row; a new row lacks it. */
export interface PartnerSettings {
  /** Names of the networks it may issue on. */
  readonly networks?: readonly string[] | null;
  /** Validity of its new passes, in seconds. */
  readonly lifetime?: number | null;
  /** How many passes it may issue per day (UTC). */
  readonly dailyIssuances?: number | null;
  /** How many changes it may request per day (UTC). */
  readonly dailyChanges?: number | null;
  /** The organization of the persons who may sign in to the console for it. */
  readonly organization?: string | null;
}

/** A partner as the operator registers it: a row of `partners` and a row of `gatekeeper_networks`. */
export interface PartnerRow extends PartnerSettings {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: string;
  /** The shard of its gatekeeper network; absent: the shard that already holds its passes, or the first one. */
  readonly shard?: string;
  /** The contracts of its gatekeeper network, in addition to those that it already has. */
  readonly contracts?: Contracts;
}

/**
 * Returns two statements, to run in this order. The first one adds the gatekeeper network if it is new, and fails if its
 * passes are in another shard or contract. The second one adds the partner and returns its client id, or nothing if the client exists.
 */
export function insertPartner(partner: PartnerRow): [network: string, partner: string] {
  const { clientId, name, gatekeeperNetwork, shard, contracts, ...settings } = partner;
  const network: Record<string, string> = {
    key: quote(gatekeeperNetwork),
    ...(shard === undefined ? {} : { shard: quote(shard) }),
    ...(contracts === undefined ? {} : { contracts: quote(JSON.stringify(contracts)) }),
  };
  const changes = [
    ...(shard === undefined ? [] : ['shard = excluded.shard']),
    ...(contracts === undefined ? [] : [ADD_CONTRACTS]),
  ];
  const row = {
    client_id: quote(clientId),
    name: quote(name),
    gatekeeper_network: quote(gatekeeperNetwork),
    ...columnsOf(settings),
  };
  return [
    `INSERT INTO gatekeeper_networks (${Object.keys(network).join(', ')}) SELECT ${Object.values(network).join(', ')} ` +
      `WHERE NOT EXISTS (SELECT 1 FROM partners WHERE client_id = ${row.client_id}) ` +
      // Triggers refuse another shard and another contract.
      `ON CONFLICT (key) DO ${changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`}`,
    `INSERT INTO partners (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).join(', ')}) ` +
      'ON CONFLICT (client_id) DO NOTHING RETURNING client_id',
  ];
}

/** In an upsert of gatekeeper networks: adds contracts. A trigger refuses to replace one. */
export const ADD_CONTRACTS = 'contracts = json_patch(contracts, excluded.contracts)';

export const LIST_PARTNERS =
  'SELECT client_id, name, gatekeeper_network, shard, contracts, networks, pass_lifetime_seconds, daily_issuances, daily_changes, ' +
  'organization, public_verify, status ' +
  'FROM partners JOIN gatekeeper_networks ON key = gatekeeper_network ORDER BY client_id';

/**
 * Returns a statement that yields the key, or no row if the gatekeeper network does not exist or too many are public. The service
 * knows a bounded number of public ones.
 */
export function setPublicVerify(gatekeeperNetwork: string, isPublic: boolean): string {
  const count = 'SELECT count(*) FROM gatekeeper_networks WHERE public_verify = 1';
  return (
    `UPDATE gatekeeper_networks SET public_verify = ${Number(isPublic)} WHERE key = ${quote(gatekeeperNetwork)}` +
    `${isPublic ? ` AND (public_verify = 1 OR (${count}) < ${PUBLIC_NETWORKS_MAX})` : ''} RETURNING key`
  );
}

/** Returns a statement that yields the client id, or no row if the client does not exist. */
export function setStatus(clientId: string, status: 'active' | 'suspended'): string {
  return updatePartner(clientId, { status: quote(status) });
}

/** Returns a statement that yields the client id, or no row if the client does not exist. It needs at least one setting. */
export function setSettings(clientId: string, settings: PartnerSettings): string {
  return updatePartner(clientId, columnsOf(settings));
}

function updatePartner(clientId: string, columns: Readonly<Record<string, string>>): string {
  const set = Object.entries(columns).map(([name, value]) => `${name} = ${value}`);
  return `UPDATE partners SET ${set.join(', ')} WHERE client_id = ${quote(clientId)} RETURNING client_id`;
}

function columnsOf({
  networks,
  lifetime,
  dailyIssuances,
  dailyChanges,
  organization,
}: PartnerSettings): Record<string, string> {
  return {
    ...(networks === undefined ? {} : { networks: networks === null ? 'NULL' : quote(JSON.stringify(networks)) }),
    ...(lifetime === undefined ? {} : { pass_lifetime_seconds: String(lifetime ?? 'NULL') }),
    ...(dailyIssuances === undefined ? {} : { daily_issuances: String(dailyIssuances ?? 'NULL') }),
    ...(dailyChanges === undefined ? {} : { daily_changes: String(dailyChanges ?? 'NULL') }),
    ...(organization === undefined ? {} : { organization: organization === null ? 'NULL' : quote(organization) }),
  };
}
