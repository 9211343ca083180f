import { type Refusal, refuse } from '../protocol/problem.ts';
import { wwwAuthenticate } from '../protocol/www-authenticate.ts';

type Forbidden = 'insufficient_scope' | 'client_unknown' | 'partner_suspended' | 'network_not_allowed';

/** A refusal of what the token's bearer may not do. RFC 6750 §3.1 has one error for all of these. */
export function refuseForbidden(code: Forbidden, { detail, scope }: { detail?: string; scope?: string } = {}): Refusal {
  return refuse(code, {
    detail,
    headers: { 'www-authenticate': wwwAuthenticate({ error: 'insufficient_scope', scope }) },
  });
}
