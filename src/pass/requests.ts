import type { Milliseconds, UnixSeconds } from '../lib/units.ts';
import type { SignerName } from '../network/network.ts';
import type { Requester } from './audit-entries.ts';
import { appendEvents } from './events.ts';
import { type IssuerKey, isSettled, isUpToCompromised, nextStep } from './next-step.ts';
import { hasValidToken, type Pass, type PassEvent, type PassKey, type Wanted } from './pass.ts';
import { isSatisfied } from './step.ts';
import { BULK_ISSUANCE, CHAIN_RULES, type Rank, SINGLE_ISSUANCE, type StepKind } from './step-kinds.ts';
import { isExpired } from './verdict.ts';
import { MAX_TIMESTAMP, type WantedState } from './vocabulary.ts';

/** Why a partner's request for a change is refused. */
export type ChangeRefusal =
  | 'pass_frozen'
  | 'pass_revoked'
  | 'pass_rejected'
  | 'pass_expired'
  | 'expiry_differs'
  | 'reference_differs'
  | 'subject_differs'
  | 'subject_frozen'
  | 'subject_revoked'
  | 'issued_by_another_gatekeeper';

/** The pass after a change, and whether it differs from the pass before. */
export interface AppliedChange {
  readonly type: 'applied';
  readonly pass: Pass;
  readonly changed: boolean;
}

export type ChangeResult =
  | AppliedChange
  | { readonly type: 'refused'; readonly reason: ChangeRefusal }
  /** The pass would count for the subject, or be valid again, so only the object of the subject may ask for the change. */
  | { readonly type: 'refused'; readonly reason: 'of_subject'; readonly subject: string };

export const applyChange = (pass: Pass): AppliedChange => ({ type: 'applied', pass, changed: true });
export const keepPass = (pass: Pass): AppliedChange => ({ type: 'applied', pass, changed: false });
const refuseChange = (reason: ChangeRefusal): ChangeResult => ({ type: 'refused', reason });

/**
 * Returns the pass after a request that changes nothing. While the pass is unsettled, the client of this request replaces
 * the stored one, so that the step does not wait for a suspended client.
 */
function takeOver(pass: Pass, client: string): AppliedChange {
  return client !== pass.client && !isSettled(pass) ? applyChange({ ...pass, client }) : keepPass(pass);
}

/** A partner's request for an issuance, with the data of a new pass. */
export interface IssueRequest {
  readonly key: PassKey;
  /** UUIDv7 of a new pass. */
  readonly id: string;
  /** Signer of a new pass, and of a rejected one whose own signer accepts no new passes. */
  readonly signer: SignerName;
  /** Contract of a new pass. */
  readonly contract: string;
  /** Rank of the issuance; undefined: `SINGLE_ISSUANCE`. */
  readonly rank?: Rank | undefined;
  /** OAuth client that sends the request. */
  readonly client: string;
  readonly by?: Requester | undefined;
  /** Seconds that a pass of this partner lives by default; undefined: it does not expire. */
  readonly lifetime?: number | undefined;
  /** The expiry that the partner gives. It overrides the lifetime. */
  readonly expiry?: UnixSeconds | undefined;
  readonly reference?: string | undefined;
  /** The subject whose object admits the pass. */
  readonly subject?: string | undefined;
}

/**
 * Returns the pass after a partner's request for its issuance. A repeated request changes nothing, except that it tries a
 * rejected pass again and renews an expired one. It is refused if it gives another expiry than the one requested last,
 * or another reference or subject than that of the pass. Pure.
 * @param acceptsNewPasses Whether a signer accepts new passes.
 * @param issuerKey Whether this service can sign with the key that issued the pass.
 */
export function requestIssuance(
  pass: Pass | undefined,
  request: IssueRequest,
  now: UnixSeconds,
  acceptsNewPasses: (signer: SignerName) => boolean = () => true,
  issuerKey: IssuerKey = 'in-service',
): ChangeResult {
  if (pass === undefined) return applyChange(newPass(request, now));
  if (pass.wanted.state === 'FROZEN') return refuseChange('pass_frozen');
  if (pass.wanted.state === 'REVOKED') return refuseChange('pass_revoked');
  // Also if the pass has none: a client with the scope `issue` alone changes no reference, and a removed one does not return.
  if (![undefined, pass.reference].includes(request.reference)) return refuseChange('reference_differs');
  if (![undefined, pass.subject].includes(request.subject)) return refuseChange('subject_differs');
  const held = refusalByHold(pass);
  if (held !== undefined) return held;
  if (pass.subject !== undefined && request.subject === undefined && !countsForSubject(pass, now))
    return { type: 'refused', reason: 'of_subject', subject: pass.subject };
  if (pass.rejected) {
    // A rejected pass has no token. Its signer only has past steps that may still leave the chain.
    const keeps = acceptsNewPasses(pass.signer) || (pass.past ?? []).length > 0;
    const signer = keeps ? pass.signer : request.signer;
    const { rank: issuanceRank, client } = request;
    const again = { ...pass, ...requestedBy(request, now), signer, client, issuanceRank, rejected: false };
    return applyChange(appendEvents(again, now, { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now }));
  }
  const { client, expiry } = request;
  if (!isExpired(pass.wanted, now)) {
    const isSame = expiry === undefined || expiry === pass.requested.expiry;
    return isSame ? liftIssuance(pass, request) : refuseChange('expiry_differs');
  }
  const requested = requestedBy(request, now);
  if (requested.wanted.expiry === undefined) return refuseChange('pass_expired');
  if (isUpToCompromised(pass, issuerKey)) return refuseChange('issued_by_another_gatekeeper');
  return applyChange(appendEvents({ ...pass, ...requested, client, issuanceRank: request.rank }, now));
}

/** Refuses because of the state of the subject; undefined: it is active. */
function refusalByHold({
  hold: { state } = { state: 'ACTIVE', number: 0 },
}: Pick<Pass, 'hold'>): ChangeResult | undefined {
  return state === 'ACTIVE' ? undefined : refuseChange(state === 'FROZEN' ? 'subject_frozen' : 'subject_revoked');
}

/** Whether the pass counts for the rules of its subject: it is or may become valid, and has not expired. */
export function countsForSubject({ wanted, rejected }: Pass, now: UnixSeconds): boolean {
  return !rejected && wanted.state !== 'REVOKED' && !isExpired(wanted, now);
}

/** Returns the wanted state of an issuance: until the given expiry, or else for the partner's lifetime. */
function requestedBy(
  { expiry: given, lifetime, by, subject }: IssueRequest,
  now: UnixSeconds,
): Pick<Pass, 'wanted' | 'requested' | 'requestIds' | 'renewedAt'> {
  const byDefault = lifetime === undefined ? undefined : Math.min(now + lifetime, MAX_TIMESTAMP);
  const expiry = given ?? byDefault;
  const requested = given === undefined ? ({ expiry, isDefault: true } as const) : { expiry };
  const requestIds = by?.requestId === undefined ? undefined : { state: by.requestId, expiry: by.requestId };
  const renewed = subject === undefined ? {} : { renewedAt: now };
  return { wanted: { state: 'ACTIVE', expiry }, requested, requestIds, ...renewed };
}

/** Gives a pass whose issuance or renewal is under way the rank of the request, if that rank is higher. */
function liftIssuance(pass: Pass, { rank = SINGLE_ISSUANCE, client }: IssueRequest): ChangeResult {
  const isLower = !isSettled(pass) && (pass.issuanceRank ?? SINGLE_ISSUANCE) > rank;
  return isLower ? applyChange({ ...pass, client, issuanceRank: rank }) : takeOver(pass, client);
}

function newPass(request: IssueRequest, now: UnixSeconds): Pass {
  const { id, key, signer, contract, rank, client, by, reference, subject } = request;
  const requestId = by?.requestId;
  return {
    ...requestedBy(request, now),
    id,
    key,
    signer,
    contract,
    version: 1,
    client,
    reference,
    subject,
    issuanceRank: rank,
    onChain: { state: 'NONE' },
    rejected: false,
    steps: 0,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: now, ...(requestId && { requestId }) }],
    feed: { examined: 0, last: 0, pending: [] },
  };
}

/** The data of a new pass for a wallet whose tokens the operator revokes. */
export type RevokedWallet = Pick<IssueRequest, 'key' | 'id' | 'signer' | 'contract' | 'client' | 'by'>;

/** Returns a new pass that is to be revoked. No step of it ever issues a token; a wallet without a token needs no transaction. */
export function newRevokedPass(wallet: RevokedWallet, now: UnixSeconds): Pass {
  const pass = newPass(wallet, now);
  const events = pass.events.map((event): PassEvent => ({ ...event, eventType: 'TOKEN_REVOKED_INITIATED' }));
  return { ...pass, wanted: { state: 'REVOKED' }, requested: {}, events };
}

/** A change of the wanted state, of the reference, of the subject, or of several of them. Undefined fields stay as they are. */
export interface WantedChange {
  readonly state?: WantedState | undefined;
  readonly expiry?: UnixSeconds | undefined;
  /** Null: the pass is to have none. */
  readonly reference?: string | null | undefined;
  /** Null: the pass is to have none. */
  readonly subject?: string | null | undefined;
}

/** A partner's request to change an existing pass. */
export interface UpdateRequest extends WantedChange {
  /** OAuth client that sends the request. */
  readonly client: string;
  readonly by?: Requester | undefined;
  /** The subject whose object asks for the change. */
  readonly via?: string | undefined;
  /** When the partner requested it; undefined: now. */
  readonly at?: UnixSeconds | undefined;
}

/** The operator's request to revoke an existing pass. */
export type RevocationRequest = Omit<UpdateRequest, keyof WantedChange | 'via' | 'at'>;

/**
 * Returns the pass after a request to freeze, unfreeze or revoke it, or to change its expiry, its reference or its subject. A request for the wanted
 * state is no error and changes nothing. A revocation by a partner is final, but the reference and the subject may still change. If one of several
 * changes is refused, the pass gets none of them. `now` in Unix seconds.
 * @param issuerKey Whether this service can sign with the key that issued the pass.
 */
export function requestUpdate(
  pass: Pass,
  request: UpdateRequest,
  now: UnixSeconds,
  issuerKey: IssuerKey = 'in-service',
): ChangeResult {
  const refusal = refusalBySubject(pass, request, now);
  if (refusal !== undefined) return refusal;
  // A freeze of the pass itself outlasts that of its subject.
  const { hold } = pass;
  const isOwn = request.state === 'FROZEN' && hold?.froze === true;
  const held = isOwn ? { ...pass, hold: { ...hold, froze: undefined } } : pass;
  const named = changeName(changeName(held, 'reference', request, now), 'subject', request, now);
  const isOnlyName = (request.state ?? request.expiry) === undefined;
  const result = isOnlyName ? keepPass(named) : requestWanted(named, request, now, issuerKey);
  if (result.type !== 'applied') return result;
  const isRenewed = request.expiry !== undefined && named.subject !== undefined && result.pass !== named;
  const after = isRenewed ? { ...result.pass, renewedAt: request.at ?? now } : result.pass;
  return { ...result, pass: after, changed: after !== pass };
}

/** Returns why the subject of the pass forbids a change, or has to allow it; undefined: it does not. */
function refusalBySubject(
  pass: Pass,
  { subject: next = pass.subject, via, state, expiry }: UpdateRequest,
  now: UnixSeconds,
): ChangeResult | undefined {
  const { subject, wanted } = pass;
  if (subject === undefined)
    return next && via === undefined ? { type: 'refused', reason: 'of_subject', subject: next } : undefined;
  if (![undefined, subject].includes(via) || (next !== null && next !== subject))
    return refuseChange('subject_differs');
  const held = next === null || state === 'ACTIVE' ? refusalByHold(pass) : undefined;
  if (held !== undefined) return held;
  const isRenewal = expiry !== undefined && isExpired(wanted, now);
  // A freeze of the subject may be on its way to the pass.
  const isUnfreeze = state === 'ACTIVE' && wanted.state === 'FROZEN';
  return via === undefined && (next === null || isRenewal || isUnfreeze)
    ? { type: 'refused', reason: 'of_subject', subject }
    : undefined;
}

/** No step depends on a name, so the change has an event and nothing else. The event does not have the name. */
function changeName(
  pass: Pass,
  name: 'reference' | 'subject',
  { [name]: given = pass[name], by }: UpdateRequest,
  timestamp: UnixSeconds,
): Pass {
  const next = given ?? undefined;
  if (next === pass[name]) return pass;
  const requestId = by?.requestId;
  const eventType = name === 'reference' ? 'REFERENCE_CHANGED' : 'SUBJECT_CHANGED';
  const event: PassEvent = { eventType, timestamp, ...(requestId && { requestId }) };
  // The state of another subject is unknown.
  const hold = name === 'subject' ? undefined : pass.hold;
  return { ...pass, [name]: next, hold, version: pass.version + 1, events: [...pass.events, event] };
}

function requestWanted(
  pass: Pass,
  { state, expiry, client, by }: UpdateRequest,
  now: UnixSeconds,
  issuerKey: IssuerKey,
): ChangeResult {
  const { key, wanted, onChain, rejected } = pass;
  const requested = expiry === undefined ? pass.requested : { expiry };
  if (rejected) return refuseChange('pass_rejected');
  if (wanted.state === 'REVOKED')
    return state === 'REVOKED' ? revokeAgain(pass, client, by, now) : refuseChange('pass_revoked');
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
  const requestId = by?.requestId;
  const requestIds =
    pass.requestIds !== undefined || requestId !== undefined
      ? {
          ...pass.requestIds,
          ...(next.state !== wanted.state && { state: requestId }),
          ...(next.expiry !== wanted.expiry && { expiry: requestId }),
        }
      : undefined;
  return applyChange(appendEvents({ ...pass, client, requestIds, issuanceRank, wanted: next, requested }, now));
}

/** Returns the pass after the operator has revoked it. It is as final as a partner's revocation, and also ends a rejected pass. */
export function requestRevocation(pass: Pass, request: RevocationRequest, now: UnixSeconds): AppliedChange {
  const result = requestUpdate({ ...pass, rejected: false }, { ...request, state: 'REVOKED' }, now);
  return result.type === 'applied' ? result : keepPass(pass);
}

/**
 * Returns the pass after a repeated revocation. Nothing is left to do after a partner's revocation, unless others have issued
 * to the wallet again. If others seem to have revoked the token, the pass revokes it again: the reading may have been wrong.
 */
function revokeAgain(pass: Pass, client: string, by: Requester | undefined, now: UnixSeconds): ChangeResult {
  const { revokedBy, onChain } = pass;
  const isDone = revokedBy === undefined || (revokedBy === 'partner' && !hasValidToken(onChain));
  if (isDone) return keepPass(pass);
  const requestIds = { ...pass.requestIds, state: by?.requestId };
  return applyChange(appendEvents({ ...pass, client, requestIds, revokedBy: undefined }, now));
}

/** The kind of a request, as the metrics show it: the kind of its first step, or an issuance of a bulk request. */
export type RequestKind = StepKind | 'bulk-issue';

/** A request that waits for its effect on chain. Stored in the pass object. */
export interface AwaitedRequest {
  readonly kind: RequestKind;
  /** When it was accepted. */
  readonly at: Milliseconds;
}

/** A request whose effect the read model shows. Sent from the pass object to the consumer. */
export interface Settlement {
  readonly network: string;
  readonly kind: RequestKind;
  /** From its acceptance until the read model showed the effect. */
  readonly seconds: number;
  /** Whether that was longer than `activeWithinMs` of the network. */
  readonly isLate: boolean;
}

/** Returns the request that makes the pass wait from now on; undefined if no step is needed. */
export function awaitedRequest(pass: Pass, now: Milliseconds): AwaitedRequest | undefined {
  const kind = pass.step?.kind ?? nextStep(pass)?.kind;
  if (kind === undefined) return undefined;
  return { kind: kind === 'issue' && pass.issuanceRank === BULK_ISSUANCE ? 'bulk-issue' : kind, at: now };
}

/** Whether the settled pass shows what the request asked for. It does not if the chain refused it, or a later request replaced it. */
export function hasEffect({ onChain, wanted }: Pass, { kind }: AwaitedRequest): boolean {
  if (kind === 'issue' || kind === 'bulk-issue') return hasValidToken(onChain);
  return isSatisfied({ kind, expiry: wanted.expiry }, onChain);
}
