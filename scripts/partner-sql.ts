/** A partner as the operator registers it: one row of `partners`. */
export interface PartnerRow {
  readonly clientId: string;
  readonly name: string;
  readonly gatekeeperNetwork: string;
  /** Names of the networks it may issue on; undefined: all. */
  readonly networks?: readonly string[];
  /** Seconds; undefined: its passes do not expire. */
  readonly lifetime?: number;
}

/** Adds a partner and answers with its client id; with nothing where the client is there already. */
export function insertPartner({ clientId, name, gatekeeperNetwork, networks, lifetime }: PartnerRow): string {
  const values = [
    quoted(clientId),
    quoted(name),
    quoted(gatekeeperNetwork),
    networks === undefined ? 'NULL' : quoted(JSON.stringify(networks)),
    lifetime === undefined ? 'NULL' : String(lifetime),
  ];
  return (
    'INSERT INTO partners (client_id, name, gatekeeper_network, networks, pass_lifetime_seconds) ' +
    `VALUES (${values.join(', ')}) ON CONFLICT (client_id) DO NOTHING RETURNING client_id`
  );
}

export const LIST_PARTNERS =
  'SELECT client_id, name, gatekeeper_network, networks, pass_lifetime_seconds, status FROM partners ORDER BY client_id';

/** Answers with the client id; with nothing where there is no such client. */
export function setStatus(clientId: string, status: 'active' | 'suspended'): string {
  return `UPDATE partners SET status = ${quoted(status)} WHERE client_id = ${quoted(clientId)} RETURNING client_id`;
}

/** SQL takes everything between single quotes literally but the quote itself, which is doubled. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
