/**
 * The promise about one pass, as a machine that answers one request after another. Sources: "States", "Issue a pass", "Change a pass" and "Revoke a
 * pass" of the documents for partners, and their codes of refusals.
 */

/** An expiry in Unix seconds; undefined: never; `any`: the requests do not tell, for example because others have changed it. */
type Expiry = number | undefined | 'any';

/** The wanted state of a pass. */
export interface ModelledPass {
  /** `NONE`: there is no pass. */
  readonly state: 'NONE' | 'ACTIVE' | 'FROZEN' | 'REVOKED' | 'REJECTED';
  readonly expiry?: Expiry;
  /** The expiry that POST or PATCH requested last. */
  readonly requested?: Expiry;
  /** The partners' own name for the pass. */
  readonly reference?: string | undefined;
  /** The client that answers for its changes. */
  readonly client?: string;
  /** Whether its issuance was one of many. */
  readonly isBulk?: boolean | undefined;
  /** Whether a partner has revoked it, and not others. */
  readonly isFinal?: true;
}

export const NO_PASS: ModelledPass = { state: 'NONE' };

/** A request about a pass. */
export interface PassRequest {
  readonly type: 'issue' | 'update' | 'sync' | 'fetch';
  readonly client: string;
  /** Whether it is one of many in a request. */
  readonly isBulk: boolean;
  readonly state?: 'ACTIVE' | 'FROZEN' | 'REVOKED' | undefined;
  readonly expiry?: number | undefined;
  /** Null: the pass is to have none. */
  readonly reference?: string | null | undefined;
  /** The first and the last second in which the service may have handled it (Unix). */
  readonly seconds: readonly [first: number, last: number];
  /** Whether the service may lack the key that issued the token. */
  readonly mayBeForeign: boolean;
}

/** A possible outcome of a request. */
export interface Outcome {
  readonly next: ModelledPass;
  /** Why it is refused; undefined: it is accepted. */
  readonly refusal?: string;
  /** Whether the audit trail gets an entry, as it does for each request that changes something; undefined: perhaps. */
  readonly isEntered?: boolean;
}

/** Returns the possible outcomes of a request. Only the second in which the service handles it, and others on chain, make them several. */
export function outcomesOf(pass: ModelledPass, request: PassRequest): Outcome[] {
  const [first, last] = request.seconds;
  const { expiry = Number.POSITIVE_INFINITY } = request;
  return [
    ...(expiry <= last ? refuse(pass, 'invalid_request') : []),
    ...(expiry > first ? outcomesInTime(pass, request) : []),
  ];
}

/** The same for a request whose expiry is in the future. */
function outcomesInTime(pass: ModelledPass, request: PassRequest): Outcome[] {
  if (request.type === 'issue') return issue(pass, request);
  if (pass.state === 'NONE') return refuse(pass, 'pass_not_found');
  if (request.type === 'update') return update(pass, request);
  return [{ next: pass, ...(request.type === 'fetch' && { isEntered: false }) }];
}

const refuse = (pass: ModelledPass, refusal: string): Outcome[] => [{ next: pass, refusal, isEntered: false }];

function issue(pass: ModelledPass, request: PassRequest): Outcome[] {
  const { client, expiry } = request;
  const reference = pass.state === 'NONE' ? (request.reference ?? undefined) : pass.reference;
  const { isBulk } = request;
  const next = { state: 'ACTIVE', expiry, requested: expiry, client, reference, isBulk } as const;
  const issued: Outcome = { next, isEntered: true };
  const isNamed = (request.reference ?? reference) === reference;
  if (!isNamed && (pass.state === 'ACTIVE' || pass.state === 'REJECTED')) return refuse(pass, 'reference_differs');
  switch (pass.state) {
    case 'NONE':
    case 'REJECTED':
      return [issued];
    case 'FROZEN':
      return refuse(pass, 'pass_frozen');
    case 'REVOKED':
      return refuse(pass, 'pass_revoked');
    case 'ACTIVE': {
      const { requested } = pass;
      const [first, last] = request.seconds;
      const canLive = typeof pass.expiry !== 'number' || pass.expiry >= first;
      const canBeOver = pass.expiry === 'any' || (typeof pass.expiry === 'number' && pass.expiry < last);
      const isSame = expiry === undefined || requested === 'any' || expiry === requested;
      const differs = expiry !== undefined && (requested === 'any' || expiry !== requested);
      return [
        ...(canLive && isSame ? repeat(pass, request) : []),
        ...(canLive && differs ? refuse(pass, 'expiry_differs') : []),
        ...(canBeOver ? (expiry === undefined ? refuse(pass, 'pass_expired') : [issued]) : []),
      ];
    }
  }
}

/**
 * A repeated request changes nothing, but another client may answer for an unfinished change from now on, and an issuance that was one of
 * many may become that of a waiting user.
 */
function repeat(pass: ModelledPass, { client, isBulk }: Pick<PassRequest, 'client' | 'isBulk'>): Outcome[] {
  const nothing: Outcome = { next: pass, isEntered: false };
  const isNews = client !== pass.client || (pass.isBulk === true && !isBulk);
  return isNews ? [nothing, { next: { ...pass, client, isBulk }, isEntered: true }] : [nothing];
}

/** A reference may change in every state. If one of several changes is refused, none happens. */
function update(pass: ModelledPass, request: PassRequest): Outcome[] {
  const reference = request.reference === undefined ? pass.reference : (request.reference ?? undefined);
  const isRenamed = reference !== pass.reference;
  const named = isRenamed ? { ...pass, reference } : pass;
  const isOnlyName = request.state === undefined && request.expiry === undefined;
  const outcomes = isOnlyName ? [{ next: named, isEntered: false }] : updateWanted(named, request);
  if (!isRenamed) return outcomes;
  return outcomes.map((each) => (each.refusal === undefined ? { ...each, isEntered: true } : { ...each, next: pass }));
}

function updateWanted(pass: ModelledPass, { client, state, expiry, mayBeForeign }: PassRequest): Outcome[] {
  if (pass.state === 'REJECTED') return refuse(pass, 'pass_rejected');
  if (pass.state === 'REVOKED') {
    if (state !== 'REVOKED') return refuse(pass, 'pass_revoked');
    return pass.isFinal
      ? [{ next: pass, isEntered: false }]
      : [{ next: { ...pass, client, isFinal: true }, isEntered: true }];
  }
  const next: ModelledPass = {
    ...{ state: state ?? pass.state, expiry: expiry ?? pass.expiry, requested: expiry ?? pass.requested },
    // An issuance that was one of many keeps its rank until it is on chain.
    ...{ client, reference: pass.reference, isBulk: pass.isBulk },
    ...(state === 'REVOKED' && { expiry: 'any', isFinal: true }),
  };
  const isSame = next.state === pass.state && next.expiry === pass.expiry;
  if (isSame && next.requested === pass.requested) return repeat(pass, { client, isBulk: pass.isBulk === true });
  return [
    { next, ...(pass.expiry !== 'any' && { isEntered: true }) },
    ...(mayBeForeign && state !== undefined && state !== 'REVOKED' ? refuse(pass, 'issued_by_another_gatekeeper') : []),
  ];
}
