import { representativeToken } from '../pass/adopt.ts';
import type { OnChain } from '../pass/pass.ts';
import { isSatisfied, type Step } from '../pass/step.ts';
import { CHAIN_RULES, STEP_KINDS } from '../pass/step-kinds.ts';
import type { WantedState } from '../pass/vocabulary.ts';
import type { PrepareResult, Reading } from './port.ts';
import { type NotNow, notNow, refused } from './reasons.ts';

/** The states of a gateway token. Both the contract and the program number them in this order, so it never changes. */
export const TOKEN_STATES = ['ACTIVE', 'FROZEN', 'REVOKED'] as const satisfies readonly WantedState[];

/** A gateway token as an adapter reads it. */
export interface Token extends OnChain {
  /** The token's identifier on chain. */
  readonly id: bigint | string;
}

/** The tokens of a wallet and the block that shows them, or why they cannot be known. */
export type Owned<T extends Token> = { readonly tokens: readonly T[]; readonly asOf: number } | PrepareResult;

/** The plan for a step: issue a token, change one (with the on-chain state after it), or a result without a transaction. */
export type Plan<T extends Token> = 'issue' | { readonly change: T; readonly expectedOnChain: OnChain } | PrepareResult;

/** Whether the step also needs the tokens as of the newest final block. */
export function needsFinalTokens({ kind }: Step, now: Owned<Token> | undefined): boolean {
  return kind !== 'issue' || (now !== undefined && 'tokens' in now && now.tokens.length > 0);
}

/**
 * Returns the plan for a step from the tokens of its wallet, now and as of the newest final block. A step ends without a
 * transaction only because of a final state. A token that was minted after a burn of the known one only loses access. Pure.
 * @param idsMove Whether a reorg can give the id of a token to the token of another wallet. Then a step changes only a token whose id is final.
 */
export function planStep<T extends Token>(
  step: Step,
  now: Owned<T> | undefined,
  final: Owned<T> | undefined,
  idsMove = CHAIN_RULES[step.key.chain].tokenIdsMove,
): Plan<T> {
  if (now === undefined || 'type' in now) return now ?? notNow('tokens-not-final');
  const { known } = step;
  if (now.asOf < (known?.asOf ?? 0)) return notNow('state-behind');
  const token = representativeToken(now.tokens, known);
  if (step.kind === 'issue' && token === undefined) return 'issue';
  if (final === undefined || 'type' in final)
    return isUnanswered(final) ? notNow('final-block-unanswered', final.detail) : notNow('tokens-not-final');
  const mayChange = !token?.burnedAt || STEP_KINDS[step.kind].takesAccessAway;
  if (token && mayChange && !isSatisfied(step, token) && isPossible(step, token))
    return planChange(step, now.tokens, final.tokens, idsMove);
  // If the known state is newer than the final block, equal tokens prove nothing.
  if (final.asOf < (known?.asOf ?? 0) || !isSameToken(token, representativeToken(final.tokens, known)))
    return notNow('tokens-not-final');
  return { type: 'found', onChain: onChainOf(token, final.asOf) };
}

/**
 * Plans the change of one token. If a wallet has several tokens, a step changes each one that contradicts the wanted state, one
 * after another. For unfreezing, one active token is enough.
 */
function planChange<T extends Token>(step: Step, tokens: readonly T[], final: readonly T[], idsMove: boolean): Plan<T> {
  const { kind, expiry, known } = step;
  const possible = tokens.filter((token) => isPossible(step, token));
  const { isUpToIssuer, setsExpiry, stateAfter: state } = STEP_KINDS[kind];
  const ours = isUpToIssuer ? possible.filter(({ foreign }) => !foreign) : possible;
  const target = representativeToken(ours, known);
  if (target === undefined || (kind === 'freeze' && ours.length < possible.length)) {
    const theirs = possible.filter((token) => !ours.includes(token));
    const isFinal = theirs.some((token) => final.some((each) => isSameToken(each, token)));
    return isFinal ? refused('issued-by-another') : notNow('tokens-not-final');
  }
  if (idsMove && !final.some(({ id }) => id === target.id)) return notNow('tokens-not-final');
  const effect = { ...(setsExpiry && { expiry }), ...(state && { state }), burnedAt: undefined };
  const after = tokens.map((token) => (token.id === target.id ? { ...token, ...effect } : token));
  return { change: target, expectedOnChain: onChainOf(representativeToken(after, known)) };
}

/** Whether the chain lets a gatekeeper take that step on such a token. */
function isPossible({ kind, key }: Step, { state }: OnChain): boolean {
  switch (kind) {
    case 'freeze':
      return state === 'ACTIVE';
    case 'unfreeze':
      return state === 'FROZEN';
    case 'set-expiry':
      return state === 'ACTIVE' || (state === 'FROZEN' && CHAIN_RULES[key.chain].expiryWhileFrozen);
    case 'revoke':
      return state !== 'REVOKED';
    case 'issue':
      return false;
  }
}

/** Returns the reading of a pass from the tokens of its wallet and its known on-chain state. */
export function readingFor(owned: Owned<Token> | undefined, known?: OnChain): Reading {
  if (owned !== undefined && 'tokens' in owned) {
    return { type: 'read', onChain: onChainOf(representativeToken(owned.tokens, known), owned.asOf) };
  }
  const why = owned?.type === 'not-now' ? owned.why : 'the tokens cannot be read';
  return { type: 'unreadable', why, ...(isUnanswered(owned) && { isUnanswered: true }) };
}

/** Whether the node did not answer for these tokens. A node without the block has answered. */
function isUnanswered(owned: PrepareResult | undefined): owned is NotNow {
  return owned?.type === 'not-now' && owned.isUnanswered === true;
}

function onChainOf(token: Token | undefined, asOf?: number): OnChain {
  if (token === undefined) return { state: 'NONE', asOf };
  const { state, expiry, foreign, issuer, burnedAt } = token;
  return { state, expiry, foreign, issuer, asOf, ...(burnedAt !== undefined && { burnedAt }) };
}

/** Replaces a conclusion (`found` or `refused`) by "not now" if the node may be behind its chain. */
export function distrustIfBehind(finding: PrepareResult, behind: boolean): PrepareResult {
  return behind && (finding.type === 'found' || finding.type === 'refused') ? notNow('nodes-behind') : finding;
}

function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
  return (
    a?.id === b?.id && a?.state === b?.state && a?.expiry === b?.expiry && (a?.burnedAt || 0) === (b?.burnedAt || 0)
  );
}
