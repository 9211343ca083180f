import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';

/** The clients of a world, and the issuer of their tokens. */

export const ORIGIN = 'https://gatepass.example';
export const ISSUER = 'https://issuer.example';
const ADMIN_AUDIENCE = 'https://operator.example';
const KEY_ID = 'key';
const TOKEN_HOURS = 23;

export interface Client {
  readonly id: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
}

/** Two clients share a gatekeeper network. */
export const CLIENTS = [
  { id: 'acme', gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf' as GatekeeperNetwork },
  { id: 'acme-shop', gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf' as GatekeeperNetwork },
  { id: 'globex', gatekeeperNetwork: 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD' as GatekeeperNetwork },
] as const satisfies readonly Client[];
export const GATEKEEPER_NETWORKS = [...new Set(CLIENTS.map(({ gatekeeperNetwork }) => gatekeeperNetwork))];

/** Returns the client of that number. */
export const clientAt = (index: number): Client => CLIENTS[index % CLIENTS.length] as Client;

/** Returns the gatekeeper network of a client; undefined for the operator and for dApps. */
export const networkOf = (client: string): GatekeeperNetwork | undefined =>
  CLIENTS.find(({ id }) => id === client)?.gatekeeperNetwork;

/** The OAuth client of the console, which acts for the persons who sign in. */
export const CONSOLE = 'console';
const ORGANIZATION_CLAIM = 'organization';

/** Returns the organization of a client, whose members may sign in. */
export const organizationOf = (client: string): string => `staff of ${client}`;

/** Returns the `sub` of a member of a client's organization. */
export const personOf = (client: string, index: number): string => `person ${index} of ${client}`;
const PERSONS = [0, 1];

/** The sender of a request, as an entry of an audit trail names it. */
export interface Actor {
  readonly client: string;
  readonly sub?: string;
}

/** Returns the client for which an actor acts. */
export const clientOf = ({ client, sub }: Actor): string =>
  CLIENTS.find(({ id }) => PERSONS.some((index) => sub === personOf(id, index)))?.id ?? client;

const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
/** The answer at the URL of the issuer's keys. */
export const KEY_SET = JSON.stringify({
  keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'EdDSA', use: 'sig' }],
});

/** The variables of the Worker that say whose tokens it accepts. */
export const TOKEN_VARIABLES = {
  TOKEN_ISSUER: ISSUER,
  TOKEN_AUDIENCE: ORIGIN,
  JWKS_URL: `${ISSUER}/keys`,
  TOKEN_ALGORITHMS: 'EdDSA',
  CLIENT_CLAIM: 'client_id',
  SCOPE_CLAIM: 'scope',
  SCOPE_SEARCH: 'search:pass',
  SCOPE_ISSUE: 'issue:pass',
  SCOPE_UPDATE: 'update:pass',
  SCOPE_WEBHOOK: 'webhook:manage',
  SCOPE_ADMIN: 'admin',
  ADMIN_AUDIENCE,
  CONSOLE_CLIENT_ID: CONSOLE,
  CONSOLE_PARTNER_CLAIM: ORGANIZATION_CLAIM,
} as const;

const { SCOPE_SEARCH, SCOPE_ISSUE, SCOPE_UPDATE, SCOPE_WEBHOOK, SCOPE_ADMIN } = TOKEN_VARIABLES;

/** A token of a client; of a person, with more claims. */
function sign(
  client: string,
  audience: string,
  scope: string,
  now: number,
  { sub = client, ...claims }: { readonly sub?: string; readonly [ORGANIZATION_CLAIM]?: string } = {},
): Promise<string> {
  return new SignJWT({ client_id: client, scope, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: KEY_ID })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(sub)
    .setIssuedAt(now)
    .setExpirationTime(now + TOKEN_HOURS * 3_600)
    .sign(privateKey);
}

/** Returns the tokens of all clients, of all persons under their `sub`, and of the operator under `operator`, valid from `now` (Unix seconds) for a day. */
export async function tokensAt(now: number): Promise<Readonly<Record<string, string>>> {
  const scopes = [SCOPE_SEARCH, SCOPE_ISSUE, SCOPE_UPDATE, SCOPE_WEBHOOK].join(' ');
  const partners = CLIENTS.map(async ({ id }) => [id, await sign(id, ORIGIN, scopes, now)]);
  const persons = CLIENTS.flatMap(({ id }) =>
    PERSONS.map(async (index) => {
      const sub = personOf(id, index);
      return [sub, await sign(CONSOLE, ORIGIN, scopes, now, { sub, [ORGANIZATION_CLAIM]: organizationOf(id) })];
    }),
  );
  const operator = sign('operator', ADMIN_AUDIENCE, SCOPE_ADMIN, now);
  return Object.fromEntries([...(await Promise.all([...partners, ...persons])), ['operator', await operator]]);
}
