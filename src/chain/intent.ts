import type { OnChain } from '../pass/pass.ts';
import { standingToken } from '../pass/standing-token.ts';
import type { Step } from '../pass/step.ts';
import type { Finding } from './port.ts';

/** A gateway token as an adapter reads it. */
export interface Token extends OnChain {
  /** What the chain knows it by. */
  readonly id: bigint | string;
}

/** What a step finds at its wallet: its tokens, or why they cannot be known. */
export type Owned<T extends Token> = { readonly tokens: readonly T[] } | Finding;

/** What has to be done for a step: a new token, a change of one, or nothing. */
export type Intent<T extends Token> = 'issue' | { readonly change: T } | Finding;

/** A reorg may take it back, and give what it is known by to another wallet. */
const NOT_FINAL: Finding = { is: 'not-now', why: 'what the chain shows is not final', keeps: 'step' };

/** Whether the tokens as of the newest final block have to be read as well. */
export function mustBeFinal({ kind }: Step, now: Owned<Token> | undefined): boolean {
  return kind !== 'issue' || (now !== undefined && 'tokens' in now && now.tokens.length > 0);
}

/**
 * What a step asks for, given the tokens of its wallet now and as of the newest final block. Only what is final is
 * recorded without a transaction of ours, and only a final token is named in a call. Pure.
 */
export function intentOf<T extends Token>(
  { kind, expiry }: Step,
  now: Owned<T> | undefined,
  final: Owned<T> | undefined,
): Intent<T> {
  if (now === undefined || 'is' in now) return now ?? NOT_FINAL;
  const token = standingToken(now.tokens);
  if (kind === 'issue' && token === undefined) return 'issue';
  if (final === undefined || 'is' in final || !same(token, standingToken(final.tokens))) return NOT_FINAL;
  if (token === undefined) return { is: 'found', onChain: { state: 'NONE' } };
  const { state } = token;
  if (kind !== 'issue' && state === 'ACTIVE' && token.expiry !== expiry) return { change: token };
  return { is: 'found', onChain: { state, expiry: token.expiry } };
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

/** A node that may be behind its chain is not believed that something holds. */
export function believed(finding: Finding, behind: boolean): Finding {
  return behind && finding.is === 'found' ? NOT_FINAL : finding;
}

function same(a: Token | undefined, b: Token | undefined): boolean {
  return a?.id === b?.id && a?.state === b?.state && a?.expiry === b?.expiry;
}
