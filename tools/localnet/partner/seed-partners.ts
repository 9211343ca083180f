import { quote } from '../../../ops/row-statements.ts';
import { GATEKEEPER_NETWORKS, PARTNERS, type SeededPartner } from '../oauth/partners.ts';

/**
 * Returns the SQL that adds partners and their gatekeeper networks before the Worker starts. Anybody may check the passes of the first
 * gatekeeper network of the localnet. Rows that exist stay as they are.
 */
export function seedStatements(partners: readonly SeededPartner[]): string[] {
  const networks = [...new Set(partners.map(({ gatekeeperNetwork }) => gatekeeperNetwork))];
  return [
    ...networks.map(
      (key) =>
        `INSERT INTO gatekeeper_networks (key, public_verify) VALUES (${quote(key)}, ${Number(key === GATEKEEPER_NETWORKS[0])}) ON CONFLICT DO NOTHING`,
    ),
    ...partners.map(
      ({ clientId, name, gatekeeperNetwork, lifetime, organization }) =>
        'INSERT INTO partners (client_id, name, gatekeeper_network, pass_lifetime_seconds, organization) VALUES ' +
        `(${quote(clientId)}, ${quote(name)}, ${quote(gatekeeperNetwork)}, ${lifetime ?? 'NULL'}, ` +
        `${organization === undefined ? 'NULL' : quote(organization)}) ON CONFLICT (client_id) DO NOTHING`,
    ),
  ];
}

/** The SQL that adds the localnet's partners. */
export const SEED_PARTNERS = seedStatements(PARTNERS).join(';');
