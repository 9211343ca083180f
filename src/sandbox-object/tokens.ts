import { TOKEN_STATES, type Token } from '../chain/plan-step.ts';
import type { UnixSeconds } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';
import { representativeToken } from '../pass/adopt.ts';
import type { OnChain } from '../pass/pass.ts';
import { STEP_KINDS, type StepKind } from '../pass/step-kinds.ts';
import type { OnChainState } from '../pass/vocabulary.ts';

/** The tokens of a simulated wallet, with the blocks that changed them. Pure. */

/** A token from one block on. */
export interface TokenVersion extends OnChain {
  /** The block that made it. */
  readonly from: number;
  readonly isByOthers?: true | undefined;
}

/** A token with its newest versions, in the order of their blocks. NONE: it was burned. */
export interface StoredToken {
  readonly id: string;
  readonly versions: readonly TokenVersion[];
}

/** An operation on a wallet's tokens. */
export interface Operation {
  readonly kind: StepKind | 'burn';
  /** The token that it changes; undefined for `issue`. */
  readonly token?: string | undefined;
  readonly expiry?: UnixSeconds | undefined;
}

/**
 * The states of a token in which the contract, or the program, accepts an operation. For `issue`, the state of the wallet.
 * `test/worker/settlement/chain-table.ts` has the same table, which tests prove on both chains.
 */
export const ACCEPTED_IN: Readonly<Record<Chain, Readonly<Record<StepKind, readonly OnChainState[]>>>> = {
  ethereum: {
    issue: ['NONE', ...TOKEN_STATES],
    freeze: ['ACTIVE'],
    unfreeze: ['FROZEN'],
    'set-expiry': ['ACTIVE'],
    revoke: TOKEN_STATES,
  },
  solana: {
    issue: ['NONE'],
    freeze: ['ACTIVE'],
    unfreeze: ['FROZEN'],
    'set-expiry': TOKEN_STATES,
    revoke: ['ACTIVE', 'FROZEN'],
  },
};

/** Returns the tokens as of a block. */
export function tokensAt(stored: readonly StoredToken[], block: number): Token[] {
  return stored.flatMap(({ id, versions }): Token[] => {
    const version = versions.findLast(({ from }) => from <= block);
    if (version === undefined || version.state === 'NONE') return [];
    const { state, expiry, foreign, issuer } = version;
    return [{ id, state, expiry, ...(foreign && { foreign, issuer }) }];
  });
}

/** Whether the contract or program accepts the call of a gatekeeper for these tokens. */
export function isAccepted(chain: Chain, { kind, token }: Operation, tokens: readonly Token[]): boolean {
  if (kind === 'burn') return tokens.some(({ id }) => id === token);
  const concerned = kind === 'issue' ? representativeToken(tokens) : tokens.find(({ id }) => id === token);
  if (kind !== 'issue' && concerned === undefined) return false;
  return ACCEPTED_IN[chain][kind].includes(concerned?.state ?? 'NONE');
}

/** Returns the version of a token after an operation that is accepted. */
export function versionAfter({ kind, expiry }: Operation, before: OnChain | undefined, from: number): TokenVersion {
  if (kind === 'burn') return { state: 'NONE', from };
  const { setsExpiry, stateAfter } = STEP_KINDS[kind];
  const { state = 'NONE', foreign, issuer } = before ?? {};
  return {
    state: stateAfter ?? state,
    expiry: setsExpiry ? expiry : before?.expiry,
    ...(foreign && { foreign, issuer }),
    from,
  };
}

/** Adds a version, and drops the ones that no block from `oldest` on shows. */
export function withVersion({ id, versions }: StoredToken, added: TokenVersion, oldest: number): StoredToken {
  const first = versions.findLastIndex(({ from }) => from <= oldest);
  return { id, versions: [...versions.slice(Math.max(0, first)), added] };
}

/** Returns the tokens without the versions from a block on, whose block has left the chain. */
export function withoutVersionsFrom(stored: readonly StoredToken[], block: number): StoredToken[] {
  return stored.map(({ id, versions }) => ({ id, versions: versions.filter(({ from }) => from < block) }));
}
