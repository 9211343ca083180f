import type { UnixSeconds } from '../lib/brand.ts';
import { appendEvents } from './append-events.ts';
import { CHAIN_RULES } from './chain-rules.ts';
import { applyChange, type ChangeResult, keepPass, refuseChange, takeOver } from './change-result.ts';
import { type IssuerKey, isUpToCompromised } from './change-signer.ts';
import { hasValidToken, type Pass, type Wanted } from './pass.ts';
import type { WantedState } from './vocabulary.ts';

/** A change of the wanted state. Undefined fields stay as they are. */
export interface WantedChange {
  readonly state?: WantedState | undefined;
  readonly expiry?: UnixSeconds | undefined;
}

/** A partner's request to change an existing pass. */
export interface UpdateRequest extends WantedChange {
  /** OAuth client that sends the request. */
  readonly client: string;
}

/**
 * Returns the pass after a request to freeze, unfreeze or revoke it, or to change its expiry. A request for the wanted state
 * is no error and changes nothing. A revocation by a partner is final. `now` in Unix seconds.
 * @param issuerKey Whether this service can sign with the key that issued the pass.
 */
export function requestUpdate(
  pass: Pass,
  { state, expiry, client }: UpdateRequest,
  now: UnixSeconds,
  issuerKey: IssuerKey = 'in-service',
): ChangeResult {
  const { key, wanted, onChain, rejected } = pass;
  const requested = expiry === undefined ? pass.requested : { expiry };
  if (rejected) return refuseChange('pass_rejected');
  if (wanted.state === 'REVOKED')
    return state === 'REVOKED' ? revokeAgain(pass, client, now) : refuseChange('pass_revoked');
  const next: Wanted = { ...wanted, state: state ?? wanted.state, expiry: expiry ?? wanted.expiry };
  if (next.state === wanted.state && next.expiry === wanted.expiry) {
    // A wanted expiry that follows the chain is requested from now on.
    const isRequested = requested.expiry === pass.requested.expiry;
    return isRequested ? takeOver(pass, client) : applyChange({ ...pass, client, requested });
  }
  const isUpToIssuer = next.state !== wanted.state && next.state !== 'REVOKED';
  const isIssuer = !CHAIN_RULES[key.chain].onlyIssuerFreezes || (issuerKey === 'in-service' && !onChain.foreign);
  const isRevocation = next.state === 'REVOKED';
  if ((isUpToIssuer && !isIssuer) || (!isRevocation && isUpToCompromised(pass, issuerKey)))
    return refuseChange('issued_by_another_gatekeeper');
  // A change of an issued pass has the rank of its kind, also if the pass was issued in bulk.
  const issuanceRank = onChain.state === 'NONE' ? pass.issuanceRank : undefined;
  return applyChange(appendEvents({ ...pass, client, issuanceRank, wanted: next, requested }, now));
}

/**
 * Returns the pass after a repeated revocation. Nothing is left to do after a partner's revocation, unless others have issued
 * to the wallet again. If others seem to have revoked the token, the pass revokes it again: the reading may have been wrong.
 */
function revokeAgain(pass: Pass, client: string, now: UnixSeconds): ChangeResult {
  const { revokedBy, onChain } = pass;
  const isDone = revokedBy === undefined || (revokedBy === 'partner' && !hasValidToken(onChain));
  return isDone ? keepPass(pass) : applyChange(appendEvents({ ...pass, client, revokedBy: undefined }, now));
}
