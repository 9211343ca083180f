import { type Refusal, refuse } from '../protocol/problem.ts';
import { wwwAuthenticate } from '../protocol/www-authenticate.ts';

type Forbidden = 'insufficient_scope' | 'client_unknown' | 'partner_suspended' | 'network_not_allowed';

/** Refuses an action that the bearer of the token may not perform. RFC 6750 §3.1 has one error code for all reasons. */
export function refuseForbidden(code: Forbidden, { detail, scope }: { detail?: string; scope?: string } = {}): Refusal {
  return refuse(code, {
    detail,
    headers: { 'www-authenticate': wwwAuthenticate({ error: 'insufficient_scope', scope }) },
  });
}
