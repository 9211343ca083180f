import { CHAIN_RULES } from '../pass/chain-rules.ts';
import type { OnChain } from '../pass/pass.ts';
import { representativeToken } from '../pass/representative-token.ts';
import { isSatisfied, STATE_AFTER, type Step } from '../pass/step.ts';
import type { PrepareResult, Reading } from './port.ts';

/** A gateway token as an adapter reads it. */
export interface Token extends OnChain {
  /** What the chain knows it by. */
  readonly id: bigint | string;
}

/** The tokens of a wallet and the block that shows them, or why they cannot be known. */
export type Owned<T extends Token> = { readonly tokens: readonly T[]; readonly asOf: number } | PrepareResult;

/** What has to be done for a step: a new token, a change of one (and what the wallet has then), or nothing. */
export type Plan<T extends Token> = 'issue' | { readonly change: T; readonly expectedOnChain: OnChain } | PrepareResult;

/** A reorg may take it back, and give what it is known by to another wallet. */
const NOT_FINAL: PrepareResult = { type: 'not-now', why: 'what the chain shows is not final', blocks: 'step' };
export const BEHIND: PrepareResult = {
  type: 'not-now',
  why: 'the node is behind what is known of the pass',
  blocks: 'step',
};
const WHY_STALE = 'the nodes may be behind the chain';
const STALE: PrepareResult = { type: 'not-now', why: WHY_STALE, blocks: 'step' };
/** A reading of a node that may be behind its chain. */
export const STALE_READING: Reading = { type: 'unreadable', why: WHY_STALE };
/** Tokens of a wallet that the service handles. Each of them takes calls in every reading, and revoking takes one step each. */
export const WALLET_MAX_TOKENS = 20;
export const TOO_MANY_TOKENS: PrepareResult = {
  type: 'not-now',
  why: `the wallet has more than ${WALLET_MAX_TOKENS} tokens of the gatekeeper network: its authority has to burn or revoke them`,
  blocks: 'step',
};
const FOREIGN: PrepareResult = { type: 'refused', reason: 'issued by another gatekeeper' };

/**
 * The contract or program answers an error that the service does not know.
 * @param blocks Which steps wait. Unless the error is about the step alone, nobody can tell which other steps meet it.
 */
export function unknownError(
  error: string,
  blocks: 'step' | 'gatekeeper-network' = 'gatekeeper-network',
): PrepareResult {
  const why = `the contract answers an error that the service does not know: ${error}`;
  return { type: 'not-now', why, blocks, isUnknownError: true };
}

/** Whether the tokens as of the newest final block have to be read as well. */
export function needsFinalTokens({ kind }: Step, now: Owned<Token> | undefined): boolean {
  return kind !== 'issue' || (now !== undefined && 'tokens' in now && now.tokens.length > 0);
}

/**
 * What a step asks for, given the tokens of its wallet now and as of the newest final block. A step ends without a
 * transaction only on what is final, and names only a token whose name is final. Pure.
 */
export function planStep<T extends Token>(step: Step, now: Owned<T> | undefined, final: Owned<T> | undefined): Plan<T> {
  if (now === undefined || 'type' in now) return now ?? NOT_FINAL;
  const { known } = step;
  if (now.asOf < (known?.asOf ?? 0)) return BEHIND;
  const token = representativeToken(now.tokens, known);
  if (step.kind === 'issue' && token === undefined) return 'issue';
  if (final === undefined || 'type' in final) return NOT_FINAL;
  if (token && !isSatisfied(step, token) && isPossible(step, token)) return planChange(step, now.tokens, final.tokens);
  // What is known is newer than what is final: then that the two look the same says nothing.
  if (final.asOf < (known?.asOf ?? 0) || !isSameToken(token, representativeToken(final.tokens, known)))
    return NOT_FINAL;
  return { type: 'found', onChain: onChainOf(token, final.asOf) };
}

/**
 * The change of one token. Of several, all that contradict the aim come to their turn, a step each: only when none is
 * left has the wallet what was wanted. Unfreezing one is enough.
 */
function planChange<T extends Token>(step: Step, tokens: readonly T[], final: readonly T[]): Plan<T> {
  const { kind, expiry, key, known } = step;
  const possible = tokens.filter((token) => isPossible(step, token));
  const ours = kind === 'freeze' || kind === 'unfreeze' ? possible.filter(({ foreign }) => !foreign) : possible;
  const target = representativeToken(ours, known);
  if (target === undefined || (kind === 'freeze' && ours.length < possible.length)) {
    const theirs = possible.filter((token) => !ours.includes(token));
    return theirs.some((token) => final.some((each) => isSameToken(each, token))) ? FOREIGN : NOT_FINAL;
  }
  if (CHAIN_RULES[key.chain].tokenIdsMove && !final.some(({ id }) => id === target.id)) return NOT_FINAL;
  const effect = kind === 'set-expiry' ? { expiry } : { state: STATE_AFTER[kind] ?? target.state };
  const after = tokens.map((token) => (token.id === target.id ? { ...token, ...effect } : token));
  return { change: target, expectedOnChain: onChainOf(representativeToken(after, known)) };
}

/** Whether the chain lets a gatekeeper do that to such a token. */
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

/** What the chain holds of a pass, given the tokens of its wallet and what is known of it. */
export function readingFor(owned: Owned<Token> | undefined, known?: OnChain): Reading {
  if (owned !== undefined && 'tokens' in owned) {
    return { type: 'read', onChain: onChainOf(representativeToken(owned.tokens, known), owned.asOf) };
  }
  return { type: 'unreadable', why: owned?.type === 'not-now' ? owned.why : 'the tokens cannot be read' };
}

function onChainOf(token: Token | undefined, asOf?: number): OnChain {
  if (token === undefined) return { state: 'NONE', asOf };
  const { state, expiry, foreign, issuer } = token;
  return { state, expiry, foreign, issuer, asOf };
}

const BEHIND_MS = 10 * 60_000;

/**
 * Whether the newest block is so old that the node may be behind its chain, and what it does not show may be there.
 * (Chains that make blocks on demand look the same when nobody uses them: so this must not keep us from sending.)
 * The block's time in Unix seconds, `now` in milliseconds.
 */
export function mayBeBehind(blockTime: number, now: number): boolean {
  return now - blockTime * 1000 > BEHIND_MS;
}

/** A node that may be behind its chain is not believed that something holds, or cannot be. */
export function distrustIfBehind(finding: PrepareResult, behind: boolean): PrepareResult {
  return behind && (finding.type === 'found' || finding.type === 'refused') ? STALE : finding;
}

function isSameToken(a: Token | undefined, b: Token | undefined): boolean {
  return a?.id === b?.id && a?.state === b?.state && a?.expiry === b?.expiry;
}
