import { type Refusal, refuse } from './problem.ts';

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly error_description?: string;
  readonly scope?: string | undefined;
  readonly resource_metadata?: string | undefined;
}

/** Returns the value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). */
export function wwwAuthenticate(parts: Challenge): string {
  const given = Object.entries({ realm: 'gatepass', ...parts }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return `Bearer ${given.join(', ')}`;
}

/** Replaces characters that RFC 6750 §3 forbids, because a description may repeat names from the token. */
const quotable = (text: string) => text.replaceAll(/[^ !#-[\]-~]/g, "'");

type Forbidden = 'insufficient_scope' | 'client_unknown' | 'partner_suspended' | 'network_not_allowed';

/** Refuses an action that the bearer of the token may not perform. RFC 6750 §3.1 has one error code for all reasons. */
export function refuseForbidden(code: Forbidden, { detail, scope }: { detail?: string; scope?: string } = {}): Refusal {
  return refuse(code, {
    detail,
    headers: { 'www-authenticate': wwwAuthenticate({ error: 'insufficient_scope', scope }) },
  });
}
