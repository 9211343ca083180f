import * as v from 'valibot';
import { isClaimAbout } from './claim-names.ts';
import { CLIENT_ID } from './client-id.ts';
import type { AdminRules, ConsoleClients, TokenRules } from './config.ts';
import { ConfigError, parseVariable } from './variable.ts';

const OptionalClientId = v.pipe(
  v.optional(v.string(), ''),
  v.check((id) => id === '' || CLIENT_ID.test(id), 'must be printable ASCII of at most 256 characters'),
);

const PartnerClaim = v.pipe(
  v.optional(v.string(), ''),
  v.check((name) => name.trim() === name, 'must not begin or end with a space'),
  v.check(
    (name) => !isClaimAbout(name, 'token', 'scopes', 'client', 'person'),
    'must name a claim that identifies the organization',
  ),
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
  // Persons have such a claim too. A person with the name of a client would be that partner.
  if ((clientId || operator) && isClaimAbout(clientClaim, 'person'))
    throw new ConfigError(
      'CLIENT_CLAIM',
      'must not name a claim about persons, because people sign in to the console: a person could have the name of a client',
    );
  // All persons share the console's client: that claim would give each of them the same partner.
  if (partnerClaim === clientClaim || (partnerClaim && partnerClaim === scopeClaim))
    throw new ConfigError('CONSOLE_PARTNER_CLAIM', 'must differ from CLIENT_CLAIM and SCOPE_CLAIM');
  return {
    staff: clientId ? { clientId, partnerClaim } : undefined,
    operator: operator && admin ? { clientId: operator } : undefined,
  };
}
