import { PARTNER_SCOPES } from '../../../src/config/config.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';

/** An OAuth client of the localnet, and its registration as a partner. */
export interface SeededPartner {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly scopes: readonly string[];
  /** Lifetime of its passes in seconds; undefined: they do not expire. */
  readonly lifetime?: number;
  /** The organization of its staff, who sign in to the console. */
  readonly organization?: string;
}

/** The audience of the partners' tokens. */
export const AUDIENCE = 'https://api.gatepass.example';

/** The audience of the operator's tokens. */
export const ADMIN_AUDIENCE = 'https://admin.gatepass.example';
export const ADMIN_SCOPE = 'admin';
/** The scopes of single rights, which the console requests beside the one of all rights. */
export const ADMIN_RIGHTS = ['admin:read', 'admin:act', 'admin:partners'] as const;
/** The scope of the metrics alone. */
export const METRICS_SCOPE = 'metrics:read';

/** The OAuth client of the operator. */
export const OPERATOR = { clientId: 'operator', clientSecret: 'operator-secret' } as const;

/** A gatekeeper network whose slot in the Ethereum contract is a small number … */
const TEST_NETWORK = 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf' as GatekeeperNetwork;
/** … and one whose slot is its public key as a number. */
const KEYED_NETWORK = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD' as GatekeeperNetwork;

/** A sandbox: a gatekeeper network whose networks are simulated, so that no chain of the localnet knows it. */
export const SANDBOX = 'sandboxLocaLnetLocaLnetLocaLnetLocaLnetLoca' as GatekeeperNetwork;

export const SCOPES = Object.values(PARTNER_SCOPES);

/** The partner in the sandbox, also of a bare `wrangler dev`. */
export const SANDBOX_PARTNER: SeededPartner = {
  ...seededPartner('sandbox', SANDBOX, SCOPES),
  organization: 'org_sandbox',
};

export const PARTNERS: readonly SeededPartner[] = [
  { ...seededPartner('acme', TEST_NETWORK, SCOPES), organization: 'org_acme' },
  { ...seededPartner('globex', KEYED_NETWORK, SCOPES), organization: 'org_globex' },
  seededPartner('viewer', TEST_NETWORK, [PARTNER_SCOPES.search]),
  { ...seededPartner('fleeting', TEST_NETWORK, SCOPES), lifetime: 25 },
  SANDBOX_PARTNER,
];

/** The gatekeeper networks on the chains of the localnet. */
export const GATEKEEPER_NETWORKS: readonly GatekeeperNetwork[] = [TEST_NETWORK, KEYED_NETWORK];

function seededPartner(name: string, gatekeeperNetwork: GatekeeperNetwork, scopes: readonly string[]): SeededPartner {
  return { name, clientId: name, clientSecret: `${name}-secret`, gatekeeperNetwork, scopes };
}
