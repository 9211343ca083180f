import { waitUntil } from 'cloudflare:workers';
import { type Actor, type AuditEntry, hashOf, OPERATOR_TRAIL } from '../../audit/entry.ts';
import { claimOf } from '../../auth/claim-of.ts';
import { type KeySet, remoteKeySet } from '../../auth/key-set.ts';
import { type Bearer, type TokenRefusal, type VerificationRules, verifyCachedToken } from '../../auth/verify-token.ts';
import type { AdminRight, AdminRules, Config, ConsoleClients, TokenScope } from '../../config/config.ts';
import { PERSON_CLAIM_MAX_CHARS } from '../../config/token-rules.ts';
import { count } from '../../counts/counts.ts';
import { isVisibleText } from '../../lib/characters.ts';
import { SECOND_MS } from '../../lib/units.ts';
import { within, withTimeout } from '../../lib/with-timeout.ts';
import { logFault } from '../../log/log.ts';
import { derivesSmallSlot } from '../../network/slot.ts';
import type { Backend } from '../../operations/backend.ts';
import type { Partner } from '../../store/partners.ts';
import { type Refusal, refuse, refuseForbidden, refuseUnavailable, wwwAuthenticate } from '../protocol/problem.ts';
import { isRefusal, type RequestLog } from '../protocol/reply.ts';
import { metadataUrl } from '../protocol/url.ts';
import { type ClientLimit, limitOperator, limitPartner, type RateLimits } from './rate-limits.ts';

/** Key sets by URL, because the operator and the partners may have the same issuer. */
const keySets = new Map<string, KeySet>();

/** Returns the keys of the issuer, which all requests share. */
export function keySetAt(url: string): KeySet {
  const keys = keySets.get(url) ?? remoteKeySet(url, (fault) => logFault('issuer.keys_unavailable', fault));
  keySets.set(url, keys);
  return keys;
}

/** The sources that authorization reads. */
export interface Access {
  readonly config: Config;
  readonly backend: Pick<Backend, 'store' | 'auditTrail'>;
  readonly limits: RateLimits;
}

/** A partner, and who acts for it. */
export interface Caller {
  readonly partner: Partner;
  readonly actor: Actor;
  /** The key under which the limits count the caller. */
  readonly limitKey: string;
}

/**
 * Returns the partner of the token, or refuses a token that is invalid or lacks the scope. A token of the console names the
 * partner as the organization of the person, any other token as its client.
 */
export async function authorizePartner(
  request: Request,
  { scope, limit }: { readonly scope: TokenScope; readonly limit: ClientLimit },
  { config, backend: { store, auditTrail }, limits }: Access,
  log: RequestLog,
): Promise<Caller | Refusal> {
  const { tokens, console, suspendedClients } = config;
  const { staff } = console;
  const required = { accepted: [tokens.scopes[scope]], console };
  const bearer = await authenticate(request, tokens, required, log, () => metadataUrl(request, config));
  if (isRefusal(bearer)) return bearer;
  const { clientId } = bearer;
  const isPerson = staff !== undefined && clientId === staff.clientId;
  const member = isPerson ? memberOf(bearer, staff) : undefined;
  if (isPerson && member === undefined) return refuseWithoutOrganization(staff.partnerClaim);
  // Before the database: the variable is for the time in which it does not answer.
  if (suspendedClients.includes(clientId)) return refuseForbidden('partner_suspended');
  const limitKey = member?.limitKey ?? `partner/${clientId}`;
  const limited = await limitPartner(limitKey, limit, limits);
  if (limited !== undefined) return limited;
  const now = Date.now();
  const partner = await (member === undefined
    ? store.findPartner('client', clientId, now)
    : store.findPartner('organization', member.organization, now));
  if (partner === undefined) return refuseForbidden('client_unknown', isPerson ? UNKNOWN_ORGANIZATION : {});
  log.partner = partner.clientId;
  const fault = findPartnerFault(partner, console);
  if (fault !== undefined) {
    const { clientId: client, gatekeeperNetwork: gatekeeper_network } = partner;
    logFault('partner.unusable', fault, { client, gatekeeper_network });
    return refuseForbidden('client_unknown');
  }
  if (partner.suspended || suspendedClients.includes(partner.clientId)) return refuseForbidden('partner_suspended');
  if (!isPerson) return { partner, actor: { client: clientId }, limitKey };
  const actor = { client: clientId, sub: subjectOf(bearer) };
  await recordSignIn({ ...personsRequest(request, log), actor, trail: partner.gatekeeperNetwork }, auditTrail);
  return { partner, actor, limitKey };
}

/** Returns why the row of a partner gives no rights. */
function findPartnerFault({ clientId, gatekeeperNetwork }: Partner, console: ConsoleClients): string | undefined {
  // The database refuses such a row. A row from before that rule could act on the passes of another gatekeeper network.
  if (derivesSmallSlot(gatekeeperNetwork))
    return 'the slot of its gatekeeper network could be the number of another one';
  // The operator's command refuses such a row, but the console may be configured later.
  if (isConsoleClient(clientId, console)) return 'its client is the console';
  return undefined;
}

/**
 * Returns who acts as the operator. Refuses every other caller. No partner's token has both the issuer and the audience of an operator's token.
 * @param rights The rights of which one suffices, the narrowest first.
 */
export async function authorizeOperator(
  request: Request,
  { admin, rights }: { readonly admin: AdminRules; readonly rights: readonly AdminRight[] },
  { config: { console }, backend: { auditTrail }, limits }: Access,
  log: RequestLog,
): Promise<Actor | Refusal> {
  const accepted = [...rights, 'admin' as const].map((right) => admin.scopes[right]);
  const bearer = await authenticate(request, admin, { accepted, console }, log);
  if (isRefusal(bearer)) return bearer;
  const { clientId: client } = bearer;
  if (!isConsoleClient(client, console)) return (await limitOperator(client, limits)) ?? { client };
  const sub = subjectOf(bearer);
  // The audit trail must name the person of each change.
  if (sub === undefined) {
    count('tokensRefused', [NO_PERSON.reason]);
    return refuseToken(NO_PERSON, undefined);
  }
  const limited = await limitOperator(JSON.stringify([client, sub]), limits);
  if (limited !== undefined) return limited;
  const actor = { client, sub };
  await recordSignIn({ ...personsRequest(request, log), actor, trail: OPERATOR_TRAIL }, auditTrail);
  return actor;
}

const personsRequest = ({ headers }: Request, { request_id: requestId }: RequestLog) => ({
  authorization: headers.get('authorization'),
  requestId,
});

/**
 * Returns the bearer of the token, which has one of the accepted scopes. A refusal names the first one. `metadata` computes the URL that describes the accepted tokens, only for a refusal.
 */
async function authenticate(
  request: Request,
  rules: VerificationRules,
  { accepted, console }: { readonly accepted: readonly string[]; readonly console: ConsoleClients },
  log: RequestLog,
  metadata?: () => string,
): Promise<Bearer | Refusal> {
  const authorization = request.headers.get('authorization');
  const bearer = await verifyCachedToken(authorization, rules, keySetAt(rules.jwksUrl), Date.now());
  if ('type' in bearer) {
    if (bearer.type !== 'temporarily_unavailable') count('tokensRefused', [bearer.reason]);
    return refuseToken(bearer, metadata?.());
  }
  log.client = bearer.clientId;
  if (isConsoleClient(bearer.clientId, console)) log.sub = subjectOf(bearer);
  if (accepted.some((each) => bearer.scopes.includes(each))) return bearer;
  const [scope = ''] = accepted;
  const scopes = claimOf(bearer.claims, rules.scopeClaim);
  const fault =
    typeof scopes === 'string' || Array.isArray(scopes)
      ? `lacks the scope "${scope}"`
      : `has no list of scopes in the claim "${rules.scopeClaim}", and so lacks "${scope}"`;
  return refuseForbidden('insufficient_scope', {
    detail: `The access token ${fault}. Request a token with that scope.`,
    scope,
  });
}

const UNKNOWN_ORGANIZATION = {
  detail: 'No partner has the organization of this person. Ask the operator to register it.',
};

function refuseWithoutOrganization(claim: string): Refusal {
  return refuseForbidden('client_unknown', {
    detail: `A token of the console must name the organization of the person in the claim "${claim}", and the person in "sub".`,
  });
}

const NO_PERSON = {
  type: 'token_invalid',
  reason: 'no_person',
  detail: 'the access token does not name a person',
} as const;

/** RFC 6750 §3: the challenge to a request without a token has no error code. */
function refuseToken(refusal: TokenRefusal, resource_metadata: string | undefined): Refusal {
  switch (refusal.type) {
    case 'token_missing':
      return refuse('token_missing', { headers: { 'www-authenticate': wwwAuthenticate({ resource_metadata }) } });
    case 'temporarily_unavailable':
      return { ...refuseUnavailable(refusal.retryAfter), isCallersDoing: refusal.isUnproven };
    case 'token_invalid': {
      const { detail } = refusal;
      const asked = wwwAuthenticate({ error: 'invalid_token', error_description: detail, resource_metadata });
      return refuse('token_invalid', { detail, headers: { 'www-authenticate': asked } });
    }
  }
}

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
function memberOf(
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

/** A request of a person with a valid token. */
interface PersonsRequest {
  readonly actor: Actor;
  readonly authorization: string | null;
  readonly requestId: string;
  /** Name of the trail: the operator's, or the gatekeeper network of the person. */
  readonly trail: string;
}

/** A request waits no longer for the entry of its sign-in. */
const WAIT_MAX_MS = SECOND_MS;
/** Shorter than the usual limit of a trail: all tries must end within the 30 s that the platform grants after a response. */
const APPEND_TIMEOUT_MS = 5 * SECOND_MS;
const TRIES = 3;
const KNOWN_MAX_TOKENS = 10_000;

/** Hashes of the tokens whose sign-in a trail has. */
const knownTokens = new Set<string>();

/**
 * Records the sign-in of a person: the first request with a token. The Worker sees no other sign of it. If the trail does not answer, the
 * next request with the token tries again.
 */
async function recordSignIn(
  { actor, authorization, requestId, trail: name }: PersonsRequest,
  auditTrail: Backend['auditTrail'],
): Promise<void> {
  const token = hashOf((authorization ?? '').replace(/^Bearer +/i, '').trim());
  if (knownTokens.has(token)) return;
  const entry: AuditEntry = {
    key: `sign-in/${token}`,
    at: new Date().toISOString(),
    action: 'console.sign_in',
    actor,
    requestId,
    target: {},
    outcome: { type: 'done' },
  };
  const recording = appendAgain(auditTrail(name), entry, TRIES)
    .then(() => {
      if (knownTokens.size >= KNOWN_MAX_TOKENS) knownTokens.clear();
      knownTokens.add(token);
    })
    .catch((fault) => logFault('audit.unavailable', fault, { sub: actor.sub }));
  waitUntil(recording);
  await withTimeout(WAIT_MAX_MS, recording, undefined);
}

async function appendAgain(trail: ReturnType<Backend['auditTrail']>, entry: AuditEntry, tries: number): Promise<void> {
  try {
    await within(APPEND_TIMEOUT_MS, trail.append([entry]), 'the audit trail');
  } catch (fault) {
    if (tries === 1) throw fault;
    await scheduler.wait(SECOND_MS);
    await appendAgain(trail, entry, tries - 1);
  }
}
