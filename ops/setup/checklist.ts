import { ADMIN_SCOPES, parseTokenRules } from '../../src/config/token-rules.ts';
import { wranglerConfigOf } from '../deploy/deployment-config.ts';
import { type Issuer, issuersOf, plainAdvice } from './issuers.ts';

const OPERATOR_SCOPES = Object.values(ADMIN_SCOPES).map(([variable]) => variable);

/** Returns what the operator does at the authorization server, with the values of the deployment. */
export function checklistOf(deployment: string): string[] {
  const { vars } = wranglerConfigOf(deployment);
  const value = (name: string) => String(vars[name] ?? '');
  const scopes = Object.values(parseTokenRules(vars).scopes).join(', ');
  return [
    `At the authorization server ${value('TOKEN_ISSUER')}:`,
    `- an API (resource) for partners with the identifier ${value('TOKEN_AUDIENCE')} and the scopes ${scopes}`,
    `- an API for yourself with the identifier ${value('ADMIN_AUDIENCE')} and the scopes ${OPERATOR_SCOPES.map(value).join(', ')}`,
    '- a client with client credentials for each partner, and one for yourself',
    `- the client in the claim ${value('CLIENT_CLAIM')}, the scopes in the claim ${value('SCOPE_CLAIM')}`,
    ...issuersOf(value('TOKEN_ISSUER')).map(hintOf),
  ];
}

function hintOf(row: Issuer): string {
  const { issuer, clientClaim, scopeClaim } = row;
  return `- ${issuer}: CLIENT_CLAIM=${clientClaim}, SCOPE_CLAIM=${scopeClaim}. ${plainAdvice(row)}`;
}
