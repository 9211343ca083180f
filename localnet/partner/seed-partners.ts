import { insertPartner, setPublicVerify } from '../../ops/partner/sql.ts';
import { GATEKEEPER_NETWORKS, PARTNERS } from '../oauth/partners.ts';

/** The SQL that adds the localnet's partners. Anybody may check the passes of the first gatekeeper network. */
export const SEED_PARTNERS = [
  ...PARTNERS.flatMap(insertPartner),
  ...GATEKEEPER_NETWORKS.slice(0, 1).map((key) => setPublicVerify(key, true)),
].join(';');
