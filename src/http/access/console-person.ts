import { claimOf } from '../../auth/claim-of.ts';
import type { Bearer } from '../../auth/verify-token.ts';
import { PERSON_CLAIM_MAX_CHARS } from '../../config/claims.ts';
import type { ConsoleClients } from '../../config/config.ts';
import { isVisibleText } from '../../lib/visible-text.ts';

/** Whether the OAuth client is the console, which acts for the person who signed in. It is never a partner itself. */
export function isConsoleClient(clientId: string, { staff, operator }: ConsoleClients): boolean {
  return clientId === staff?.clientId || clientId === operator?.clientId;
}

/** Returns the `sub` of the person who signed in to the console; undefined if the token names none. */
export function subjectOf({ claims }: Bearer): string | undefined {
  return nameOf(claims.sub);
}

/**
 * Returns the organization of the person, and the key under which the limits count the person. Undefined if the token lacks
 * one of the claims: the client's id is no substitute, because all persons share it.
 */
export function memberOf(
  bearer: Bearer,
  { partnerClaim }: NonNullable<ConsoleClients['staff']>,
): { readonly organization: string; readonly limitKey: string } | undefined {
  const { claims } = bearer;
  const organization = nameOf(claimOf(claims, partnerClaim));
  const sub = subjectOf(bearer);
  if (organization === undefined || sub === undefined) return undefined;
  // JSON, so that no two pairs have the same key.
  return { organization, limitKey: `console/${JSON.stringify([organization, sub])}` };
}

function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string' || claim === '' || claim.length > PERSON_CLAIM_MAX_CHARS) return undefined;
  return isVisibleText(claim) ? claim : undefined;
}
