import { quote } from '../../ops/row-statements.ts';
import { GATEKEEPER_NETWORKS, PARTNERS, SANDBOX } from '../oauth/partners.ts';

/** The SQL that adds the localnet's partners before its Worker starts. Anybody may check the passes of the first gatekeeper network. */
export const SEED_PARTNERS = [
  ...[...GATEKEEPER_NETWORKS, SANDBOX].map(
    (key, index) =>
      `INSERT INTO gatekeeper_networks (key, public_verify) VALUES (${quote(key)}, ${Number(index === 0)}) ON CONFLICT DO NOTHING`,
  ),
  ...PARTNERS.map(
    ({ clientId, name, gatekeeperNetwork, lifetime, organization }) =>
      'INSERT INTO partners (client_id, name, gatekeeper_network, pass_lifetime_seconds, organization) VALUES ' +
      `(${quote(clientId)}, ${quote(name)}, ${quote(gatekeeperNetwork)}, ${lifetime ?? 'NULL'}, ` +
      `${organization === undefined ? 'NULL' : quote(organization)}) ON CONFLICT (client_id) DO NOTHING`,
  ),
].join(';');
