import * as v from 'valibot';
import { CLIENT_ID } from './client-id.ts';
import type { AdminRules, ConsoleClients, TokenRules } from './config.ts';
import { ConfigError, parseVariable } from './variable.ts';

const OptionalClientId = v.pipe(
  v.optional(v.string(), ''),
  v.check((id) => id === '' || CLIENT_ID.test(id), 'must be printable ASCII of at most 256 characters'),
);

/** Standard claims that name a person, a client or the token itself (RFC 7519, RFC 8693, RFC 9068, OpenID Connect). */
const CLAIMS_OF_NO_ORGANIZATION = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'scope', 'scp', 'client_id', 'azp'];
const PartnerClaim = v.pipe(
  v.optional(v.string(), ''),
  v.check((name) => name.trim() === name, 'must not begin or end with a space'),
  v.check((name) => !CLAIMS_OF_NO_ORGANIZATION.includes(name), 'must name a claim that identifies the organization'),
);

/** Returns the OAuth clients of the console. An empty variable means that nobody of that kind can sign in. */
export function parseConsoleClients(
  env: Readonly<Record<string, unknown>>,
  { clientClaim, scopeClaim }: TokenRules,
  admin: AdminRules | undefined,
): ConsoleClients {
  const clientId = parseVariable(env, 'CONSOLE_CLIENT_ID', OptionalClientId);
  const operator = parseVariable(env, 'CONSOLE_ADMIN_CLIENT_ID', OptionalClientId);
  const partnerClaim = parseVariable(env, 'CONSOLE_PARTNER_CLAIM', PartnerClaim);
  if (clientId && !partnerClaim) throw new ConfigError('CONSOLE_PARTNER_CLAIM', 'must be set with CONSOLE_CLIENT_ID');
  // All persons share the console's client: that claim would give each of them the same partner.
  if (partnerClaim === clientClaim || (partnerClaim && partnerClaim === scopeClaim))
    throw new ConfigError('CONSOLE_PARTNER_CLAIM', 'must differ from CLIENT_CLAIM and SCOPE_CLAIM');
  return {
    staff: clientId ? { clientId, partnerClaim } : undefined,
    operator: operator && admin ? { clientId: operator } : undefined,
  };
}
