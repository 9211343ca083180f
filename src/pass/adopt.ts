import { HOUR_MS, SECOND_MS, type UnixSeconds } from '../lib/units.ts';
import { appendEvents } from './events.ts';
import {
  type Cause,
  differsOnChain,
  hasPendingLoss,
  hasValidToken,
  isOfLaterToken,
  isReorged,
  type NotedLoss,
  type OnChain,
  type Pass,
  type PassEvent,
} from './pass.ts';
import { type AppliedChange, applyChange, keepPass } from './requests.ts';
import { isSatisfied } from './step.ts';
import { STEP_KINDS, type Task } from './step-kinds.ts';
import { type Change, ON_CHAIN_STATES } from './vocabulary.ts';

/**
 * Returns the pass after a reading of the chain. The reading changes nothing in these cases:
 * - It shows the known state.
 * - It is older than the known state.
 * - A step is pinned, or a past step is off the chain: the effect of that step would look like a change by others. But a later token
 *   with the same id counts if it lacks that effect.
 *
 * `now` in Unix seconds.
 * @param causes Changes by others that the reading may show, in order.
 */
export function applyReading(
  pass: Pass,
  found: OnChain,
  now: UnixSeconds,
  causes: readonly Cause[] = [],
): AppliedChange {
  const { step, onChain: known } = pass;
  const isOld = (found.asOf ?? 0) < (known.asOf ?? 0);
  const isLater = isOfLaterToken(known, found);
  const isSame = !differsOnChain(known, found) && !isLater;
  if (isSame && hasPendingLoss(pass) && isOutdated(pass.loss, found, now))
    return applyChange({ ...pass, loss: undefined, version: pass.version + 1 });
  if (isSame || isOld || (step !== undefined && (!isLater || isSatisfied(step, found))) || isReorged(pass))
    return keepPass(pass);
  return applyChange(adopt(pass, found, now, undefined, [], causes));
}

/** By then the block of a loss is final on every network, and the watcher has taken back a loss that did not come true. */
const LOSS_MAX_SECONDS = HOUR_MS / SECOND_MS;

/** Whether no watcher confirms the loss any longer, and a later block does not show it. */
function isOutdated(loss: NotedLoss | undefined, found: OnChain, now: UnixSeconds): boolean {
  return loss !== undefined && now - loss.notedAt > LOSS_MAX_SECONDS && (found.asOf ?? 0) > (loss.asOf ?? 0);
}

/** The states of a wallet that two endpoints show, as far as they agree. */
export interface Observation {
  /** At the depth of confirmation. */
  readonly confirmed?: OnChain | undefined;
  /** As of the newest final block. */
  readonly final?: OnChain | undefined;
}

/**
 * Returns the pass after an observation of its wallet. It adopts the final state. A loss of access that is confirmed and not yet
 * final is only noted, so that nobody is admitted meanwhile. `now` in Unix seconds.
 * @param causes The changes by others that led to the observation, in order.
 */
export function applyObservation(
  pass: Pass,
  { confirmed, final }: Observation,
  causes: readonly Cause[],
  now: UnixSeconds,
): AppliedChange {
  const { pass: adopted, changed } = final === undefined ? keepPass(pass) : applyReading(pass, final, now, causes);
  const noted = confirmed === undefined ? adopted : { ...adopted, loss: lossIn(adopted, confirmed, now) };
  if (changed) return applyChange(noted);
  return hasPendingLoss(noted) === hasPendingLoss(pass)
    ? keepPass(pass)
    : applyChange({ ...noted, version: pass.version + 1 });
}

function lossIn({ onChain, loss }: Pass, shown: OnChain, now: UnixSeconds): NotedLoss | undefined {
  return hasPendingLoss({ onChain, loss: shown }) ? { ...shown, notedAt: loss?.notedAt ?? now } : undefined;
}

/**
 * Returns the pass after the chain showed a change that no step of the pass made. The found state becomes the known state,
 * and also the wanted state, so that it causes no transaction. A wanted state stays only if the partner requested it after
 * the last request to the chain. Of a later token with the same id, it records the burn of the known one first.
 * @param ended The step that found the change, if one did.
 * @param first Events to append before those of the change.
 * @param causes Changes by others that the state may come from, in order.
 */
export function adopt(
  pass: Pass,
  { burnedAt, ...found }: OnChain,
  now: UnixSeconds,
  ended?: Task,
  first: readonly PassEvent[] = [],
  causes: readonly Cause[] = [],
): Pass {
  const isLater = isOfLaterToken(pass.onChain, { ...found, burnedAt });
  const changes = eventsBetween(pass.onChain, found, isLater);
  const events = changes.map((change) => eventByOthers(change, now, causes));
  // A token of others has replaced the one that a step issued.
  const issuedBy = changes.includes('TOKEN_ISSUED') || found.state === 'NONE' ? undefined : pass.issuedBy;
  // A revocation by a partner is final. A revocation by others follows the chain.
  const isFinal = pass.wanted.state === 'REVOKED' && pass.revokedBy !== 'others';
  const wanted = isFinal ? pass.wanted : wantedAfter(pass, found, ended, isLater);
  const byOthers = wanted.state === 'REVOKED' ? 'others' : undefined;
  // A step that found nothing to revoke has read a final block, so the partner's revocation is done.
  const byPartner = ended?.kind === 'revoke' && !hasValidToken(found) ? 'partner' : pass.revokedBy;
  const revokedBy = isFinal ? byPartner : byOthers;
  const rejected = pass.rejected && found.state === 'NONE';
  return appendEvents({ ...pass, onChain: found, issuedBy, wanted, rejected, revokedBy }, now, ...first, ...events);
}

function eventByOthers(change: Change, timestamp: UnixSeconds, causes: readonly Cause[]): PassEvent {
  const cause = causes.findLast((each) => each.change === change);
  return {
    eventType: change,
    timestamp,
    ...(cause && { transaction: { identifier: cause.transaction, status: 'confirmed' } }),
    byOthers: cause?.gatekeeper === undefined ? {} : { gatekeeper: cause.gatekeeper },
  };
}

function wantedAfter(pass: Pass, found: OnChain, ended: Task | undefined, isLater: boolean): Pass['wanted'] {
  const { wanted, onChain: known } = pass;
  if (found.state === 'NONE' && known.state === 'NONE') return wanted;
  // A burned token counts as revoked.
  if (found.state === 'REVOKED' || found.state === 'NONE') return { ...wanted, state: 'REVOKED' };
  // A freeze from before a burn is still wanted. It takes access away.
  const isToFreeze = wanted.state === 'FROZEN' && known.state === 'ACTIVE';
  if (pass.revokedBy === 'others' || isLater)
    return { ...wanted, expiry: found.expiry, state: isToFreeze ? 'FROZEN' : found.state };
  // A state or an expiry that the chain was never asked for was requested after the last step.
  const askedState = (ended && STEP_KINDS[ended.kind].stateAfter) ?? (known.state === 'NONE' ? 'ACTIVE' : known.state);
  const isNewState = found.state !== known.state && wanted.state === askedState;
  const keepsExpiry = known.state === 'NONE' ? !mayFollowToken(pass) : wanted.expiry !== known.expiry;
  const isSince = keepsExpiry || (ended?.kind === 'issue' && wanted.expiry !== ended.expiry);
  // A step that could not set the expiry of a frozen token keeps the wanted expiry for later.
  const isOfOthers = (known.state === 'NONE' || found.expiry !== known.expiry) && ended?.kind !== 'set-expiry';
  const expiry = isOfOthers && !isSince ? found.expiry : wanted.expiry;
  return { ...wanted, expiry, state: isNewState ? found.state : wanted.state };
}

/** Whether the first token that is found may replace the wanted expiry: the partner did not give it, or the chain refused it. */
function mayFollowToken({ rejected, requested, wanted }: Pass): boolean {
  return rejected || (requested.isDefault === true && wanted.expiry === requested.expiry);
}

function eventsBetween(known: OnChain, found: OnChain, isLater: boolean): Change[] {
  const [was, is] = [isLater ? 'NONE' : known.state, found.state];
  if (is === 'NONE') return was === 'NONE' || was === 'REVOKED' ? [] : ['TOKEN_REVOKED'];
  const fresh: Change[] = was === 'NONE' || (was === 'REVOKED' && is !== 'REVOKED') ? ['TOKEN_ISSUED'] : [];
  const moved = was === is ? undefined : EVENT_OF_STATE[is];
  const unfrozen = was === 'FROZEN' && is === 'ACTIVE';
  const expires = fresh.length === 0 && is !== 'REVOKED' && known.expiry !== found.expiry;
  return [
    ...(isLater ? (['TOKEN_REVOKED'] as const) : []),
    ...fresh,
    ...(unfrozen ? (['TOKEN_UNFROZEN'] as const) : []),
    ...(moved ? [moved] : []),
    ...(expires ? (['TOKEN_EXPIRY_CHANGED'] as const) : []),
  ];
}

const EVENT_OF_STATE: Readonly<Partial<Record<OnChain['state'], Change>>> = {
  FROZEN: 'TOKEN_FROZEN',
  REVOKED: 'TOKEN_REVOKED',
};

/**
 * Returns the token that represents the pass if a wallet has several; undefined if it has none. The order is:
 * - ACTIVE before FROZEN before REVOKED.
 * - Of active tokens, the one with the latest expiry, because a dApp accepts any valid token.
 * - Of other tokens, the known one, so that freezing and unfreezing stay with one token. Then a token that this service can
 *   unfreeze.
 */
export function representativeToken<Token extends OnChain>(
  tokens: readonly Token[],
  known?: OnChain,
): Token | undefined {
  const rank = ({ state }: Token) => ON_CHAIN_STATES.indexOf(state);
  const end = ({ expiry }: Token) => expiry ?? Number.POSITIVE_INFINITY;
  const isKnown = ({ expiry, foreign }: Token) => known?.expiry === expiry && known?.foreign === foreign;
  const last = (is: (token: Token) => unknown) => (a: Token, b: Token) =>
    Number(Boolean(is(a))) - Number(Boolean(is(b)));
  const byLife = (a: Token, b: Token) => end(b) - end(a) || 0;
  const byName = (a: Token, b: Token) => last((token) => !isKnown(token))(a, b) || last(({ foreign }) => foreign)(a, b);
  return tokens.toSorted((a, b) => {
    const [first, then] = a.state === 'ACTIVE' ? [byLife, byName] : [byName, byLife];
    return rank(a) - rank(b) || first(a, b) || then(a, b);
  })[0];
}
